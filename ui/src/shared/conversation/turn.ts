// A turn as it is shown, and how each event changes it. Pure: the same events give the same turn, live or from the store.
//
// Invariants: blocks keep their ids and order; an event that came before changes nothing; a hole makes the turn not whole.
// Left out: events of pages that do not exist yet (skills, memory, approvals, questions, sub-agents).

import type { Arguments } from "@/bindings/Arguments";
import type { Attachment } from "@/bindings/Attachment";
import type { ErrorCode } from "@/bindings/ErrorCode";
import type { Event } from "@/bindings/Event";
import type { ProviderState } from "@/bindings/ProviderState";
import type { StopReason } from "@/bindings/StopReason";
import type { Usage } from "@/bindings/Usage";

export interface ToolBlock {
  kind: "tool";
  id: string;
  tool: string;
  arguments: Arguments;
  /** What it printed so far. */
  output: string;
  /** Null while it runs. */
  ended: { ok: boolean; result: string; ms: number | null } | null;
  /** Unix seconds; null where it was not recorded. */
  at: number | null;
}

export interface ProviderBlock {
  kind: "provider";
  id: string;
  state: ProviderState;
  model: string;
  seconds: number;
  why: string;
  at: number;
}

export type Block =
  | { kind: "text" | "reasoning"; id: string; text: string }
  | ToolBlock
  | ProviderBlock
  | { kind: "notice"; id: string; title: string; body: string }
  | { kind: "error"; id: string; code: ErrorCode; message: string; hint: string }
  | { kind: "compacted"; id: string; from: number; to: number }
  | { kind: "recovered"; id: string; from: string }
  | { kind: "steered"; id: string; text: string };

export interface UserMessage {
  /** Null until the engine has stored it. */
  id: string | null;
  text: string;
  attachments: readonly Pick<Attachment, "name">[];
  at: number;
}

export interface Turn {
  /** Null for imported messages. */
  id: string | null;
  session: string;
  user: UserMessage | null;
  blocks: readonly Block[];
  /** Model calls of the turn itself. */
  usage: readonly Usage[];
  /** Model calls, also those that failed before anything was counted. */
  steps: number;
  running: boolean;
  stop: StopReason | null;
  /** The last event that was taken in. */
  seq: number;
  /** Every event since the first was taken in. */
  whole: boolean;
  /** For the ids of new blocks. */
  next: number;
}

export function newTurn(id: string | null, session: string): Turn {
  return {
    id,
    session,
    user: null,
    blocks: [],
    usage: [],
    steps: 0,
    running: true,
    stop: null,
    seq: 0,
    whole: true,
    next: 0,
  };
}

type Draft = Block extends infer B ? (B extends Block ? Omit<B, "id"> & { id?: string } : never) : never;

/** Takes an event in. */
export function applyEvent(turn: Turn, event: Event): Turn {
  if (event.seq <= turn.seq) return turn;
  const whole = turn.whole && event.seq === turn.seq + 1;
  return change({ ...turn, seq: event.seq, whole }, event);
}

/** What an event does to a turn, whatever its number. */
export function change(turn: Turn, event: Event): Turn {
  switch (event.event) {
    case "started":
      return turn;
    case "text":
    case "reasoning":
      return grow(settle(turn), event.event, event.text);
    case "tool_start":
      return add(settle(turn), {
        kind: "tool",
        id: event.call,
        tool: event.tool,
        arguments: event.arguments,
        output: "",
        ended: null,
        at: event.at,
      });
    case "tool_output":
      return tool(turn, event.call, (block) => ({ ...block, output: block.output + event.text }));
    case "tool_end":
      return tool(turn, event.call, (block) => ({
        ...block,
        ended: { ok: event.ok, result: event.result, ms: event.ms },
      }));
    case "usage":
      return event.purpose === "flush" || event.purpose === "compaction"
        ? turn
        : { ...settle(turn), usage: [...turn.usage, usageOf(event)] };
    case "provider": {
      const { state, model, seconds, why, at } = event;
      return add(settle(turn), { kind: "provider", state, model, seconds, why, at });
    }
    case "notice":
      return add(turn, { kind: "notice", title: event.title, body: event.body });
    case "error":
      return add(settle(turn), { kind: "error", code: event.code, message: event.message, hint: event.hint });
    case "compacted":
      return add(turn, { kind: "compacted", from: event.from_tokens, to: event.to_tokens });
    case "recovered":
      return add(turn, { kind: "recovered", from: event.from });
    case "steered":
      return add(turn, { kind: "steered", text: event.text });
    case "done":
      return { ...finish(turn, event.stop), steps: event.steps };
    case "skill":
    case "memory":
    case "approval":
    case "question":
    case "subagent":
      return turn;
  }
}

function usageOf({ model, input, cached, output, usd, purpose }: Usage): Usage {
  return { model, input, cached, output, usd, purpose };
}

function add(turn: Turn, draft: Draft): Turn {
  const block = { ...draft, id: draft.id ?? `${draft.kind}-${turn.next}` } as Block;
  return { ...turn, blocks: [...turn.blocks, block], next: turn.next + 1 };
}

function grow(turn: Turn, kind: "text" | "reasoning", text: string): Turn {
  const last = turn.blocks.at(-1);
  if (last?.kind !== kind) return text ? add(turn, { kind, text }) : turn;
  return { ...turn, blocks: [...turn.blocks.slice(0, -1), { ...last, text: last.text + text }] };
}

function tool(turn: Turn, call: string, mend: (block: ToolBlock) => ToolBlock): Turn {
  return {
    ...turn,
    blocks: turn.blocks.map((block) => (block.kind === "tool" && block.id === call ? mend(block) : block)),
  };
}

/** Waiting is over once anything else happens; a switch of models stays to be read. */
function settle(turn: Turn): Turn {
  const passing = (block: Block) => block.kind === "provider" && block.state !== "switched";
  return turn.blocks.some(passing) ? { ...turn, blocks: turn.blocks.filter((block) => !passing(block)) } : turn;
}

function finish(turn: Turn, stop: StopReason): Turn {
  const settled = settle(turn);
  const blocks = settled.blocks.map((block) =>
    block.kind === "tool" && !block.ended ? { ...block, ended: { ok: false, result: block.output, ms: null } } : block,
  );
  return { ...settled, blocks, running: false, stop };
}

/** The visible reply, for copying. */
export function replyOf({ blocks }: Turn): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text.trim()] : [])).join("\n\n");
}
