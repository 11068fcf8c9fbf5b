// What a skill needs of the machine; secrets that it asks for can be stored here.

import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SkillRequires } from "@/bindings/SkillRequires";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { SecretField } from "@/shared/components/Field";
import { Failure } from "@/shared/components/State";
import { say } from "@/shared/components/Toasts";
import { keys, queries } from "@/shared/queries";
import { Chips, Fact } from "./parts";

interface NeedsProps {
  requires: SkillRequires;
  /** Nothing can be stored from here. */
  showOnly?: boolean;
}

export function Needs({ requires, showOnly }: NeedsProps) {
  const { t } = useTranslation("skills");
  const { bins, anyBins, env, config, os, channels, senders } = requires;
  return (
    <>
      {some(bins) && (
        <Fact label={t("needs.bins")}>
          <Chips names={bins} />
        </Fact>
      )}
      {some(anyBins) && (
        <Fact label={t("needs.anyBins")}>
          <Chips names={anyBins} />
        </Fact>
      )}
      {some(env) && <Fact label={t("needs.env")}>{showOnly ? <Chips names={env} /> : <Secrets names={env} />}</Fact>}
      {some(config) && (
        <Fact label={t("needs.config")}>
          <Chips names={config} />
        </Fact>
      )}
      {some(os) && (
        <Fact label={t("needs.os")}>
          <Chips names={os.map((name) => t(`system.${name as "linux"}`, { defaultValue: name }))} />
        </Fact>
      )}
      {some(channels) && (
        <Fact label={t("needs.channels")}>
          <Chips names={channels.map((name) => t(`channel.${name as "desktop"}`, { defaultValue: name }))} />
        </Fact>
      )}
      {some(senders) && (
        <Fact label={t("needs.senders")}>
          <Chips names={senders.map((name) => (name === "owner" ? t("owner") : name))} />
        </Fact>
      )}
    </>
  );
}

/** Lists that are empty may be left out of an answer. */
const some = (names: readonly string[] | undefined): names is string[] => (names?.length ?? 0) > 0;

function Secrets({ names }: { names: readonly string[] }) {
  const { t } = useTranslation("skills");
  const stored = useQuery({ queryKey: ["secrets"], queryFn: () => call("secrets_list"), staleTime: 0 }).data;
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <ul className="flex flex-col gap-1">
      {names.map((name) => (
        <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="selectable font-mono text-[12.5px] break-all">{name}</span>
          {stored?.includes(name) && <span className="text-sm text-good">{t("stored")}</span>}
          <Button
            kind="quiet"
            size="sm"
            aria-label={`${t(stored?.includes(name) ? "storeAgain" : "store")} ${name}`}
            icon={<KeyRound aria-hidden className="size-3.5" />}
            onClick={() => setAsked(name)}
          >
            {t(stored?.includes(name) ? "storeAgain" : "store")}
          </Button>
        </li>
      ))}
      {asked && <SecretDialog name={asked} onClose={() => setAsked(null)} />}
    </ul>
  );
}

/** The value is only ever written: it leaves this component when it was stored. */
function SecretDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(["skills", "common"]);
  const [value, setValue] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const store = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await call("secrets_set", { name, value });
      for (const queryKey of [["secrets"], keys.skills]) await queries.invalidateQueries({ queryKey });
      say(t("storedName", { name }));
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title={t("storeTitle", { name })} description={t("storeBody")}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void store(event)}>
        <SecretField label={t("value")} value={value} onChange={setValue} />
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" className="self-end" busy={busy} disabled={value === ""}>
          {t("common:save")}
        </Button>
      </form>
    </Dialog>
  );
}
