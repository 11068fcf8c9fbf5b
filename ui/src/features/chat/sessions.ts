// The list of conversations: reading, ordering, and every change to one.

import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import type { SessionChange } from "@/bindings/SessionChange";
import type { SessionInfo } from "@/bindings/SessionInfo";
import { call } from "@/bridge";
import { say, sayProblem } from "@/shared/components/Toasts";
import { readLast, writeLast } from "@/shared/drafts";
import { period } from "@/shared/format";
import { unmarked } from "@/shared/markdown/unmarked";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";

export type Group = "pinned" | "today" | "yesterday" | "week" | "older" | "archivedGroup";
export const mainSession = "assistant:main";

export function useSessions() {
  return useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") });
}

/** A title is the beginning of the first message until the person names it: shown without Markdown's marks. */
export const titleOf = ({ title }: SessionInfo) => unmarked(title) || i18next.t("chat:untitled");

/** Sessions that match, newest first, in the groups of the list. */
export function grouped(sessions: readonly SessionInfo[], query: string, archived: boolean, now = Date.now()) {
  const wanted = query.trim().toLocaleLowerCase();
  const groups = new Map<Group, SessionInfo[]>();
  const order: Group[] = ["pinned", "today", "yesterday", "week", "older", "archivedGroup"];
  for (const group of order) groups.set(group, []);
  const matching = sessions.filter((session) => titleOf(session).toLocaleLowerCase().includes(wanted));
  for (const session of matching.toSorted((a, b) => b.updated_at - a.updated_at)) {
    if (session.archived && !archived && !wanted) continue;
    const group = session.archived ? "archivedGroup" : session.pinned ? "pinned" : period(session.updated_at, now);
    groups.get(group)?.push(session);
  }
  return order.map((group) => ({ group, rows: groups.get(group) ?? [] })).filter(({ rows }) => rows.length > 0);
}

const nothing: SessionChange = { title: null, pinned: null, archived: null, model: null };

export async function changeSession(session: string, change: Partial<SessionChange>): Promise<void> {
  const before = queries.getQueryData<SessionInfo[]>(keys.sessions);
  const patch = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null));
  queries.setQueryData<SessionInfo[]>(keys.sessions, (rows) =>
    rows?.map((row) => (row.key === session ? { ...row, ...patch } : row)),
  );
  try {
    await call("sessions_change", { session, change: { ...nothing, ...change } });
  } catch (error) {
    queries.setQueryData(keys.sessions, before);
    sayProblem(error);
  }
}

export async function archiveSession(info: SessionInfo): Promise<void> {
  await changeSession(info.key, { archived: true });
  const undo = () => void changeSession(info.key, { archived: false });
  say(i18next.t("chat:archived", { title: titleOf(info) }), { label: i18next.t("undo"), run: undo });
}

export async function createSession(): Promise<void> {
  try {
    const { key } = await call("sessions_create");
    await queries.invalidateQueries({ queryKey: keys.sessions });
    go(pathOf("chat", key));
  } catch (error) {
    sayProblem(error);
  }
}

export async function deleteSession(session: string, open: boolean): Promise<void> {
  try {
    await call("sessions_delete", { session });
    queries.setQueryData<SessionInfo[]>(keys.sessions, (rows) => rows?.filter(({ key }) => key !== session));
    queries.removeQueries({ queryKey: keys.transcript(session) });
    if (readLast() === session) writeLast(null);
    if (open) go(pathOf("chat"), { replace: true });
  } catch (error) {
    sayProblem(error);
  }
}
