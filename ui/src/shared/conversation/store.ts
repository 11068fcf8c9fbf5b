// What the window knows beyond the stored transcript: turns that stream, messages on their way, answers to commands.
//
// Invariants: one subscription for the whole window; deltas are drawn once a frame; a hole in the numbers drops what was
// collected, and the transcript is read again.

import { create } from "zustand";
import type { Attachment } from "@/bindings/Attachment";
import type { Event } from "@/bindings/Event";
import type { Origin } from "@/bindings/Origin";
import type { Transcript } from "@/bindings/Transcript";
import { asWireError, call, onSignal, type WireError } from "@/bridge";
import { keys, queries } from "../queries";
import { applyEvent, newTurn, type Turn } from "./turn";

/** A message of the person that the transcript does not hold yet. */
export interface Pending {
  messageId: string;
  session: string;
  text: string;
  attachments: Attachment[];
  at: number;
  /** `steering`: the running turn takes it at its next step. */
  state: "sending" | "sent" | "steering" | "failed";
  turn: string | null;
  error: WireError | null;
}

/** The answer to a `/` command: shown, not stored. */
export interface Answer {
  id: string;
  session: string;
  asked: string;
  text: string;
}

interface Conversations {
  live: Readonly<Record<string, Turn>>;
  pending: readonly Pending[];
  answers: readonly Answer[];
}

export const useConversations = create<Conversations>(() => ({ live: {}, pending: [], answers: [] }));
const { getState: now, setState: put } = useConversations;

/** Forgets everything; for tests. */
export const forgetConversations = () => put({ live: {}, pending: [], answers: [] });

let waiting: Event[] = [];
let scheduled = false;

/** Follows the turns of every session. */
export function followTurns(): () => void {
  return onSignal((signal) => {
    if (signal === null) {
      waiting = [];
      put({ live: {} });
    } else if (signal.type === "turn") {
      waiting.push(signal.data);
      if (!scheduled) schedule();
    }
  });
}

function schedule(): void {
  scheduled = true;
  const run = () => {
    scheduled = false;
    flush();
  };
  // A hidden window draws no frames.
  if (document.hidden) setTimeout(run, 100);
  else requestAnimationFrame(run);
}

function flush(): void {
  const events = waiting;
  waiting = [];
  const { live, pending } = now();
  const turns = { ...live };
  let left = pending;
  for (const event of events) {
    const before = turns[event.turn] ?? newTurn(event.turn, event.session);
    if (event.event === "started") left = bind(left, event);
    if (event.event === "steered") left = left.filter(({ state, text }) => state !== "steering" || text !== event.text);
    turns[event.turn] = applyEvent(withUser(before, left), event);
    if (event.event === "started" || event.event === "done") reread(event.session);
    if (event.event === "done") left = left.filter(({ turn, state }) => turn !== event.turn || state === "failed");
  }
  put({ live: turns, pending: left });
}

const reread = (session: string) => void queries.invalidateQueries({ queryKey: keys.transcript(session) });

/** A turn that starts before its submit was answered belongs to the oldest message without one. */
function bind(pending: readonly Pending[], { turn, session }: Event): readonly Pending[] {
  if (pending.some((message) => message.turn === turn)) return pending;
  const mine = pending.find(
    (message) => message.session === session && message.turn === null && message.state === "sending",
  );
  return mine ? pending.map((message) => (message === mine ? { ...message, turn } : message)) : pending;
}

function withUser(turn: Turn, pending: readonly Pending[]): Turn {
  const mine = turn.user ? undefined : pending.find((message) => message.turn === turn.id);
  return mine ? { ...turn, user: { id: null, text: mine.text, attachments: mine.attachments, at: mine.at } } : turn;
}

const update = (messageId: string, change: Partial<Pending>) =>
  put(({ pending }) => ({
    pending: pending.map((message) => (message.messageId === messageId ? { ...message, ...change } : message)),
  }));

const drop = (messageId: string) =>
  put(({ pending }) => ({ pending: pending.filter((message) => message.messageId !== messageId) }));

interface Send {
  session: string;
  text: string;
  origin: Origin;
  attachments?: Attachment[];
}

/** Sends a message; it is shown at once. */
export async function send({ session, text, origin, attachments = [] }: Send): Promise<void> {
  const messageId = crypto.randomUUID();
  const message: Pending = {
    messageId,
    session,
    text,
    attachments,
    at: Date.now() / 1000,
    state: "sending",
    turn: null,
    error: null,
  };
  // What was said to a command before belongs above what comes now, not below it.
  put(({ pending, answers }) => ({
    pending: [...pending, message],
    answers: answers.filter((given) => given.session !== session),
  }));
  await submit(message, origin);
}

/** Sends a message that failed once more, under its old id: it can start one turn at most. */
export async function sendAgain(message: Pending, origin: Origin): Promise<void> {
  update(message.messageId, { state: "sending", error: null });
  await submit(message, origin);
}

export const dropPending = drop;

async function submit({ messageId, session, text, attachments }: Pending, origin: Origin): Promise<void> {
  try {
    const request = { session, text, origin, message_id: messageId, attachments, model: null, yes_to: [] };
    const submitted = await call("chat_submit", { request });
    if (submitted.outcome === "turn") taken(messageId, submitted.turn);
    else if (submitted.outcome === "steered") update(messageId, { state: "steering", turn: submitted.turn });
    else drop(messageId);
    if (submitted.outcome === "command") answer({ id: messageId, session, asked: text, text: submitted.text });
  } catch (error) {
    update(messageId, { state: "failed", error: asWireError(error) });
  }
}

/** The engine has the message. Its turn may have started, and even ended, before this answer came. */
function taken(messageId: string, turn: string): void {
  put(({ live, pending }) => {
    const mine = pending.map((message) =>
      message.messageId === messageId ? { ...message, turn, state: "sent" as const } : message,
    );
    const begun = live[turn];
    return { pending: mine, live: begun ? { ...live, [turn]: withUser(begun, mine) } : live };
  });
}

function answer(given: Answer): void {
  put(({ answers }) => ({ answers: [...answers.filter(({ session }) => session !== given.session), given] }));
  reread(given.session);
}

export function dropAnswer(id: string): void {
  put(({ answers }) => ({ answers: answers.filter((given) => given.id !== id) }));
}

export async function stop(session: string): Promise<void> {
  await call("chat_stop", { session });
}

interface Rewinding {
  session: string;
  /** The stored user message, and the text it has or gets. */
  message: string;
  text: string;
  changed: boolean;
  branch: boolean;
}

/** Goes on from one of the person's messages; answers with the session in which it does. */
export async function rewind({ session, message, text, changed, branch }: Rewinding): Promise<string> {
  const messageId = crypto.randomUUID();
  const request = { session, message, text: changed ? text : null, branch, message_id: messageId };
  const shown: Pending = {
    messageId,
    session,
    text,
    attachments: [],
    at: Date.now() / 1000,
    state: "sending",
    turn: null,
    error: null,
  };
  const before = queries.getQueryData<Transcript>(keys.transcript(session));
  if (!branch) {
    cutFrom(session, message);
    put(({ pending }) => ({ pending: [...pending, shown] }));
  }
  try {
    const { session: target, turn } = await call("chat_rewind", { request });
    if (branch) put(({ pending }) => ({ pending: [...pending, { ...shown, session: target, turn, state: "sent" }] }));
    else taken(messageId, turn);
    reread(target);
    return target;
  } catch (error) {
    drop(messageId);
    if (before) queries.setQueryData(keys.transcript(session), before);
    reread(session);
    throw asWireError(error);
  }
}

/** Takes the turns from a message on out of sight, before the engine has done so. */
function cutFrom(session: string, message: string): void {
  const key = keys.transcript(session);
  const cut = queries.getQueryData<Transcript>(key);
  const at = cut?.turns.findIndex(({ messages }) => messages.some(({ id }) => id === message)) ?? -1;
  if (!cut || at < 0) return;
  const gone = new Set(cut.turns.slice(at).map(({ turn }) => turn));
  void queries.cancelQueries({ queryKey: key });
  queries.setQueryData<Transcript>(key, { ...cut, turns: cut.turns.slice(0, at) });
  put(({ live }) => ({ live: Object.fromEntries(Object.entries(live).filter(([turn]) => !gone.has(turn))) }));
}
