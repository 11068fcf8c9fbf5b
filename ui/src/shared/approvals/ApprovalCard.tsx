// A call that waits for the person's word: what exactly would run, why it is asked, until when, and the four answers.

import { useQuery } from "@tanstack/react-query";
import { Check, ShieldQuestion, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApprovalScope } from "@/bindings/ApprovalScope";
import type { ApprovalState } from "@/bindings/ApprovalState";
import type { Arguments } from "@/bindings/Arguments";
import type { Decision } from "@/bindings/Decision";
import { call } from "@/bridge";
import { Button } from "../components/Button";
import { sayProblem } from "../components/Toasts";
import { reasonOf } from "../conversation/ended";
import { gist } from "../conversation/given";
import { Said } from "../i18n/said";
import { keys, queries } from "../queries";
import { Runs, titleOf } from "./Runs";
import { Why } from "./Why";

interface Asked {
  id: string;
  tool: string;
  arguments: Arguments;
  verdict: ApprovalState;
  reason: string;
}

export function useApprovals() {
  return useQuery({ queryKey: keys.approvals, queryFn: () => call("approvals_list") });
}

export function ApprovalCard({ asked }: { asked: Asked }) {
  return asked.verdict === "asked" ? <Open asked={asked} /> : <Decided asked={asked} />;
}

function Open({ asked }: { asked: Asked }) {
  const { t } = useTranslation("approvals");
  const { id, tool, reason } = asked;
  const row = useApprovals().data?.find((approval) => approval.id === id);
  const [busy, setBusy] = useState<string | null>(null);
  const title = titleOf(t, tool, asked.arguments);
  const decide = async (decision: Decision, scope: ApprovalScope) => {
    setBusy(decision + scope);
    await call("approvals_decide", { request: { id, decision, scope } }).catch(sayProblem);
    await queries.invalidateQueries({ queryKey: keys.approvals });
    setBusy(null);
  };
  const button = (decision: Decision, scope: ApprovalScope, label: string) => (
    <Button
      size="sm"
      kind={decision === "allow" && scope === "once" ? "primary" : "plain"}
      busy={busy === decision + scope}
      disabled={busy !== null}
      onClick={() => void decide(decision, scope)}
    >
      {label}
    </Button>
  );
  return (
    <section aria-label={title} className="overflow-clip rounded-lg border border-ember bg-raised shadow-sm">
      {/* What is asked stays in view above a long change. */}
      <header className="sticky top-0 z-1 flex items-start gap-3 bg-raised px-4 pt-3 pb-1">
        <ShieldQuestion aria-hidden className="mt-0.5 size-5 shrink-0 text-ember-ink" />
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">{title}</h3>
          {reason && (
            <p className="selectable text-sm text-muted break-words">
              <Said text={reason} />
            </p>
          )}
        </div>
      </header>
      <Runs tool={tool} arguments={asked.arguments} reason={reason} />
      {row && row.pinned.length > 0 && (
        <ul className="selectable mx-4 mt-2 text-sm text-muted">
          {row.pinned.map((line) => (
            <li key={line} className="break-words">
              <Said text={line} />
            </li>
          ))}
        </ul>
      )}
      <Why id={id} tool={tool} arguments={asked.arguments} session={row?.session ?? null} />
      <footer className="flex flex-wrap items-center gap-2 px-4 pt-3 pb-3">
        {button("allow", "once", t("once"))}
        {button("allow", "session", t("session"))}
        {button("allow", "always", t("always"))}
        {button("deny", "once", t("deny"))}
        <span className="ml-auto text-sm text-faint tabular-nums">{row && <Expiry until={row.expires_at} />}</span>
      </footer>
    </section>
  );
}

function Expiry({ until }: { until: number }) {
  const { t } = useTranslation("approvals");
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now() / 1000), 5000);
    return () => clearInterval(tick);
  }, []);
  const minutes = Math.ceil((until - now) / 60);
  return minutes > 0 ? t("expires", { count: minutes }) : t("expired");
}

function Decided({ asked }: { asked: Asked }) {
  const { t } = useTranslation("approvals");
  const { verdict, tool } = asked;
  const allowed = verdict === "allowed";
  const reason = reasonOf(verdict, asked.reason);
  return (
    <p className="selectable flex items-start gap-2 text-sm text-muted">
      {allowed ? (
        <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
      ) : (
        <X aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      )}
      <span className="min-w-0 break-words">
        {t(`verdict.${verdict}`, { tool })} <span className="font-mono text-[12.5px]">{gist(asked.arguments)}</span>
        {reason && (
          <span className="text-faint">
            {" · "}
            <Said text={reason} />
          </span>
        )}
      </span>
    </p>
  );
}
