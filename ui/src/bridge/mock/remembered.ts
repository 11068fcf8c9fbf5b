// What the in-memory shell holds as memory, and a memory without anything in it.

import type { EntryConflict } from "@/bindings/EntryConflict";
import type { EntryEvent } from "@/bindings/EntryEvent";
import type { EntryRow } from "@/bindings/EntryRow";
import type { MemoryStatus } from "@/bindings/MemoryStatus";

/** What the shell remembers. */
export interface Remembered {
  entries: EntryRow[];
  /** Oldest first. */
  events: EntryEvent[];
  conflicts: EntryConflict[];
  forgotten: Map<string, EntryRow>;
  status: MemoryStatus;
}

export const emptyMemory = (): Remembered => ({
  entries: [],
  events: [],
  conflicts: [],
  forgotten: new Map(),
  status: {
    files: 0,
    chunks: 0,
    generation: 1,
    model: null,
    dims: 0,
    stale: 0,
    embed_per_s: null,
    progress: null,
    note: "",
  },
});
