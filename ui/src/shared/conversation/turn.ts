// A turn as it is shown, and how each event changes it. Pure: the same events give the same turn, live or from the store.
//
// Invariants: blocks keep their ids and order; an event that came before changes nothing; a hole makes the turn not whole.
// A question and a sub-agent stand in the place of the call that made them: one card, not two.

import type { ApprovalState } from "@/bindings/ApprovalState";
import type { Arguments } from "@/bindings/Arguments";
import type { Attachment } from "@/bindings/Attachment";
import type { ErrorCode } from "@/bindings/ErrorCode";
import type { Event } from "@/bindings/Event";
import type { MemoryEventKind } from "@/bindings/MemoryEventKind";
import type { ProviderState } from "@/bindings/ProviderState";
import type { SkillState } from "@/bindings/SkillState";
import type { StopReason } from "@/bindings/StopReason";
import type { SubagentState } from "@/bindings/SubagentState";
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

/** A call that waits, or waited, for the person's word. */
interface ApprovalBlock {
  kind: "approval";
  id: string;
  tool: string;
  /** What runs, exactly. */
  arguments: Arguments;
  verdict: ApprovalState;
  reason: string;
  /** Names those that were asked together. */
  batch: string | null;
  /** Unix seconds when it was asked. */
  at: number;
}

export interface QuestionBlock {
  kind: "question";
  id: string;
  /** The call that asks; null where its card is not here, as for a sub-agent's. */
  call: string | null;
  text: string;
  choices: readonly string[];
  open: boolean;
  /** Null while it is open, and when nobody answered. */
  answer: string | null;
}

export interface SubagentBlock {
  kind: "subagent";
  id: string;
  call: string | null;
  task: string;
  state: SubagentState;
  result: string | null;
  /** Unix seconds when it was started. */
  at: number;
  ms: number | null;
}

/** A memory that this turn used or changed. */
export interface MemoryTouch {
  kind: MemoryEventKind;
  id: string;
  path: string;
  from: number;
  to: number;
  why: string;
}

/** A step in the life of a skill during this turn. */
export interface SkillStep {
  name: string;
  state: SkillState;
  reason: string;
  score: number;
  tokens: number;
  at: number;
}

export type Block =
  | { kind: "text" | "reasoning"; id: string; text: string }
  | ToolBlock
  | ProviderBlock
  | ApprovalBlock
  | QuestionBlock
  | SubagentBlock
  | { kind: "notice"; id: string; title: string; body: string }
  | { kind: "error"; id: string; code: ErrorCode; message: string; hint: string }
  | { kind: "compacted"; id: string; from: number; to: number; strategy: string; at: number }
  | { kind: "recovered"; id: string; from: string }
  | { kind: "steered"; id: string; text: string };

export interface UserMessage {
  /** Null until the engine has stored it. */
  id: string | null;
  text: string;
  attachments: readonly Pick<Attachment, "name">[];
  at: number;
}

/** The first message of a piece that no turn made, and when it came. */
interface Loose {
  id: string;
  at: number;
}

export interface Turn {
  /** Null where no turn made it: what Hearth says by itself, and what was imported. */
  id: string | null;
  /** What it is then; null for turns. */
  loose: Loose | null;
  session: string;
  user: UserMessage | null;
  blocks: readonly Block[];
  /** Model calls of the turn itself. */
  usage: readonly Usage[];
  memories: readonly MemoryTouch[];
  skills: readonly SkillStep[];
  /** Workspace files that it changed, as far as they are stored. */
  files: readonly string[];
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
    loose: null,
    session,
    user: null,
    blocks: [],
    usage: [],
    memories: [],
    skills: [],
    files: [],
    steps: 0,
    running: true,
    stop: null,
    seq: 0,
    whole: true,
    next: 0,
  };
}

/** Its name among the turns of its conversation. */
export const keyOf = ({ id, loose }: Turn): string => id ?? loose?.id ?? "";

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
      return ended(turn, event.call, { ok: event.ok, result: event.result, ms: event.ms });
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
      return add(turn, {
        kind: "compacted",
        from: event.from_tokens,
        to: event.to_tokens,
        strategy: event.strategy,
        at: event.at,
      });
    case "recovered":
      return add(turn, { kind: "recovered", from: event.from });
    case "steered":
      return add(turn, { kind: "steered", text: event.text });
    case "done":
      return { ...finish(turn, event.stop), steps: event.steps };
    case "approval":
      return approval(settle(turn), event);
    case "question":
      return question(settle(turn), event);
    case "subagent":
      return subagent(settle(turn), event);
    case "memory": {
      const { kind, id, path, from, to, why } = event;
      return { ...turn, memories: [...turn.memories, { kind, id, path, from, to, why }] };
    }
    case "skill": {
      const { name, state, reason, score, tokens, at } = event;
      return { ...turn, skills: [...turn.skills, { name, state, reason, score, tokens, at }] };
    }
  }
}

type Of<K extends Event["event"]> = Extract<Event, { event: K }>;

function approval(turn: Turn, { id, tool, arguments: given, verdict, reason, batch, at }: Of<"approval">): Turn {
  const known = turn.blocks.some((block) => block.kind === "approval" && block.id === id);
  if (!known)
    return add(turn, { kind: "approval", id, tool, arguments: given, verdict, reason, batch: batch ?? null, at });
  return each(turn, (block) => (block.kind === "approval" && block.id === id ? { ...block, verdict, reason } : block));
}

/** The first running call of a tool that has no card of its own yet. */
const callOf = ({ blocks }: Turn, name: string) =>
  blocks.find((block): block is ToolBlock => block.kind === "tool" && block.tool === name && !block.ended);

function question(turn: Turn, { id, text, choices }: Of<"question">): Turn {
  const call = callOf(turn, "ask_user");
  const asked: QuestionBlock = {
    kind: "question",
    id,
    call: call?.id ?? null,
    text,
    choices,
    open: true,
    answer: null,
  };
  return call ? each(turn, (block) => (block === call ? asked : block)) : add(turn, asked);
}

function subagent(turn: Turn, { id, state, result, at }: Of<"subagent">): Turn {
  if (state !== "started")
    return each(turn, (block) =>
      block.kind === "subagent" && block.id === id ? { ...block, state, result: result ?? block.result } : block,
    );
  const call = callOf(turn, "spawn_agent");
  const task = call && typeof call.arguments === "object" ? String(call.arguments.task ?? "") : "";
  const child: SubagentBlock = { kind: "subagent", id, call: call?.id ?? null, task, state, result, at, ms: null };
  return call ? each(turn, (block) => (block === call ? child : block)) : add(turn, child);
}

/** The end of a call, in whatever card it has. */
function ended(turn: Turn, call: string, end: { ok: boolean; result: string; ms: number | null }): Turn {
  return each(turn, (block) => {
    if (block.kind === "tool" && block.id === call) return { ...block, ended: end };
    if (block.kind === "question" && block.call === call)
      return { ...block, open: false, answer: end.ok ? end.result : null };
    if (block.kind === "subagent" && block.call === call)
      return { ...block, state: end.ok ? "finished" : "failed", result: end.result, ms: end.ms };
    return block;
  });
}

function each(turn: Turn, mend: (block: Block) => Block): Turn {
  return { ...turn, blocks: turn.blocks.map(mend) };
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
  return each(turn, (block) => (block.kind === "tool" && block.id === call ? mend(block) : block));
}

/** Waiting is over once anything else happens; a switch of models stays to be read. */
function settle(turn: Turn): Turn {
  const passing = (block: Block) => block.kind === "provider" && block.state !== "switched";
  return turn.blocks.some(passing) ? { ...turn, blocks: turn.blocks.filter((block) => !passing(block)) } : turn;
}

function finish(turn: Turn, stop: StopReason): Turn {
  const settled = settle(turn);
  const blocks = settled.blocks.map((block): Block => {
    if (block.kind === "tool" && !block.ended)
      return { ...block, ended: { ok: false, result: block.output, ms: null } };
    if (block.kind === "question") return { ...block, open: false };
    if (block.kind === "approval" && block.verdict === "asked") return { ...block, verdict: "expired" };
    return block.kind === "subagent" && block.state === "started" ? { ...block, state: "failed" } : block;
  });
  return { ...settled, blocks, running: false, stop };
}

/** The visible reply, for copying. */
export function replyOf({ blocks }: Turn): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text.trim()] : [])).join("\n\n");
}
