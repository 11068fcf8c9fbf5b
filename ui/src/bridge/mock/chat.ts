// Sessions and turns of the in-memory shell. Turns run as the engine's do: events first, then messages in the transcript.

import type { Event } from "@/bindings/Event";
import type { EventBody } from "@/bindings/EventBody";
import type { Message } from "@/bindings/Message";
import type { Part } from "@/bindings/Part";
import type { Role } from "@/bindings/Role";
import type { StopReason } from "@/bindings/StopReason";
import type { Submit } from "@/bindings/Submit";
import type { TurnView } from "@/bindings/TurnView";
import type { Args, CommandName, Result } from "../commands";
import { eventOf, type StoredSession, type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

export function chatHandlers(world: World): Handlers {
  const seen = new Set<string>();
  return {
    chat_submit: ({ request }) => {
      if (seen.has(request.message_id)) return { outcome: "duplicate" };
      seen.add(request.message_id);
      const command = answerTo(request.text);
      if (command !== null) return { outcome: "command", text: command };
      return { outcome: "turn", turn: startTurn(world, request) };
    },
    chat_stop: ({ session }) => {
      const stop = world.stops.get(session);
      stop?.();
      return stop !== undefined;
    },
    chat_rewind: ({ request }) => {
      const stored = sessionOf(world, request.session);
      const at = stored.turns.findIndex(({ messages }) => messages.some(({ id }) => id === request.message));
      const old = stored.turns[at]?.messages.find(({ id }) => id === request.message);
      if (!old) throw wireError("not_found", "only a user's message of the present conversation can be taken up again");
      const kept = stored.turns.slice(0, at);
      const target = request.branch ? newSession(world, `${stored.info.title} (2)`) : stored;
      target.turns = structuredClone(kept);
      const text = request.text ?? textOf(old);
      const turn = startTurn(world, { ...blankSubmit, session: target.info.key, text, message_id: request.message_id });
      return { session: target.info.key, turn };
    },
    chat_commands: () => [
      { name: "stop", aliases: ["停止"], argument: "" },
      { name: "compact", aliases: ["压缩"], argument: "[FOCUS]" },
      { name: "new", aliases: ["新建"], argument: "" },
      { name: "status", aliases: ["状态"], argument: "" },
      { name: "context", aliases: ["上下文"], argument: "" },
      { name: "model", aliases: ["模型"], argument: "[PROVIDER/MODEL]" },
      { name: "skill", aliases: ["技能"], argument: "NAME" },
      { name: "usage", aliases: ["用量"], argument: "" },
      { name: "help", aliases: ["帮助"], argument: "" },
    ],
    sessions_list: () => [...world.sessions.values()].map(({ info }) => ({ ...info })),
    sessions_open: ({ session }) => {
      const { info, turns } = ensure(world, session);
      return structuredClone({ session: info, turns });
    },
    sessions_compactions: ({ session }) => {
      const { turns } = sessionOf(world, session);
      return turns.flatMap(({ turn, events }, at) =>
        events.flatMap((event) => {
          if (event.event !== "compacted") return [];
          const { from_tokens, to_tokens, strategy } = event;
          const through = turns[at - 1]?.messages.at(-1)?.id ?? "";
          const summary = "- The person **moors** at the inner quay.\n- High water 07:42, 2.9 m.";
          return [
            {
              id: at,
              turn,
              through,
              strategy,
              by_model: true,
              summary,
              from_tokens,
              to_tokens,
              messages: at,
              at: event.at,
            },
          ];
        }),
      );
    },
    sessions_originals: ({ session, compaction }) =>
      structuredClone(
        sessionOf(world, session)
          .turns.slice(0, compaction)
          .flatMap(({ messages }) => messages),
      ),
    sessions_create: () => {
      const { info } = newSession(world, "");
      world.emit({ type: "sessions" });
      return { ...info };
    },
    sessions_change: ({ session, change }) => {
      const { info } = sessionOf(world, session);
      if (change.title !== null) info.title = change.title;
      if (change.pinned !== null) info.pinned = change.pinned;
      if (change.archived !== null) info.archived = change.archived;
      if (change.model !== null) info.model = change.model || null;
      world.emit({ type: "sessions" });
      return { ...info };
    },
    sessions_delete: ({ session }) => {
      sessionOf(world, session);
      world.sessions.delete(session);
      world.emit({ type: "sessions" });
      return null;
    },
  };
}

const blankSubmit: Omit<Submit, "session" | "text" | "message_id"> = {
  origin: "window",
  attachments: [],
  model: null,
  yes_to: [],
};

function answerTo(text: string): string | null {
  if (/^\/(help|帮助)\b/.test(text)) return "`/stop` `/new` `/status` `/context` `/model` `/usage` `/help`";
  if (/^\/(status|状态)\b/.test(text)) return "Model **local/qwen**, ready. No turn is running.";
  return null;
}

function sessionOf(world: World, key: string): StoredSession {
  const found = world.sessions.get(key);
  if (!found)
    throw wireError("not_found", `there is no session ${key}`, "`hearth sessions list` shows those there are.");
  return found;
}

function ensure(world: World, key: string): StoredSession {
  return world.sessions.get(key) ?? newSession(world, "", key);
}

function newSession(world: World, title: string, key = `assistant:chat-${world.nextId("")}`): StoredSession {
  const info = {
    key,
    title,
    turns: 0,
    updated_at: world.now(),
    pinned: false,
    archived: false,
    running: false,
    model: null,
  };
  const stored: StoredSession = { info, turns: [] };
  world.sessions.set(key, stored);
  return stored;
}

const textOf = (message: Message) => message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

function message(world: World, role: Role, parts: Part[], turn: string): Message {
  return { id: world.nextId("m"), role, parts, at: world.now(), turn };
}

/** Starts a turn and lets it run; answers with its id at once. */
function startTurn(world: World, request: Submit): string {
  const turn = world.nextId("t");
  const stored = ensure(world, request.session);
  const view: TurnView = {
    turn,
    messages: [message(world, "user", [{ type: "text", text: request.text }], turn)],
    events: [],
    running: true,
    files: [],
  };
  stored.turns.push(view);
  Object.assign(stored.info, { running: true, updated_at: world.now(), turns: stored.turns.length });
  if (!stored.info.title) stored.info.title = titleOf(request.text);
  void run(world, request, stored, view);
  return turn;
}

/** As the engine cuts it: between words. */
const titleOf = (text: string) => (text.length > 48 ? `${text.slice(0, 48).replace(/\s\S*$/, "")}…` : text);

async function run(world: World, request: Submit, stored: StoredSession, view: TurnView): Promise<void> {
  let seq = 0;
  let stopped = false;
  world.stops.set(request.session, () => {
    stopped = true;
  });
  const at = () => ({ seq, turn: view.turn ?? "", session: request.session, at: world.now() });
  const tell = (body: EventBody) => {
    seq += 1;
    const event = eventOf(body, at());
    if (body.event !== "text" && body.event !== "reasoning") view.events.push(event);
    remember(world, view, event);
    world.emit({ type: "turn", data: event });
  };
  await Promise.resolve();
  tell({ event: "started" });
  world.emit({ type: "sessions" });
  let stop: StopReason = "finished";
  for await (const body of world.reply(request, world)) {
    if (stopped) break;
    if (body.event === "error") stop = "failed";
    tell(body);
  }
  if (stopped) stop = "cancelled";
  const reply = view.messages
    .filter(({ role }) => role === "assistant")
    .map(textOf)
    .join("\n\n");
  view.running = false;
  stored.info.running = false;
  world.stops.delete(request.session);
  tell({ event: "done", reply, stop, steps: view.events.filter(({ event }) => event === "usage").length || 1 });
  world.emit({ type: "sessions" });
}

/** Keeps the transcript's messages in step with the events. */
function remember(world: World, view: TurnView, event: Event): void {
  const turn = view.turn ?? "";
  const last = view.messages.at(-1);
  const open = last?.role === "assistant" ? last : null;
  const add = (part: Part) => {
    if (open) open.parts.push(part);
    else view.messages.push(message(world, "assistant", [part], turn));
  };
  if (event.event === "text" || event.event === "reasoning") {
    const part = open?.parts.at(-1);
    if (part && part.type === event.event) part.text += event.text;
    else add({ type: event.event, text: event.text });
  } else if (event.event === "tool_start") {
    add({ type: "tool_call", id: event.call, name: event.tool, arguments: event.arguments });
  } else if (event.event === "tool_end") {
    const { call, ok, result: text } = event;
    view.messages.push(message(world, "tool", [{ type: "tool_result", call, ok, text }], turn));
  }
}
