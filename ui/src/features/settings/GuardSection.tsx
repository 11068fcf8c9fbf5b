// What the assistant may do on its own: the profile in plain words, the lists besides it, and why a command would run or not.

import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/shared/components/Dialog";
import { Group } from "@/shared/components/Group";
import { setSetting } from "@/shared/settings";
import { GuardExplain } from "./GuardExplain";
import { GuardList, lists } from "./GuardList";
import type { SectionProps } from "./SettingsPage";

const profiles = ["read-only", "assistant", "coding", "full"] as const;
type Profile = (typeof profiles)[number];

export function GuardSection({ settings: { guard } }: SectionProps) {
  const { t } = useTranslation("guard");
  return (
    <>
      {guard.closed && (
        <p role="alert" className="flex items-start gap-3 rounded-lg bg-bad-soft px-4 py-3">
          <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-bad" />
          {t("closed")}
        </p>
      )}
      <Profiles current={guard.profile} />
      <Group title={t("lists")} help={t("listsHelp")}>
        {lists.map((name) => (
          <GuardList key={name} name={name} entries={guard[name]} />
        ))}
      </Group>
      <GuardExplain />
    </>
  );
}

function Profiles({ current }: { current: string }) {
  const { t } = useTranslation("guard");
  const [asking, setAsking] = useState(false);
  const set = (profile: Profile) => setSetting("guard.profile", profile);
  return (
    <Group title={t("profile")} help={t("profileHelp")}>
      <RadioGroup
        aria-label={t("profile")}
        value={current}
        onValueChange={(next) => (next === "full" ? setAsking(true) : void set(next as Profile))}
        className="flex flex-col divide-y divide-line"
      >
        {profiles.map((profile) => (
          <div key={profile} className="relative flex items-start gap-3 py-3">
            <Radio.Root
              value={profile}
              aria-label={t(`profiles.${profile}`)}
              aria-describedby={`does-${profile}`}
              className={clsx(
                "mt-0.5 flex size-[18px] shrink-0 items-center justify-center rounded-full border-2 border-line-strong data-[checked]:border-ember",
                // The whole row can be pressed.
                "before:absolute before:inset-x-[-16px] before:inset-y-0",
              )}
            >
              <Radio.Indicator className="size-2 rounded-full bg-ember" />
            </Radio.Root>
            <div className="min-w-0">
              <p className="font-medium">
                {t(`profiles.${profile}`)}
                {profile === "assistant" && (
                  <span className="ml-2 rounded-full bg-active px-2 text-xs font-normal text-muted">
                    {t("recommended")}
                  </span>
                )}
              </p>
              <p id={`does-${profile}`} className="text-sm text-muted">
                {t(`does.${profile}`)}
              </p>
            </div>
          </div>
        ))}
      </RadioGroup>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("fullTitle")}
        body={t("fullBody")}
        action={t("fullAction")}
        danger
        onConfirm={async () => void (await set("full"))}
      />
    </Group>
  );
}
