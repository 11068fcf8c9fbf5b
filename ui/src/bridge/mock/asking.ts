// Approvals and questions of the in-memory shell: a turn waits until the person has decided.

import type { ApprovalRow } from "@/bindings/ApprovalRow";
import type { EventBody } from "@/bindings/EventBody";
import type { Submit } from "@/bindings/Submit";
import type { Args, CommandName, Result } from "../commands";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

export function askingHandlers(world: World): Handlers {
  const open = (id: string) => {
    const wait = world.waits.get(id);
    if (!wait) throw wireError("not_found", `no question ${id} waits for an answer`, "Write a message instead.");
    world.waits.delete(id);
    return wait;
  };
  return {
    approvals_list: () => structuredClone(world.approvals),
    approvals_decide: ({ request: { id, decision, scope } }) => {
      const wait = open(id);
      const row = world.approvals.find((approval) => approval.id === id);
      if (!row)
        throw wireError("not_found", `there is no open approval ${id}: it was decided, expired, or its turn ended`);
      Object.assign(row, { state: decision === "allow" ? "allowed" : "denied", scope, decided_at: world.now() });
      world.approvals = world.approvals.filter(({ state, scope: kept }) => state === "asked" || kept === "always");
      wait(decision === "allow" ? scope : "deny");
      return { ...row };
    },
    approvals_revoke: ({ id }) => {
      world.approvals = world.approvals.filter((approval) => approval.id !== id);
      return null;
    },
    audit_tail: ({ count }) => structuredClone(world.audit.slice(-count)),
    audit_verify: () => ({ ok: true, entries: world.audit.length, broken_at: null, current_ok: true }),
    questions_answer: ({ id, text }) => {
      open(id)(text);
      return null;
    },
  };
}

type Wanted = Pick<ApprovalRow, "tool" | "arguments" | "pinned" | "reason">;

/** Asks, waits, and tells the decision. Answers whether the call may run. */
export async function* approval(world: World, { session }: Submit, wanted: Wanted): AsyncGenerator<EventBody, boolean> {
  const id = world.nextId("a");
  const { tool, reason, arguments: given } = wanted;
  const now = world.now();
  world.approvals.push({
    ...wanted,
    id,
    state: "asked",
    scope: null,
    session,
    turn: "t",
    asked_at: now,
    expires_at: now + 1800,
    decided_at: null,
  });
  const word = new Promise<string>((resolve) => world.waits.set(id, resolve));
  yield { event: "approval", id, tool, arguments: given, verdict: "asked", reason };
  const said = await word;
  const verdict = said === "deny" ? "denied" : "allowed";
  const why =
    { deny: "denied", once: "allowed once", session: "allowed for this session" }[said] ??
    "always allowed in this exact form";
  yield { event: "approval", id, tool, arguments: given, verdict, reason: why };
  return verdict === "allowed";
}

/** Asks a question as `ask_user` does, and gives back what the person said. */
export async function* question(world: World, text: string, choices: string[]): AsyncGenerator<EventBody, string> {
  const call = world.nextId("c");
  const id = world.nextId("q");
  const word = new Promise<string>((resolve) => world.waits.set(id, resolve));
  yield { event: "tool_start", call, tool: "ask_user", arguments: { text, choices } };
  yield { event: "question", id, text, choices };
  const result = await word;
  yield { event: "tool_end", call, ok: true, result, ms: 4200 };
  return result;
}
