// What runs now: turns of any conversation and downloads, each with what it is doing and a stop.

import { useQuery } from "@tanstack/react-query";
import { Coffee } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionInfo } from "@/bindings/SessionInfo";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Progress } from "@/shared/components/Progress";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { sayProblem } from "@/shared/components/Toasts";
import { gist } from "@/shared/conversation/given";
import { stop, useConversations } from "@/shared/conversation/store";
import type { Block, Turn } from "@/shared/conversation/turn";
import { bytes } from "@/shared/format";
import { unmarked } from "@/shared/markdown/unmarked";
import { stopPull, usePulls } from "@/shared/models/pulls";
import { keys } from "@/shared/queries";
import { pathOf } from "@/shared/route";

export function RunningView() {
  const { t } = useTranslation("activity");
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") });
  const pulls = Object.values(usePulls()).filter(({ state }) => state !== "failed");
  if (sessions.isPending) return <Skeleton lines={4} />;
  if (sessions.error) return <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />;
  const running = sessions.data.filter((session) => session.running);
  if (running.length + pulls.length === 0)
    return (
      <Empty
        icon={<Coffee className="size-8" strokeWidth={1.5} />}
        title={t("nothingRuns")}
        body={t("nothingRunsBody")}
      />
    );
  return (
    <ul
      aria-label={t("views.running")}
      className="flex flex-col divide-y divide-line rounded-lg border border-line bg-raised px-4"
    >
      {running.map((session) => (
        <RunningTurn key={session.key} session={session} />
      ))}
      {pulls.map(({ id, done_bytes, total_bytes }) => (
        <li key={id} className="flex items-end gap-4 py-3">
          <div className="min-w-0 flex-1">
            <Progress
              label={t("download", { name: id })}
              value={total_bytes > 0 ? done_bytes / total_bytes : null}
              detail={total_bytes > 0 ? `${bytes(done_bytes)} / ${bytes(total_bytes)}` : undefined}
            />
          </div>
          <Button
            size="sm"
            aria-label={t("stopName", { name: id })}
            onClick={() => void stopPull(id).catch(sayProblem)}
          >
            {t("stop")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function RunningTurn({ session }: { session: SessionInfo }) {
  const { t } = useTranslation(["activity", "chat"]);
  const [busy, setBusy] = useState(false);
  const turn = useConversations(({ live }) =>
    Object.values(live).findLast(({ session: key, running }) => key === session.key && running),
  );
  const title = unmarked(session.title) || t("chat:untitled");
  const end = async () => {
    setBusy(true);
    await stop(session.key).catch(sayProblem);
    setBusy(false);
  };
  return (
    <li className="flex items-center gap-4 py-3">
      <span aria-hidden className="dot size-2 shrink-0 rounded-full bg-ember" />
      <div className="min-w-0 flex-1">
        <a href={`#${pathOf("chat", session.key)}`} className="block truncate font-medium hover:underline">
          {title}
        </a>
        <Doing turn={turn} />
      </div>
      <Button size="sm" busy={busy} aria-label={t("stopName", { name: title })} onClick={() => void end()}>
        {t("stop")}
      </Button>
    </li>
  );
}

/** What a turn is doing, in a line. */
function Doing({ turn }: { turn: Turn | undefined }) {
  const { t } = useTranslation("activity");
  const end = turn?.blocks.at(-1);
  const agents = turn?.blocks.filter((block) => block.kind === "subagent" && block.state === "started").length ?? 0;
  const now = doing(end);
  return (
    <p className="truncate text-sm text-muted">
      {t(`doing.${now}`)}
      {end?.kind === "tool" && now === "tool" && (
        <span className="font-mono text-[12.5px]"> {`${end.tool} ${gist(end.arguments)}`}</span>
      )}
      {agents > 0 && ` · ${t("subagents", { count: agents })}`}
    </p>
  );
}

function doing(end: Block | undefined) {
  if (end?.kind === "text") return "writing";
  if (end?.kind === "tool" && !end.ended) return "tool";
  if (end?.kind === "approval" && end.verdict === "asked") return "approval";
  if (end?.kind === "question" && end.open) return "question";
  if (end?.kind === "provider") return "provider";
  return "thinking";
}
