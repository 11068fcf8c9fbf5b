// How much it may cost, by day and by month, and what is used of it.

import clsx from "clsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UsageRow } from "@/bindings/UsageRow";
import { TextInput } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { Failure, Skeleton } from "@/shared/components/State";
import { count, money } from "@/shared/format";
import { setSetting } from "@/shared/settings";
import { amount, type Limit, limits, UsedMeter, useUsage, useUsed } from "@/shared/usage/Budget";
import { spent } from "@/shared/usage/spent";
import type { SectionProps } from "./SettingsPage";

export function BudgetSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const usage = useUsage();
  return (
    <>
      <Group title={t("section.budget")} help={t("budgetHelp")}>
        {limits.map((limit) => (
          <LimitRow key={limit} limit={limit} value={settings[limit]} />
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

function LimitRow({ limit, value }: { limit: Limit; value: number }) {
  const { t } = useTranslation("settings");
  const used = useUsed(limit);
  const help = used === undefined ? undefined : t("used", { used: amount(limit, used) });
  return (
    <Row label={t(`limit.${limit}`)} help={help}>
      <div className="flex items-center gap-4">
        {used !== undefined && value > 0 && (
          <div className="flex w-28">
            <UsedMeter used={used} limit={value} label={t("usedOf", { limit: t(`limit.${limit}`) })} />
          </div>
        )}
        <div className="w-36">
          <LimitInput key={value} limit={limit} value={value} whole={!limit.endsWith("usd")} />
        </div>
      </div>
    </Row>
  );
}

function LimitInput({ limit, value, whole }: { limit: Limit; value: number; whole: boolean }) {
  const { t } = useTranslation("settings");
  const [text, setText] = useState(value > 0 ? String(value) : "");
  const wanted = Number(text.replace(",", "."));
  const wrong = !Number.isFinite(wanted) || wanted < 0 || (whole && !Number.isInteger(wanted));
  const store = () => {
    if (wrong || wanted === value) return;
    void setSetting(`budget.${limit}`, wanted);
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
