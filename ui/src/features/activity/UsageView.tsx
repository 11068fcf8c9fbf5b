// Tokens and cost by day, by model or by purpose, against the budget.

import clsx from "clsx";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Purpose } from "@/bindings/Purpose";
import { Segmented } from "@/shared/components/Field";
import { Failure, Skeleton } from "@/shared/components/State";
import { Tip } from "@/shared/components/Tip";
import { count, longDay, money } from "@/shared/format";
import { Budget, useUsage } from "@/shared/usage/Budget";
import { spent } from "@/shared/usage/spent";
import { type By, type Chart, chartOf, type Measure } from "./chart";

const colours = ["bg-[#c2470f]", "bg-[#d98e3c]", "bg-[#4b7ba8]", "bg-[#4f8f7b]", "bg-[#7f6aa8]", "bg-[#8a7a6a]"];
const colour = (at: number) => colours[Math.min(at, colours.length - 1)];
const purposes = [
  "turn",
  "subagent",
  "compaction",
  "flush",
  "consolidation",
  "heartbeat",
  "cron",
] as const satisfies readonly Purpose[];

export function UsageView() {
  const { t } = useTranslation("activity");
  const usage = useUsage();
  const [measure, setMeasure] = useState<Measure>("tokens");
  const [by, setBy] = useState<By>("model");
  const rows = usage.data;
  const chart = useMemo(() => rows && chartOf(rows, measure, by, new Date()), [rows, measure, by]);
  if (usage.error) return <Failure error={usage.error} onRetry={() => void usage.refetch()} />;
  if (!rows || !chart) return <Skeleton lines={8} />;
  const name = (part: string) => {
    const known = purposes.find((purpose) => purpose === part);
    return by === "purpose" && known ? t(`purpose.${known}`) : part;
  };
  return (
    <>
      <div className="rounded-lg border border-line bg-raised p-4">
        <Budget />
      </div>
      <section aria-label={t("lastDays")} className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 className="font-semibold">{t("lastDays")}</h2>
          <div className="flex flex-wrap gap-2">
            <Segmented<By>
              label={t("by")}
              value={by}
              choices={[
                { value: "model", label: t("byModel") },
                { value: "purpose", label: t("byPurpose") },
              ]}
              onChange={setBy}
            />
            <Segmented<Measure>
              label={t("measure")}
              value={measure}
              choices={[
                { value: "tokens", label: t("tokens") },
                { value: "usd", label: t("dollars") },
              ]}
              onChange={setMeasure}
            />
          </div>
        </div>
        {chart.most === 0 ? <p className="text-muted">{t("nothingUsed")}</p> : <Bars chart={chart} measure={measure} />}
        <table className="w-full text-left">
          <thead className="text-sm text-muted">
            <tr>
              <th className="py-1 font-normal">{t(by === "model" ? "byModel" : "byPurpose")}</th>
              <th className="py-1 text-right font-normal">{t("calls")}</th>
              <th className="py-1 text-right font-normal">{t("tokens")}</th>
              <th className="py-1 text-right font-normal">{t("dollars")}</th>
            </tr>
          </thead>
          <tbody>
            {chart.parts.map((part, at) => {
              const sum = spent(
                rows.filter((row) => row[by] === (part as Purpose)),
                "all",
              );
              return (
                <tr key={part} className="border-t border-line tabular-nums">
                  <td className="py-1.5">
                    <span aria-hidden className={clsx("mr-2 inline-block size-2.5 rounded-full", colour(at))} />
                    {name(part)}
                  </td>
                  <td className="py-1.5 text-right">{count(sum.calls)}</td>
                  <td className="py-1.5 text-right">{count(sum.tokens)}</td>
                  <td className="py-1.5 text-right">{money(sum.usd)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Bars({ chart, measure }: { chart: Chart; measure: Measure }) {
  const { t } = useTranslation("activity");
  const show = (amount: number) => (measure === "usd" ? money(amount) : count(amount));
  return (
    <ul aria-label={t("chart")} className="flex h-40 items-end gap-[3px] border-b border-line">
      {chart.bars.map(({ day, total, amounts }) => (
        <li key={day} className="flex h-full min-w-0 flex-1 items-end">
          <Tip label={`${longDay(day)}: ${show(total)}`}>
            <span className="flex h-full w-full flex-col justify-end">
              <span className="sr-only">{`${longDay(day)}: ${show(total)}`}</span>
              <span
                aria-hidden
                className="flex w-full flex-col-reverse overflow-hidden rounded-t-sm"
                style={{ height: `${(100 * total) / chart.most}%` }}
              >
                {chart.parts.map((part, at) => (
                  <span key={part} className={colour(at)} style={{ flexGrow: amounts[at], flexBasis: 0 }} />
                ))}
              </span>
            </span>
          </Tip>
        </li>
      ))}
    </ul>
  );
}
