// What skills did in a conversation: its turns on the left, the activation view of the open one beside them.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { MessagesSquare } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SessionInfo } from "@/bindings/SessionInfo";
import { call } from "@/bridge";
import { Select } from "@/shared/components/Field";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import type { Turn } from "@/shared/conversation/turn";
import { useConversation } from "@/shared/conversation/useConversation";
import { readLast } from "@/shared/drafts";
import { when } from "@/shared/format";
import { unmarked } from "@/shared/markdown/unmarked";
import { keys } from "@/shared/queries";
import { go, pathOf, useParts } from "@/shared/route";
import { ActivityView } from "./ActivityView";

export function TurnsView() {
  const { t } = useTranslation("skills");
  const [, , session] = useParts();
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") });
  if (sessions.isPending) return <Skeleton lines={8} className="p-6" />;
  if (sessions.error) return <Failure error={sessions.error} onRetry={() => void sessions.refetch()} className="m-6" />;
  const recent = sessions.data.toSorted((a, b) => b.updated_at - a.updated_at);
  const last = readLast();
  const open = session ?? recent.find(({ key }) => key === last)?.key ?? recent[0]?.key;
  if (open === undefined)
    return (
      <Empty
        icon={<MessagesSquare className="size-8" strokeWidth={1.5} />}
        title={t("noTurns")}
        body={t("noTurnsBody")}
      />
    );
  return <SessionTurns key={open} session={open} sessions={recent} />;
}

function SessionTurns({ session, sessions }: { session: string; sessions: readonly SessionInfo[] }) {
  const { t } = useTranslation(["skills", "chat"]);
  const [, , , wanted] = useParts();
  const { turns, isPending, error, refetch } = useConversation(session);
  const named = turns.filter((turn): turn is Turn & { id: string } => turn.id !== null).toReversed();
  const turn = named.find(({ id }) => id === wanted) ?? named[0];
  const choices = sessions.map(({ key, title }) => ({ value: key, label: unmarked(title) || t("chat:untitled") }));
  if (!choices.some(({ value }) => value === session)) choices.unshift({ value: session, label: session });
  return (
    <div className="flex min-h-0 flex-1">
      <section aria-label={t("turns")} className="flex w-[320px] shrink-0 flex-col border-r border-line">
        <div className="border-b border-line px-3 py-3">
          <Select
            label={t("conversation")}
            value={session}
            choices={choices}
            onChange={(key) => go(pathOf("skills", "turns", key))}
          />
        </div>
        {isPending && <Skeleton lines={6} className="p-4" />}
        {error && <Failure error={error} onRetry={() => void refetch()} className="m-3" />}
        {!isPending && !error && named.length === 0 && <p className="p-4 text-muted">{t("noTurns")}</p>}
        <ol className="min-h-0 flex-1 overflow-y-auto">
          {named.map((row) => (
            <li key={row.id}>
              <TurnLink session={session} turn={row} current={row === turn} />
            </li>
          ))}
        </ol>
      </section>
      <div className="flex min-w-0 flex-1 flex-col">
        {turn && <ActivityView key={turn.id} session={session} turn={turn.id} />}
      </div>
    </div>
  );
}

interface TurnLinkProps {
  session: string;
  turn: Turn & { id: string };
  current: boolean;
}

function TurnLink({ session, turn, current }: TurnLinkProps) {
  const { t } = useTranslation("skills");
  const { id, user, skills, running } = turn;
  const used = [...new Set(skills.filter(({ state }) => state === "activated").map(({ name }) => name))];
  return (
    <a
      href={`#${pathOf("skills", "turns", session, id)}`}
      aria-current={current ? "page" : undefined}
      draggable={false}
      className={clsx("block px-4 py-2.5 outline-offset-[-2px]", current ? "bg-active" : "hover:bg-hover")}
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="truncate font-medium">{user?.text.trim() || t("noMessage")}</span>
        {user && <span className="shrink-0 text-xs text-faint tabular-nums">{when(user.at)}</span>}
      </span>
      <span className="flex items-center gap-2 truncate text-sm text-muted">
        {running && <span aria-hidden className="dot size-1.5 shrink-0 rounded-full bg-ember" />}
        {used.length > 0 ? used.join(", ") : t("noSkill")}
      </span>
    </a>
  );
}
