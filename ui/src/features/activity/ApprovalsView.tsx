// Calls that wait for the person's word, and what was allowed before and still stands.

import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApprovalRow } from "@/bindings/ApprovalRow";
import { call } from "@/bridge";
import { ApprovalCard, useApprovals } from "@/shared/approvals/ApprovalCard";
import { BatchBar, together } from "@/shared/approvals/BatchBar";
import { Button } from "@/shared/components/Button";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { sayProblem } from "@/shared/components/Toasts";
import { gist } from "@/shared/conversation/given";
import { dateTime } from "@/shared/format";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";

export function ApprovalsView() {
  const { t } = useTranslation("activity");
  const approvals = useApprovals();
  if (approvals.isPending) return <Skeleton lines={6} />;
  if (approvals.error) return <Failure error={approvals.error} onRetry={() => void approvals.refetch()} />;
  const open = approvals.data.filter(({ state }) => state === "asked");
  const standing = approvals.data.filter(({ state }) => state === "allowed");
  if (open.length + standing.length === 0)
    return (
      <Empty
        icon={<ShieldCheck className="size-8" strokeWidth={1.5} />}
        title={t("noApprovals")}
        body={t("noApprovalsBody")}
      />
    );
  return (
    <>
      <section aria-label={t("waiting")} className="flex flex-col gap-3">
        <h2 className="font-semibold">{t("waiting")}</h2>
        {open.length === 0 && <p className="text-muted">{t("noneWaits")}</p>}
        {open.map((row) => {
          const count = together(open, row, ({ batch }) => batch);
          return (
            <div key={row.id} className="flex flex-col gap-1">
              {count > 0 && <BatchBar id={row.id} count={count} />}
              <ApprovalCard asked={{ ...row, verdict: row.state }} />
              <Button size="sm" kind="quiet" className="self-start" onClick={() => go(pathOf("chat", row.session))}>
                {t("openConversation")}
              </Button>
            </div>
          );
        })}
      </section>
      {standing.length > 0 && (
        <section aria-label={t("standing")} className="flex flex-col gap-2">
          <h2 className="font-semibold">{t("standing")}</h2>
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-raised px-4">
            {standing.map((row) => (
              <Standing key={row.id} row={row} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Standing({ row }: { row: ApprovalRow }) {
  const { t } = useTranslation("activity");
  const [busy, setBusy] = useState(false);
  const { id, tool, arguments: given, scope, decided_at } = row;
  const revoke = async () => {
    setBusy(true);
    await call("approvals_revoke", { id }).catch(sayProblem);
    await queries.invalidateQueries({ queryKey: keys.approvals });
    setBusy(false);
  };
  return (
    <li className="flex items-center gap-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="selectable font-mono text-[12.5px] break-words">
          <span className="font-medium">{tool}</span> {gist(given)}
        </p>
        <p className="text-sm text-muted">
          {t(`scope.${scope ?? "once"}`)}
          {decided_at !== null && ` · ${dateTime(decided_at)}`}
        </p>
      </div>
      <Button
        size="sm"
        busy={busy}
        aria-label={t("revokeName", { tool, what: gist(given) })}
        onClick={() => void revoke()}
      >
        {t("revoke")}
      </Button>
    </li>
  );
}
