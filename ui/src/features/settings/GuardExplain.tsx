// Whether a command would run, and by which rule. Runs nothing.

import clsx from "clsx";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Explained } from "@/bindings/Explained";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Switch } from "@/shared/components/Field";
import { Group } from "@/shared/components/Group";
import { sayProblem } from "@/shared/components/Toasts";
import { Said } from "@/shared/i18n/said";

const looks = { allow: "bg-good-soft text-good", ask: "bg-warn-soft text-warn", deny: "bg-bad-soft text-bad" };

export function GuardExplain() {
  const { t } = useTranslation("guard");
  const [command, setCommand] = useState("");
  const [tainted, setTainted] = useState(false);
  const [said, setSaid] = useState<Explained | null>(null);
  const explain = async (event: FormEvent) => {
    event.preventDefault();
    if (!command.trim()) return;
    const request = { tool: "exec", arguments: { command }, allow: null, shell: null, tainted };
    await call("guard_explain", { request }).then(setSaid, sayProblem);
  };
  return (
    <Group title={t("explain")} help={t("explainHelp")}>
      <form className="flex flex-col gap-3 py-4" onSubmit={(event) => void explain(event)}>
        <div className="flex gap-2">
          <input
            aria-label={t("command")}
            placeholder="git push origin main"
            value={command}
            spellCheck={false}
            onChange={({ target }) => {
              setCommand(target.value);
              setSaid(null);
            }}
            className="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-3 font-mono text-[13px]"
          />
          <Button type="submit" className="h-9" disabled={!command.trim()}>
            {t("try")}
          </Button>
        </div>
        <div className="flex items-center gap-2.5 text-sm">
          <Switch
            label={t("tainted")}
            checked={tainted}
            onChange={(on) => {
              setTainted(on);
              setSaid(null);
            }}
          />
          <span aria-hidden>{t("tainted")}</span>
        </div>
        {said && <Verdict said={said} />}
      </form>
    </Group>
  );
}

function Verdict({ said: { verdict, why, rule } }: { said: Explained }) {
  const { t } = useTranslation("guard");
  const known = verdict === "allow" || verdict === "ask" ? verdict : "deny";
  return (
    <div role="status" className="selectable flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span className={clsx("rounded-full px-2.5 text-sm font-medium", looks[known])}>{t(`verdict.${known}`)}</span>
      <span className="min-w-0 break-words">
        <Said text={why} />
      </span>
      <span className="text-sm text-faint">{t("rule", { rule })}</span>
    </div>
  );
}
