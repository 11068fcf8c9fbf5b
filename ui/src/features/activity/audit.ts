// Entries of the audit log for the eye: which tool, what became of it, and what it was given. The arguments stand in the
// entry of the call alone; what follows from it names the call.

import type { Arguments } from "@/bindings/Arguments";
import type { AuditEntry } from "@/bindings/AuditEntry";
import { gist } from "@/shared/conversation/given";

type Body = Record<string, unknown>;

function bodyOf({ body }: AuditEntry): Body {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The arguments of each call, by its id within its turn. */
export function callsOf(entries: readonly AuditEntry[]): Map<string, Arguments> {
  const calls = new Map<string, Arguments>();
  for (const entry of entries) {
    const { call, arguments: given } = bodyOf(entry);
    if (typeof call === "string" && given !== undefined) calls.set(`${entry.turn}/${call}`, given as Arguments);
  }
  return calls;
}

/** What the call of an entry was given, if it is about one that is known. */
export function givenTo(entry: AuditEntry, calls: ReadonlyMap<string, Arguments>): Arguments | null {
  return calls.get(`${entry.turn}/${text(bodyOf(entry).call)}`) ?? null;
}

/** One line: the tool, what was said of it or became of it, and what says most of what it was about. */
export function rowOf(entry: AuditEntry, given: Arguments | null): { tool: string; verdict: string; said: string } {
  const body = bodyOf(entry);
  const outcome = typeof body.ok === "boolean" ? (body.ok ? "ok" : "failed") : "";
  const about = text(body.path) || text(body.url) || text(body.used);
  return {
    tool: text(body.tool),
    verdict: text(body.verdict) || text(body.state) || outcome,
    said: (given === null ? "" : gist(given)) || about || (body.tool ? "" : gist(body as Record<string, never>)),
  };
}
