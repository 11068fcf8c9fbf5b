// What the inspector beside a conversation shows.

import type { MemoryTouch, SkillStep } from "@/shared/conversation/turn";

/** One model call: what it was given. No turn: the next call. */
export interface CallLook {
  kind: "call";
  turn: string | null;
  /** Which model call of the turn, from 1. */
  step: number | null;
  /** Model calls of the turn. */
  steps: number;
}

export type Look =
  | CallLook
  | { kind: "compaction"; turn: string | null; from: number; to: number }
  | { kind: "memories"; memories: readonly MemoryTouch[] }
  | { kind: "skills"; turn: string | null; skills: readonly SkillStep[] };

export const nextCall: CallLook = { kind: "call", turn: null, step: null, steps: 0 };
