// How much of a file's room in the prompt is used, and what it costs.

import { Meter } from "@base-ui/react/meter";
import clsx from "clsx";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { FileRow } from "@/bindings/FileRow";
import { count } from "@/shared/format";
import { useDocuments } from "./documents";
import { characters, type Purpose, purposeOf } from "./files";
import { useRestedText } from "./useRestedText";

const cost = (purpose: Purpose) =>
  purpose === "HEARTBEAT" ? "tokensBeat" : purpose === "log" ? "tokensLog" : "tokensTurn";

export function BudgetMeter({ path, row }: { path: string; row: FileRow | undefined }) {
  const { t, i18n } = useTranslation("persona");
  const text = useRestedText(path);
  const used = useMemo(() => characters(text), [text]);
  const cap = useDocuments((all) => all[path]?.cap ?? 0);
  const over = cap > 0 && used > cap;
  const exact = new Intl.NumberFormat(i18n.language);
  const numbers = t("charactersOf", { used: exact.format(used), cap: exact.format(cap) });
  const carried = row && row.chars > 0 && row.injected_chars === 0;
  return (
    <footer className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-6 py-1.5 text-sm text-muted">
      <Meter.Root
        value={Math.min(used, cap)}
        max={Math.max(cap, 1)}
        aria-label={t("budget")}
        getAriaValueText={() => numbers}
        className="flex items-center gap-3"
      >
        <Meter.Track className="h-1.5 w-28 overflow-hidden rounded-full bg-active">
          <Meter.Indicator className={clsx("h-full rounded-full", over ? "bg-warn" : "bg-ember")} />
        </Meter.Track>
        <span className={clsx("tabular-nums", over && "text-warn")}>{numbers}</span>
      </Meter.Root>
      {row && row.tokens > 0 && (
        <span className="tabular-nums">
          {t(cost(purposeOf(path)), { count: row.tokens, shown: count(row.tokens) })}
        </span>
      )}
      {carried && <span>{t("notCarried")}</span>}
      {over && <span className="text-warn">{t("overCap")}</span>}
    </footer>
  );
}
