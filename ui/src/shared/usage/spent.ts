// Sums of usage: today, this month, or all that is given.

import type { UsageRow } from "@/bindings/UsageRow";

export interface Spent {
  calls: number;
  tokens: number;
  usd: number;
}

/** The local day, as usage rows name it. */
function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function spent(rows: readonly UsageRow[], span: "day" | "month" | "all", now = new Date()): Spent {
  const today = dayOf(now);
  const begin = { day: today, month: today.slice(0, 7), all: "" }[span];
  const sum: Spent = { calls: 0, tokens: 0, usd: 0 };
  for (const { day, calls, input, output, usd } of rows) {
    if (!day.startsWith(begin)) continue;
    sum.calls += calls;
    sum.tokens += input + output;
    sum.usd += usd;
  }
  return sum;
}
