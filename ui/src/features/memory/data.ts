// What the Memory page asks of the engine, and every change it makes.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import type { EntryDay } from "@/bindings/EntryDay";
import type { EntryTake } from "@/bindings/EntryTake";
import type { MemoryQuery } from "@/bindings/MemoryQuery";
import { call } from "@/bridge";
import { say, sayProblem } from "@/shared/components/Toasts";
import { keys, queries } from "@/shared/queries";

const under = (...parts: unknown[]) => [...keys.memory, ...parts];

/** Everything on the page may have changed. */
const refresh = () => queries.invalidateQueries({ queryKey: keys.memory });

export const useEntries = () => useQuery({ queryKey: under("entries"), queryFn: () => call("entries_list") });

export const useConflicts = () => useQuery({ queryKey: under("conflicts"), queryFn: () => call("entries_conflicts") });

export const useEntry = (id: string) =>
  useQuery({ queryKey: under("entry", id), queryFn: () => call("entries_view", { id }) });

/** The state of the index; looked at again while it is being made. */
export const useStatus = () =>
  useQuery({
    queryKey: under("status"),
    queryFn: () => call("memory_status"),
    refetchInterval: ({ state }) => (state.data?.progress ? 1000 : false),
  });

export const useSearch = (query: MemoryQuery) =>
  useQuery({
    queryKey: under("search", query),
    queryFn: () => call("memory_search", { query }),
    enabled: query.query.trim() !== "",
    gcTime: 0,
  });

/** Days of the timeline, the newest first, page by page. */
export function useTimeline() {
  return useInfiniteQuery({
    queryKey: under("timeline"),
    queryFn: ({ pageParam }) => call("entries_timeline", { until: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: EntryDay[], all) => next(page, all),
  });
}

/** The last day of a page may go on in the next one, which therefore begins with it. */
function next(page: EntryDay[], all: EntryDay[][]): string | null {
  const last = page.at(-1)?.day;
  const before = all.at(-2)?.at(-1)?.day;
  if (last === undefined) return null;
  // A page that brought no earlier day: what follows is before it.
  return last === before ? null : last;
}

async function changed(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    await refresh();
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

export const editEntry = (id: string, title: string, text: string) =>
  changed(call("entries_edit", { request: { id, title, text } }));

export const correctEntry = (id: string, text: string) => changed(call("entries_correct", { id, text }));

export const addEntry = (text: string) => changed(call("entries_add", { request: { text, title: null, kind: null } }));

export const bringBack = (id: string) => changed(call("entries_restore", { id }));

export async function forgetEntry(id: string, erase: boolean): Promise<void> {
  if (!(await changed(call("entries_forget", { id, erase })))) return;
  const undo = { label: i18next.t("undo"), run: () => void bringBack(id) };
  say(i18next.t(erase ? "memory:erased" : "memory:forgotten"), erase ? undefined : undo);
}

export const settle = (conflict: number, take: EntryTake) => changed(call("entries_settle", { conflict, take }));

export const reindex = () => changed(call("memory_reindex"));
