// The list of files: what each is for, and in which order they stand.

import { useQuery } from "@tanstack/react-query";
import type { FileRow } from "@/bindings/FileRow";
import { call } from "@/bridge";
import { keys } from "@/shared/queries";

const known = ["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "MEMORY", "HEARTBEAT", "BOOTSTRAP"] as const;
export type Purpose = (typeof known)[number] | "log" | "other";

/** Files that there are texts to start from for. What is remembered is no template's to replace. */
export type Templated = Exclude<Purpose, "MEMORY" | "BOOTSTRAP" | "log" | "other">;
const untemplated: readonly Purpose[] = ["MEMORY", "BOOTSTRAP", "log", "other"];
export const hasTemplates = (purpose: Purpose): purpose is Templated => !untemplated.includes(purpose);

/** In the order of this page: who it is, whom it serves, how it works. */
const order = (path: string): number => {
  const at = known.findIndex((name) => `${name}.md` === path);
  return at < 0 ? known.length : at;
};

export function purposeOf(path: string): Purpose {
  const name = known.find((file) => `${file}.md` === path);
  return name ?? (dayOf(path) ? "log" : "other");
}

/** The day of a daily log. */
export const dayOf = (path: string): string | undefined => /^memory\/(\d{4}-\d{2}-\d{2})\.md$/.exec(path)?.[1];

export interface Files {
  persona: FileRow[];
  logs: FileRow[];
  others: FileRow[];
}

/** The first-conversation ritual is never made anew, so it is listed only while it exists. */
export function sorted(rows: readonly FileRow[]): Files {
  const shown = rows.filter(({ path, exists, persona }) => (persona ? exists || path !== "BOOTSTRAP.md" : exists));
  const rest = shown.filter((row) => !row.persona);
  return {
    persona: shown.filter((row) => row.persona).toSorted((a, b) => order(a.path) - order(b.path)),
    logs: rest.filter(({ path }) => dayOf(path)).toSorted((a, b) => b.path.localeCompare(a.path)),
    others: rest.filter(({ path }) => !dayOf(path)).toSorted((a, b) => a.path.localeCompare(b.path)),
  };
}

export function useFiles() {
  return useQuery({ queryKey: keys.files, queryFn: () => call("files_list") });
}

/** Unicode characters, as the budget counts them. */
export function characters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}
