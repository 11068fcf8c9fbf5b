// How much it may cost, by day and by month, and what is used of it.

import { Meter } from "@base-ui/react/meter";
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UsageRow } from "@/bindings/UsageRow";
import { call } from "@/bridge";
import { TextInput } from "@/shared/components/Field";
import { Failure, Skeleton } from "@/shared/components/State";
import { count, money } from "@/shared/format";
import { setSetting } from "@/shared/settings";
import { Group, Row } from "./parts";
import type { SectionProps } from "./SettingsPage";
import { spent } from "./spent";

const limits = ["daily_usd", "daily_tokens", "monthly_usd", "monthly_tokens"] as const;

export function BudgetSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const usage = useQuery({
    queryKey: ["usage", 31],
    queryFn: () => call("usage_rows", { days: 31 }),
    // Every turn adds to it.
    staleTime: 0,
  });
  return (
    <>
      <Group title={t("section.budget")} help={t("budgetHelp")}>
        {limits.map((limit) => (
          <Limit key={limit} limit={limit} value={settings[limit]} rows={usage.data} />
        ))}
      </Group>
      <Group title={t("byModel")} help={t("byModelHelp")}>
        {usage.isPending && <Skeleton lines={3} className="py-4" />}
        {usage.error && <Failure error={usage.error} onRetry={() => void usage.refetch()} className="my-4" />}
        {usage.data && <ByModel rows={usage.data} />}
      </Group>
    </>
  );
}

interface LimitProps {
  limit: (typeof limits)[number];
  value: number;
  rows: readonly UsageRow[] | undefined;
}

function Limit({ limit, value, rows }: LimitProps) {
  const { t } = useTranslation("settings");
  const dollars = limit.endsWith("usd");
  const used = rows && spent(rows, limit.startsWith("daily") ? "day" : "month")[dollars ? "usd" : "tokens"];
  const show = dollars ? money : count;
  const help = used === undefined ? undefined : t("used", { used: show(used) });
  return (
    <Row label={t(`limit.${limit}`)} help={help}>
      <div className="flex items-center gap-4">
        {used !== undefined && value > 0 && (
          <Meter.Root
            value={Math.min(used, value)}
            max={value}
            aria-label={t("usedOf", { limit: t(`limit.${limit}`) })}
          >
            <Meter.Track className="h-1.5 w-28 overflow-hidden rounded-full bg-active">
              <Meter.Indicator className={clsx("h-full rounded-full", used >= value ? "bg-bad-fill" : "bg-ember")} />
            </Meter.Track>
          </Meter.Root>
        )}
        <div className="w-36">
          <LimitInput key={value} limit={limit} value={value} whole={!dollars} />
        </div>
      </div>
    </Row>
  );
}

function LimitInput({ limit, value, whole }: { limit: LimitProps["limit"]; value: number; whole: boolean }) {
  const { t } = useTranslation("settings");
  const [text, setText] = useState(value > 0 ? String(value) : "");
  const amount = Number(text.replace(",", "."));
  const wrong = !Number.isFinite(amount) || amount < 0 || (whole && !Number.isInteger(amount));
  const store = () => {
    if (wrong || amount === value) return;
    void setSetting(`budget.${limit}`, amount);
  };
  return (
    <TextInput
      aria-label={t(`limit.${limit}`)}
      aria-invalid={wrong || undefined}
      inputMode="decimal"
      className={clsx("text-right tabular-nums", wrong && "border-bad")}
      value={text}
      placeholder={t("noLimit")}
      onChange={({ target }) => setText(target.value)}
      onBlur={store}
      onKeyDown={({ key, nativeEvent }) => key === "Enter" && !nativeEvent.isComposing && store()}
    />
  );
}

function ByModel({ rows }: { rows: readonly UsageRow[] }) {
  const { t } = useTranslation("settings");
  const models = [...new Set(rows.map(({ model }) => model))];
  if (models.length === 0) return <p className="py-4 text-muted">{t("nothingUsed")}</p>;
  return models.map((model) => {
    const sum = spent(
      rows.filter((row) => row.model === model),
      "all",
    );
    const detail = t("callsAndTokens", { count: sum.calls, tokens: count(sum.tokens) });
    return (
      <Row key={model} label={model} help={detail}>
        <span className="tabular-nums">{money(sum.usd)}</span>
      </Row>
    );
  });
}
