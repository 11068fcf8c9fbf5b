// A job to add: what, when, and, while it is typed, the next five times as the clock on the wall will show them.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobAction } from "@/bindings/JobAction";
import type { MissedPolicy } from "@/bindings/MissedPolicy";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Field, Select, TextInput } from "@/shared/components/Field";
import { Failure } from "@/shared/components/State";
import { differ, distance, wallClock } from "@/shared/format";
import { asProblem } from "@/shared/problem";
import { useSettled } from "@/shared/useSettled";
import { addJob, useNext } from "./data";

const actions = ["remind", "send_message", "run_turn", "run_skill"] as const satisfies readonly JobAction[];
const policies = ["run_once", "skip", "ask"] as const satisfies readonly MissedPolicy[];
const examples = ["0 9 * * 1-5", "every 2h", "in 20m"] as const;

export function JobDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("heartbeat");
  const [text, setText] = useState("");
  const [schedule, setSchedule] = useState("");
  const [action, setAction] = useState<JobAction>("remind");
  const [missed, setMissed] = useState<MissedPolicy | "">("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      const when = { schedule: schedule.trim(), zone: null };
      await addJob({ name: null, ...when, action, text: text.trim(), missed: missed || null, source: "window" });
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const ready = text.trim() !== "" && schedule.trim() !== "";
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("addJob")}
      actions={
        <Button kind="primary" busy={busy} disabled={!ready} onClick={() => void add()}>
          {t("add")}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t("action.label")} help={t(`actionHelp.${action as "remind"}`)}>
          <Select<JobAction>
            label={t("action.label")}
            value={action}
            choices={actions.map((value) => ({ value, label: t(`action.${value}`) }))}
            onChange={setAction}
          />
        </Field>
        <Field label={t(action === "run_skill" ? "skillName" : "what")}>
          <TextInput value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
        <Field label={t("when")} help={t("whenHelp")}>
          <TextInput
            className="font-mono text-[13px]"
            value={schedule}
            spellCheck={false}
            placeholder={examples[0]}
            onChange={({ target }) => setSchedule(target.value)}
          />
        </Field>
        <div className="-mt-2 flex flex-wrap gap-1.5">
          {examples.map((example) => (
            <Button key={example} size="sm" kind="quiet" className="font-mono" onClick={() => setSchedule(example)}>
              {example}
            </Button>
          ))}
        </div>
        <Preview schedule={schedule} />
        <Field label={t("ifMissed")} help={t("ifMissedHelp")}>
          <Select<MissedPolicy | "">
            label={t("ifMissed")}
            value={missed}
            choices={[
              { value: "", label: t("policy.usual") },
              ...policies.map((value) => ({ value, label: t(`policy.${value}`) })),
            ]}
            onChange={setMissed}
          />
        </Field>
        {error !== null && <Failure error={error} />}
      </div>
    </Dialog>
  );
}

/** The next times of what is typed, or why it is no schedule. */
function Preview({ schedule }: { schedule: string }) {
  const { t } = useTranslation("heartbeat");
  const settled = useSettled(schedule.trim());
  const next = useNext(settled, null);
  if (!settled) return null;
  const problem = next.error ? asProblem(next.error).detail : null;
  const exact = differ(next.data?.map(({ local }) => local) ?? []);
  return (
    <div role="status" className="rounded-md bg-sunken px-4 py-3">
      {problem && <p className="selectable text-bad break-words">{problem}</p>}
      {!problem && next.data?.length === 0 && <p className="text-warn">{t("neverAgain")}</p>}
      {!problem && next.data && next.data.length > 0 && (
        <>
          <p className="pb-1 text-sm text-muted">{t("nextTimes")}</p>
          <ol className="tabular-nums">
            {next.data.map(({ at_utc, local }) => (
              <li key={at_utc} className="flex justify-between gap-4">
                <span>{wallClock(local, exact)}</span>
                <span className="text-faint">{distance(Date.parse(at_utc) / 1000)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {next.isPending && <p className="text-muted">…</p>}
    </div>
  );
}
