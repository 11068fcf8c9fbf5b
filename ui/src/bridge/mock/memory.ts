// Memory of the in-memory shell: entries, what happened to them, search by words, an index that is made anew.

import type { EntryChange } from "@/bindings/EntryChange";
import type { EntryDay } from "@/bindings/EntryDay";
import type { EntryEvent } from "@/bindings/EntryEvent";
import type { EntryRow } from "@/bindings/EntryRow";
import type { MemoryHit } from "@/bindings/MemoryHit";
import type { Args, CommandName, Result } from "../commands";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

/** Events that one page of the timeline holds. */
const page = 500;

/** Notes what happened to an entry. */
export function happened(
  world: World,
  row: EntryRow,
  change: EntryChange,
  why: string,
  more: Partial<EntryEvent> = {},
) {
  const { id, path, title, text } = row;
  const at = more.at ?? world.now();
  const day = new Intl.DateTimeFormat("sv-SE").format(at * 1000);
  const from = { other: null, session: null, turn: null, author: "user" as const };
  world.memory.events.push({ entry: id, change, at, day, path, title, text, why, ...from, ...more });
}

export function entry(world: World, title: string, text: string, more: Partial<EntryRow> = {}): EntryRow {
  const line = 3 + 4 * world.memory.entries.length;
  const at = world.now();
  const place = { path: "MEMORY.md", lines: [line, line + 2] as [number, number] };
  const row = { id: world.nextId("m_"), kind: "fact", title, text, at, status: "active", ...place, ...more };
  world.memory.entries.push(row);
  return row;
}

export function memoryHandlers(world: World): Handlers {
  return { ...entryHandlers(world), ...changeHandlers(world), ...indexHandlers(world) };
}

function find(world: World, id: string): EntryRow {
  const row = world.memory.entries.find((known) => known.id === id);
  if (!row) throw wireError("not_found", `no entry has the id \`${id}\``);
  return row;
}

function entryHandlers(world: World): Handlers {
  return {
    entries_list: () => structuredClone(world.memory.entries),
    entries_view: ({ id }) => {
      const { entries, events, forgotten } = world.memory;
      const history = events.filter(({ entry: of }) => of === id).toSorted((a, b) => a.at - b.at);
      const row = entries.find((known) => known.id === id) ?? null;
      if (!row && history.length === 0) throw wireError("not_found", `no entry has the id \`${id}\``);
      const first = history[0];
      const source = first?.session ? `session ${first.session}, turn ${first.turn}` : "user";
      const seen = history.filter(({ change }) => change === "created" || change === "strengthened").length;
      const until = forgotten.has(id) ? world.now() + 30 * 86_400 : null;
      return structuredClone({ row, source, confidence: 0.9, seen, expiry: null, history, forgotten_until: until });
    },
    entries_timeline: ({ until }) => {
      const newest = world.memory.events
        .filter(({ day }) => until === null || day <= until)
        .toSorted((a, b) => b.at - a.at)
        .slice(0, page);
      const days: EntryDay[] = [];
      for (const event of newest) {
        const last = days.at(-1);
        if (last?.day === event.day) last.events.push(event);
        else days.push({ day: event.day, events: [event] });
      }
      return structuredClone(days);
    },
    entries_conflicts: () => structuredClone(world.memory.conflicts),
  };
}

function changeHandlers(world: World): Handlers {
  const replace = (id: string, text: string, why: string): EntryRow => {
    const old = find(world, id);
    const row = entry(world, old.title, text, { kind: old.kind });
    happened(world, old, "superseded", why, { other: row.id });
    old.status = `superseded by ${row.id}`;
    happened(world, row, "created", why, { other: old.id });
    return { ...row };
  };
  return {
    entries_add: ({ request: { text, title, kind } }) => {
      const row = entry(world, title ?? text.slice(0, 40), text, { kind: kind ?? "fact" });
      happened(world, row, "created", "you wrote it");
      return { ...row };
    },
    entries_edit: ({ request: { id, title, text } }) => {
      const row = find(world, id);
      Object.assign(row, { title: title ?? row.title, text: text ?? row.text });
      happened(world, row, "edited", "you edited it");
      return { ...row };
    },
    entries_correct: ({ id, text }) => replace(id, text, "you corrected it"),
    entries_forget: ({ id, erase }) => {
      const { entries, events, forgotten } = world.memory;
      const row = entries.find((known) => known.id === id) ?? forgotten.get(id);
      if (!row) throw wireError("not_found", `no entry has the id \`${id}\``);
      world.memory.entries = entries.filter((known) => known !== row);
      for (const event of events) if (event.entry === id) Object.assign(event, { title: "", text: "" });
      if (erase) forgotten.delete(id);
      else forgotten.set(id, row);
      happened(world, { ...row, title: "", text: "" }, "forgotten", "you asked for it");
      return { id, files: 1, masked: 2, until: erase ? null : world.now() + 30 * 86_400 };
    },
    entries_restore: ({ id }) => {
      const row = world.memory.forgotten.get(id);
      if (!row) throw wireError("not_found", `nothing forgotten has the id ${id}`);
      world.memory.forgotten.delete(id);
      world.memory.entries.push(row);
      happened(world, row, "restored", "you brought it back");
      return { ...row };
    },
    entries_settle: ({ conflict, take }) => {
      const found = world.memory.conflicts.find((known) => known.conflict === conflict);
      if (!found) throw wireError("not_found", `there is no conflict ${conflict}`, "It may be settled already.");
      world.memory.conflicts = world.memory.conflicts.filter((known) => known !== found);
      if (take === "held") return null;
      if (take === "other") return replace(found.held.id, found.text, "you settled a conflict");
      const row = entry(world, found.held.title, found.text);
      happened(world, row, "created", "you settled a conflict");
      return { ...row };
    },
  };
}

function indexHandlers(world: World): Handlers {
  const hit = (row: EntryRow, words: string[]): MemoryHit => {
    const said = `${row.title} ${row.text}`.toLowerCase();
    const found = words.filter((word) => said.includes(word));
    const keyword = found.length / Math.max(1, words.length);
    const vector = world.memory.status.model ? 0.72 + keyword / 5 : null;
    const why = [`words ${Math.round(keyword * 100)} %`, ...(vector === null ? [] : [`meaning ${vector.toFixed(2)}`])];
    const { id, path, lines, text } = row;
    const place = { id, docs: [], path, from: lines[0], to: lines[1], layer: "L3" as const };
    return { ...place, score: keyword, keyword, vector, chars: text.length, text, why };
  };
  return {
    memory_search: ({ query }) => {
      const words = query.query.toLowerCase().split(/\s+/).filter(Boolean);
      const active = world.memory.entries.filter(({ status }) => status === "active");
      const hits = active.map((row) => hit(row, words)).filter(({ keyword }) => keyword > 0);
      const best = hits.toSorted((a, b) => b.score - a.score).slice(0, query.k ?? 10);
      const mode = world.memory.status.model ? query.mode : "keyword";
      return { query: query.query, took_ms: 3.4, mode, hits: best, nothing_found: best.length === 0 };
    },
    memory_status: () => structuredClone(world.memory.status),
    memory_reindex: () => {
      world.memory.status.generation += 1;
      return structuredClone(world.memory.status);
    },
  };
}
