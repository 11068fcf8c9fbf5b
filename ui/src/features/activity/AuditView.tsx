// The audit log: what was done, the newest first, and whether anything in it was ever changed.

import { Collapsible } from "@base-ui/react/collapsible";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, CircleAlert, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AuditCheck } from "@/bindings/AuditCheck";
import type { AuditEntry } from "@/bindings/AuditEntry";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { sayProblem } from "@/shared/components/Toasts";
import { gist } from "@/shared/conversation/given";
import { dateTime } from "@/shared/format";

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
  return (
    <>
      <Verify />
      <ol className="flex flex-col divide-y divide-line">
        {tail.data.toReversed().map((entry) => (
          <Entry key={entry.seq} entry={entry} />
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
  const [check, setCheck] = useState<AuditCheck | null>(null);
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    await call("audit_verify").then(setCheck, sayProblem);
    setBusy(false);
  };
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-raised px-4 py-3">
      <div role="status" className="flex min-w-0 flex-1 items-start gap-2">
        {check?.ok && <ShieldCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-good" />}
        {check && !check.ok && <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-bad" />}
        <p className={check && !check.ok ? "text-bad" : undefined}>
          {!check && t("auditHelp")}
          {check?.ok && t("auditWhole", { count: check.entries })}
          {check && !check.ok && t("auditBroken", { at: check.broken_at ?? 0 })}
        </p>
      </div>
      <Button busy={busy} onClick={() => void verify()}>
        {t("verify")}
      </Button>
    </div>
  );
}

const kinds = ["tool_call", "tool_result", "file_write", "send", "approval", "secret", "chain"] as const;

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("activity");
  const { seq, at, kind, session, body, hash } = entry;
  const known = kinds.find((name) => name === kind);
  const said =
    typeof body === "object" && body !== null && !Array.isArray(body)
      ? gist(body as Record<string, never>)
      : String(body);
  return (
    <li>
      <Collapsible.Root>
        <Collapsible.Trigger className="group flex min-h-10 w-full items-center gap-3 py-1 text-left outline-offset-[-2px] hover:bg-hover">
          <span className="w-10 shrink-0 text-right text-xs text-faint tabular-nums">{seq}</span>
          <span className="w-28 shrink-0 truncate font-medium">{known ? t(`audit.${known}`) : kind}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-[12.5px] text-muted">{said}</span>
          <span className="shrink-0 text-xs text-faint tabular-nums">{dateTime(at)}</span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="flex flex-col gap-1 pb-3 pl-13">
          {session && <p className="selectable text-sm text-muted">{session}</p>}
          <pre
            tabIndex={0}
            className="selectable max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-[12.5px] leading-5 break-words whitespace-pre-wrap"
          >
            {JSON.stringify(body, null, 2)}
          </pre>
          <p className="selectable truncate font-mono text-xs text-faint">{hash}</p>
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}
