// Approvals and questions of the in-memory shell: a turn waits until the person has decided.

import type { ApprovalRow } from "@/bindings/ApprovalRow";
import type { ApprovalScope } from "@/bindings/ApprovalScope";
import type { ApprovalState } from "@/bindings/ApprovalState";
import type { Decision } from "@/bindings/Decision";
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
  const decide = (id: string, decision: Decision, scope: ApprovalScope): ApprovalRow => {
    const wait = open(id);
    const row = world.approvals.find((approval) => approval.id === id);
    if (!row)
      throw wireError("not_found", `there is no open approval ${id}: it was decided, expired, or its turn ended`);
    Object.assign(row, { state: decision === "allow" ? "allowed" : "denied", scope, decided_at: world.now() });
    world.approvals = world.approvals.filter(({ state, scope: kept }) => state === "asked" || kept === "always");
    wait(decision === "allow" ? scope : "deny");
    return { ...row };
  };
  return {
    approvals_list: () => structuredClone(world.approvals),
    approvals_decide: ({ request: { id, decision, scope } }) => decide(id, decision, scope),
    approvals_decide_all: ({ request: { id, decision } }) => {
      const batch = world.approvals.find((row) => row.id === id)?.batch;
      const open = world.approvals.filter((row) => row.state === "asked" && batch && row.batch === batch);
      return open.map((row) => decide(row.id, decision, "once"));
    },
    approvals_revoke: ({ id }) => {
      world.approvals = world.approvals.filter((approval) => approval.id !== id);
      return null;
    },
    audit_tail: ({ count }) => structuredClone(world.audit.slice(-count)),
    audit_verify: () => ({
      ok: true,
      entries: world.audit.length,
      broken_at: null,
      missing_to: null,
      current_ok: true,
    }),
    audit_export: () => world.audit.length,
    questions_answer: ({ id, text }) => {
      open(id)(text);
      return null;
    },
  };
}

type Wanted = Pick<ApprovalRow, "tool" | "arguments" | "pinned" | "reason">;

interface Asked {
  row: ApprovalRow;
  word: Promise<string>;
}

function ask(world: World, { session }: Submit, wanted: Wanted, batch: string | null): Asked {
  const id = world.nextId("a");
  const now = world.now();
  const times = { asked_at: now, expires_at: now + 1800, decided_at: null };
  const row: ApprovalRow = { ...wanted, id, batch, state: "asked", scope: null, session, turn: "t", ...times };
  world.approvals.push(row);
  return { row, word: new Promise<string>((resolve) => world.waits.set(id, resolve)) };
}

function told({ id, tool, arguments: given, batch }: ApprovalRow, verdict: ApprovalState, reason: string): EventBody {
  return { event: "approval", id, tool, arguments: given, verdict, reason, ...(batch && { batch }) };
}

const reasons: Record<string, string> = {
  deny: "denied",
  once: "allowed once",
  session: "allowed for this session",
  always: "always allowed in this exact form",
};

/** Asks about calls together, and tells each decision as it comes. Answers which may run. */
export async function* approvals(
  world: World,
  request: Submit,
  wanted: Wanted[],
): AsyncGenerator<EventBody, boolean[]> {
  const batch = wanted.length > 1 ? world.nextId("b") : null;
  const asked = wanted.map((one) => ask(world, request, one, batch));
  for (const { row } of asked) yield told(row, "asked", row.reason);
  const open = new Set(asked);
  const allowed = new Set<Asked>();
  while (open.size > 0) {
    const next = [...open].map(async (one) => ({ one, said: await one.word }));
    const { one, said } = await Promise.race(next);
    open.delete(one);
    if (said !== "deny") allowed.add(one);
    yield told(one.row, said === "deny" ? "denied" : "allowed", reasons[said] ?? said);
  }
  return asked.map((one) => allowed.has(one));
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
