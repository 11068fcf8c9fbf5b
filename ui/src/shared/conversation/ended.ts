// How the end of a call is said: whether it ran at all, and what a question that was answered still has to tell.

import type { ApprovalState } from "@/bindings/ApprovalState";
import type { ToolBlock } from "./turn";

/** The guard, the person and the end of the turn say so in the first words of the result. */
const NOT_RUN = /^(denied:|\[not run:)/;

/** The word beside a call that did not do what was asked. */
export function wordOf(ended: ToolBlock["ended"]): "toolNotRun" | "toolFailed" | null {
  if (!ended || ended.ok) return null;
  return NOT_RUN.test(ended.result) ? "toolNotRun" : "toolFailed";
}

/** The reason of an answer, where it tells more than the answer itself. */
export function reasonOf(verdict: ApprovalState, reason: string): string {
  const same = verdict === "denied" ? "denied" : "nobody answered in time";
  return verdict !== "allowed" && reason === same ? "" : reason;
}
