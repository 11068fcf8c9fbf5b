// The timeline as rows: days with what happened on them, narrowed by kind, source and text. Pure.

import type { Author } from "@/bindings/Author";
import type { EntryChange } from "@/bindings/EntryChange";
import type { EntryDay } from "@/bindings/EntryDay";
import type { EntryEvent } from "@/bindings/EntryEvent";

export type TimelineRow =
  | { kind: "day"; day: string; count: number }
  | { kind: "event"; key: string; event: EntryEvent };

export interface Filter {
  change: EntryChange | "all";
  source: Source | "all";
  text: string;
}

export const changes = [
  "created",
  "strengthened",
  "superseded",
  "edited",
  "forgotten",
  "restored",
  "expired",
  "consolidated",
  "recalled",
] as const satisfies readonly EntryChange[];

/** Who did it, as a person would say it. */
export const sources = ["you", "assistant", "outside"] as const;
export type Source = (typeof sources)[number];

export function sourceOf(author: Author): Source {
  if (author === "user") return "you";
  return author === "outside" || author === "import" ? "outside" : "assistant";
}

/** Pages as days: a day that two pages share is one. */
export function joinedDays(pages: readonly EntryDay[][]): EntryDay[] {
  const days = new Map<string, Map<string, EntryEvent>>();
  for (const { day, events } of pages.flat()) {
    const known = days.get(day) ?? new Map<string, EntryEvent>();
    for (const event of events) known.set(keyOf(event), event);
    days.set(day, known);
  }
  return [...days].map(([day, events]) => ({ day, events: [...events.values()] }));
}

export const keyOf = ({ entry, change, at, other }: EntryEvent) => `${entry} ${change} ${at} ${other ?? ""}`;

export function rowsOf(days: readonly EntryDay[], { change, source, text }: Filter): TimelineRow[] {
  const wanted = text.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (event: EntryEvent) => {
    if (change !== "all" && event.change !== change) return false;
    if (source !== "all" && sourceOf(event.author) !== source) return false;
    const said = `${event.title} ${event.text} ${event.why}`.toLocaleLowerCase();
    return wanted.every((word) => said.includes(word));
  };
  return days.flatMap(({ day, events }) => {
    const kept = events.filter(fits);
    if (kept.length === 0) return [];
    const rows = kept.map((event): TimelineRow => ({ kind: "event", key: keyOf(event), event }));
    return [{ kind: "day", day, count: kept.length } as TimelineRow, ...rows];
  });
}

export interface HeatDay {
  day: string;
  count: number;
  /** 0 nothing, 4 most. */
  level: 0 | 1 | 2 | 3 | 4;
}

/** The weeks up to a day, each from Monday to Sunday: the year at a glance. */
export function heatOf(days: readonly EntryDay[], today: Date, weeks = 53): HeatDay[][] {
  const counts = new Map(days.map(({ day, events }) => [day, events.length]));
  const most = Math.max(1, ...counts.values());
  const monday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - ((today.getDay() + 6) % 7));
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => {
      const date = new Date(
        monday.getFullYear(),
        monday.getMonth(),
        monday.getDate() - 7 * (weeks - 1 - week) + weekday,
      );
      return { date, day: dayName(date) };
    })
      .filter(({ date }) => date <= today)
      .map(({ day }) => ({ day, count: counts.get(day) ?? 0, level: levelOf(counts.get(day) ?? 0, most) })),
  );
}

function levelOf(count: number, most: number): HeatDay["level"] {
  if (count === 0) return 0;
  return Math.min(4, Math.ceil((4 * Math.log1p(count)) / Math.log1p(most))) as HeatDay["level"];
}

/** A local date as days are named: `2026-11-30`. */
function dayName(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
