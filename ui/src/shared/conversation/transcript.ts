// A stored turn as it is shown: its messages and its other events, put back into the order in which they happened, run
// through the same reducer as live ones.

import type { Event } from "@/bindings/Event";
import type { Message } from "@/bindings/Message";
import type { TurnView } from "@/bindings/TurnView";
import { change, newTurn, type Turn } from "./turn";

const known = new WeakMap<TurnView, Turn>();

/** The shown form of a stored turn; the same object for the same stored turn. */
export function turnOf(view: TurnView, session: string): Turn {
  const before = known.get(view);
  if (before) return before;
  const turn = read(view, session);
  known.set(view, turn);
  return turn;
}

function read(view: TurnView, session: string): Turn {
  const frame = { seq: 0, turn: view.turn ?? "", session };
  const body = view.messages.filter(({ role }) => role === "assistant" || role === "user" || role === "tool");
  const asked = body[0]?.role === "user" ? body[0] : null;
  let turn: Turn = newTurn(view.turn, session);
  const [first] = view.messages;
  const loose = view.turn === null && first ? { id: first.id, at: first.at } : null;
  turn = { ...turn, loose, user: asked && userOf(asked), seq: Math.max(0, ...view.events.map(({ seq }) => seq)) };
  for (const event of inOrder(view, asked ? body.slice(1) : body, frame)) turn = change(turn, event);
  return { ...turn, running: view.running, files: view.files };
}

function userOf(message: Message) {
  const texts = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const files = texts.slice(1).flatMap((text) => fileName(text) ?? []);
  const images = message.parts.flatMap((part) => (part.type === "image" ? [part.media_type] : []));
  const attachments = [...files, ...images].map((name) => ({ name }));
  return { id: message.id, text: texts[0] ?? "", attachments, at: message.at };
}

/** A file given along is a text part of its own: its name, then its text in a fence. */
const fileName = (text: string) => /^\s*(.+):\n`{3,}\n/.exec(text)?.[1];

function textOf({ parts }: Message): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

type Frame = Pick<Event, "seq" | "turn" | "session">;

/** Events with the texts of the messages between them: each reply ends where its usage was counted. */
function* inOrder(view: TurnView, messages: readonly Message[], frame: Frame): Iterable<Event> {
  const events = [...view.events];
  const started = new Set(events.flatMap((event) => (event.event === "tool_start" ? [event.call] : [])));
  const ended = new Set(events.flatMap((event) => (event.event === "tool_end" ? [event.call] : [])));
  const until = function* (stop: (event: Event) => boolean): Iterable<Event> {
    while (events[0] && !stop(events[0])) yield events.shift() as Event;
  };
  for (const message of messages) {
    const at = message.at;
    if (message.role === "user") {
      const text = textOf(message);
      yield* until((event) => event.event === "steered" || ends(event));
      if (events[0]?.event === "steered") yield events.shift() as Event;
      else yield { event: "steered", text, ...frame, at };
      continue;
    }
    if (message.role === "assistant") yield* until(ends);
    for (const part of message.parts) {
      if (part.type === "text" || part.type === "reasoning") yield { event: part.type, text: part.text, ...frame, at };
      else if (part.type === "tool_call" && !started.has(part.id))
        yield { event: "tool_start", call: part.id, tool: part.name, arguments: part.arguments, ...frame, at };
      else if (part.type === "tool_result" && !ended.has(part.call)) {
        yield* until((event) => ends(event) && event.event !== "usage");
        yield { event: "tool_end", call: part.call, ok: part.ok, result: part.text, ms: 0, ...frame, at };
      }
    }
    // The reply's own usage and calls come before anything that follows it.
    if (message.role === "assistant" && events[0]?.event === "usage") yield events.shift() as Event;
  }
  yield* events;
}

/** Events that a reply's text stands before. */
function ends(event: Event): boolean {
  if (event.event === "usage") return event.purpose !== "flush" && event.purpose !== "compaction";
  return event.event === "error" || event.event === "done";
}
