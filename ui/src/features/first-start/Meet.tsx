// Step two: names, tone, time zone. Written into IDENTITY.md and USER.md.

import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Field, Select, TextInput } from "@/shared/components/Field";
import { Failure } from "@/shared/components/State";
import { keys, queries } from "@/shared/queries";
import { useWork } from "@/shared/useWork";
import { ownZone, zoneName, zones } from "@/shared/zones";
import type { StepProps } from "./FirstStart";
import { StepFrame } from "./StepFrame";

const tones = ["warm", "plain", "playful"] as const;

export function Meet({ onNext, onBack }: StepProps) {
  const { t } = useTranslation("firstStart");
  const form = useId();
  const [assistant, setAssistant] = useState("");
  const [user, setUser] = useState("");
  const [tone, setTone] = useState("");
  const [zone, setZone] = useState(ownZone);
  const { busy, error, run } = useWork<"meet">();
  const said = Boolean(assistant.trim() || user.trim() || tone.trim());
  const meet = async (event: FormEvent) => {
    event.preventDefault();
    const request = {
      assistant_name: assistant.trim() || t("assistantNameHint"),
      user_name: user.trim(),
      tone: tone.trim(),
      time_zone: zone,
    };
    const met = await run("meet", async () => {
      await call("settings_meet", { request });
      await queries.invalidateQueries({ queryKey: keys.files });
    });
    if (met) onNext();
  };
  const actions = (
    <>
      <Button kind="quiet" onClick={onNext}>
        {t("skip")}
      </Button>
      <Button kind="primary" type="submit" form={form} busy={busy !== null} disabled={!said}>
        {t("next")}
      </Button>
    </>
  );
  return (
    <StepFrame title={t("meetTitle")} body={t("meetBody")} onBack={onBack} actions={actions}>
      <form id={form} className="flex flex-col gap-5" onSubmit={(event) => void meet(event)}>
        <Field label={t("assistantName")}>
          <TextInput
            value={assistant}
            placeholder={t("assistantNameHint")}
            onChange={({ target }) => setAssistant(target.value)}
          />
        </Field>
        <Field label={t("userName")}>
          <TextInput value={user} autoComplete="given-name" onChange={({ target }) => setUser(target.value)} />
        </Field>
        <div className="flex flex-col gap-2">
          <Field label={t("tone")}>
            <TextInput value={tone} placeholder={t("toneHint")} onChange={({ target }) => setTone(target.value)} />
          </Field>
          <div className="flex flex-wrap gap-1.5">
            {tones.map((name) => (
              <Button key={name} size="sm" onClick={() => setTone(t(`tones.${name}`))}>
                {t(`tones.${name}`)}
              </Button>
            ))}
          </div>
        </div>
        <Field label={t("timeZone")}>
          <Select
            label={t("timeZone")}
            value={zone}
            choices={zones().map((name) => ({ value: name, label: zoneName(name) }))}
            onChange={setZone}
          />
        </Field>
        {error !== null && <Failure error={error} />}
      </form>
    </StepFrame>
  );
}
