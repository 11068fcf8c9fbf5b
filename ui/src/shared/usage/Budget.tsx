// What is used of the budget, today and this month, against the limits.

import { Meter } from "@base-ui/react/meter";
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { count, money } from "../format";
import { useSettings } from "../settings";
import { spent } from "./spent";

export const limits = ["daily_usd", "daily_tokens", "monthly_usd", "monthly_tokens"] as const;
export type Limit = (typeof limits)[number];

/** Usage of the last 31 days; every turn adds to it. */
export function useUsage() {
  return useQuery({ queryKey: ["usage", 31], queryFn: () => call("usage_rows", { days: 31 }), staleTime: 0 });
}

/** An amount of this limit's kind, as text. */
export const amount = (limit: Limit, value: number) => (limit.endsWith("usd") ? money(value) : count(value));

/** What is used of a limit so far; none while it is not known. */
export function useUsed(limit: Limit): number | undefined {
  const rows = useUsage().data;
  return rows && spent(rows, limit.startsWith("daily") ? "day" : "month")[limit.endsWith("usd") ? "usd" : "tokens"];
}

export function UsedMeter({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <Meter.Root value={Math.min(used, limit)} max={limit} aria-label={label} className="min-w-0 flex-1">
      <Meter.Track className="h-1.5 overflow-hidden rounded-full bg-active">
        <Meter.Indicator className={clsx("h-full rounded-full", used >= limit ? "bg-bad-fill" : "bg-ember")} />
      </Meter.Track>
    </Meter.Root>
  );
}

/** The four limits in small; those that are off show what is used. */
export function Budget() {
  const { t } = useTranslation("usage");
  return (
    <section aria-label={t("budget")} className="flex flex-col gap-2">
      <p className="text-sm font-medium">{t("budget")}</p>
      {limits.map((limit) => (
        <BudgetLine key={limit} limit={limit} />
      ))}
    </section>
  );
}

function BudgetLine({ limit }: { limit: Limit }) {
  const { t } = useTranslation("usage");
  const most = useSettings().data?.[limit] ?? 0;
  const used = useUsed(limit);
  if (used === undefined) return null;
  const text = most > 0 ? t("of", { used: amount(limit, used), most: amount(limit, most) }) : amount(limit, used);
  return (
    <div className="flex items-center gap-3 text-sm">
      <span className="w-24 shrink-0 text-muted">{t(`limit.${limit}`)}</span>
      {most > 0 ? <UsedMeter used={used} limit={most} label={t(`limit.${limit}`)} /> : <span className="flex-1" />}
      <span className="shrink-0 tabular-nums">{text}</span>
    </div>
  );
}
