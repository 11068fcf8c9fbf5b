// Usage by day, for the chart and its table. Pure.

import type { UsageRow } from "@/bindings/UsageRow";

export type Measure = "usd" | "tokens";
export type By = "model" | "purpose";

export interface Bar {
  day: string;
  total: number;
  /** Amount of each part, in the order of `parts`. */
  amounts: number[];
}

export interface Chart {
  parts: string[];
  bars: Bar[];
  most: number;
}

const amountOf = ({ usd, input, output }: UsageRow, measure: Measure) => (measure === "usd" ? usd : input + output);

/** The days up to today, each with its parts; the part that used most comes first. */
export function chartOf(rows: readonly UsageRow[], measure: Measure, by: By, today: Date, days = 31): Chart {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row[by], (sums.get(row[by]) ?? 0) + amountOf(row, measure));
  const parts = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const bars = Array.from({ length: days }, (_, at) => {
    const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - at));
    const two = (value: number) => String(value).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const mine = rows.filter((row) => row.day === day);
    const amounts = parts.map((part) =>
      mine.reduce((sum, row) => sum + (row[by] === part ? amountOf(row, measure) : 0), 0),
    );
    return { day, amounts, total: amounts.reduce((sum, amount) => sum + amount, 0) };
  });
  return { parts, bars, most: Math.max(0, ...bars.map(({ total }) => total)) };
}
