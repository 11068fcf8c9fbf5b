// The audit log: what was done, the newest first, and whether anything in it was ever changed.

import { Collapsible } from "@base-ui/react/collapsible";
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ChevronRight, CircleAlert, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Arguments } from "@/bindings/Arguments";
import type { AuditCheck } from "@/bindings/AuditCheck";
import type { AuditEntry } from "@/bindings/AuditEntry";
import { call, pickPlace } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { sayProblem } from "@/shared/components/Toasts";
import { written } from "@/shared/conversation/given";
import { dateTime } from "@/shared/format";
import { callsOf, givenTo, rowOf } from "./audit";

export function AuditView() {
  const { t } = useTranslation("activity");
  const [most, setMost] = useState(100);
  const tail = useQuery({
    queryKey: ["audit", most],
    queryFn: () => call("audit_tail", { count: most }),
    staleTime: 0,
    placeholderData: (before) => before,
  });
  if (tail.isPending) return <Skeleton lines={8} />;
  if (tail.error) return <Failure error={tail.error} onRetry={() => void tail.refetch()} />;
  if (tail.data.length === 0) return <Empty title={t("auditEmpty")} body={t("auditEmptyBody")} />;
  const calls = callsOf(tail.data);
  return (
    <>
      <Verify />
      <ol className="flex flex-col divide-y divide-line">
        {tail.data.toReversed().map((entry) => (
          <Entry key={entry.seq} entry={entry} given={givenTo(entry, calls)} />
        ))}
      </ol>
      {tail.data.length >= most && (
        <Button className="self-center" busy={tail.isFetching} onClick={() => setMost(most * 4)}>
          {t("auditMore")}
        </Button>
      )}
    </>
  );
}

function Verify() {
  const { t } = useTranslation("activity");
  const [said, setSaid] = useState<{ ok: boolean; text: string } | null>(null);
  const [busy, setBusy] = useState<"verify" | "export" | null>(null);
  const found = (check: AuditCheck) => {
    const { ok, entries, broken_at, missing_to } = check;
    const at = broken_at ?? 0;
    const broken =
      missing_to === null
        ? t("auditBroken", { at })
        : t("auditMissing", { at, to: missing_to, count: missing_to - at + 1 });
    setSaid({ ok, text: ok ? t("auditWhole", { count: entries }) : broken });
  };
  const verify = async () => {
    setBusy("verify");
    await call("audit_verify").then(found, sayProblem);
    setBusy(null);
  };
  const save = async () => {
    const path = await pickPlace(`hearth-audit-${new Date().toISOString().slice(0, 10)}.jsonl`);
    if (path === null) return;
    setBusy("export");
    await call("audit_export", { path }).then(
      (count) => setSaid({ ok: true, text: t("auditExported", { count, path }) }),
      sayProblem,
    );
    setBusy(null);
  };
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-raised px-4 py-3">
      <div role="status" className="flex min-w-0 flex-1 items-start gap-2">
        {said?.ok && <ShieldCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-good" />}
        {said && !said.ok && <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-bad" />}
        <p className={clsx("min-w-0 break-words", said && !said.ok && "text-bad")}>{said?.text ?? t("auditHelp")}</p>
      </div>
      <Button busy={busy === "export"} disabled={busy !== null} onClick={() => void save()}>
        {t("auditExport")}
      </Button>
      <Button busy={busy === "verify"} disabled={busy !== null} onClick={() => void verify()}>
        {t("verify")}
      </Button>
    </div>
  );
}

const kinds = ["tool_call", "tool_result", "file_write", "send", "approval", "secret", "chain"] as const;
const verdicts = ["allow", "ask", "deny", "asked", "allowed", "denied", "expired", "stopped", "ok", "failed"] as const;

function Entry({ entry, given }: { entry: AuditEntry; given: Arguments | null }) {
  const { t } = useTranslation("activity");
  const { seq, at, kind, session, body, hash } = entry;
  const known = kinds.find((name) => name === kind);
  const { tool, verdict, said } = rowOf(entry, given);
  const word = verdicts.find((name) => name === verdict);
  return (
    <li>
      <Collapsible.Root>
        <Collapsible.Trigger className="group flex min-h-10 w-full items-center gap-3 py-1 text-left outline-offset-[-2px] hover:bg-hover">
          <span className="w-10 shrink-0 text-right text-xs text-faint tabular-nums">{seq}</span>
          <span className="w-24 shrink-0 truncate font-medium">{known ? t(`audit.${known}`) : kind}</span>{" "}
          <span className="min-w-0 flex-1 truncate font-mono text-[12.5px] text-muted">
            {tool && <span className="font-medium text-ink">{tool}</span>} {said}
          </span>{" "}
          {word && (
            <span className={clsx("shrink-0 text-xs", refused.has(word) ? "text-bad" : "text-muted")}>
              {t(`auditVerdict.${word}`)}
            </span>
          )}
          <span className="shrink-0 text-xs text-faint tabular-nums">{dateTime(at)}</span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="flex flex-col gap-1 pb-3 pl-13">
          {session && <p className="selectable text-sm text-muted">{session}</p>}
          {given && (
            <>
              <h3 className="text-sm font-medium">{t("auditGiven")}</h3>
              <pre tabIndex={0} className={box}>
                {written(given)}
              </pre>
              <h3 className="text-sm font-medium">{t("auditAll")}</h3>
            </>
          )}
          <pre tabIndex={0} className={box}>
            {JSON.stringify(body, null, 2)}
          </pre>
          <p className="selectable truncate font-mono text-xs text-faint">{hash}</p>
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}

const refused = new Set<string>(["deny", "denied", "expired", "failed"]);

const box =
  "selectable max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-[12.5px] leading-5 break-words whitespace-pre-wrap";
