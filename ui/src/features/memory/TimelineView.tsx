// What happened to memory, by day: a strip of the year to jump by, filters, and a list of any length.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EntryDay } from "@/bindings/EntryDay";
import { Select } from "@/shared/components/Field";
import { SearchField } from "@/shared/components/SearchField";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { VirtualList, type VirtualListHandle } from "@/shared/components/VirtualList";
import { longDay } from "@/shared/format";
import { useTimeline } from "./data";
import { EventRow } from "./EventRow";
import { HeatStrip } from "./HeatStrip";
import { memoryIcon } from "./kinds";
import { changes, type Filter, joinedDays, rowsOf, sources, type TimelineRow } from "./timeline";

const heightOf = (row: TimelineRow) => (row.kind === "day" ? 44 : 60);
const keyOf = (row: TimelineRow) => (row.kind === "day" ? row.day : row.key);
const focusable = (row: TimelineRow) => row.kind === "event";
const noDays: EntryDay[][] = [];

export function TimelineView({ onOpen }: { onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const timeline = useTimeline();
  const [filter, setFilter] = useState<Filter>({ change: "all", source: "all", text: "" });
  const list = useRef<VirtualListHandle>(null);
  const pages = timeline.data?.pages ?? noDays;
  const days = useMemo(() => joinedDays(pages), [pages]);
  const rows = useMemo(() => rowsOf(days, filter), [days, filter]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = timeline;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useWholeYear(days, more);

  if (timeline.isPending) return <Skeleton lines={8} className="p-6" />;
  if (timeline.error) return <Failure error={timeline.error} onRetry={() => void timeline.refetch()} className="m-6" />;
  if (days.length === 0) return <Empty icon={memoryIcon} title={t("emptyTitle")} body={t("emptyBody")} />;
  const jump = (day: string) => {
    // The days run from new to old: the first that is not newer.
    const at = rows.findIndex((row) => row.kind === "day" && row.day <= day);
    if (at >= 0) list.current?.scrollTo(at);
  };
  return (
    <>
      <div className="flex flex-col gap-3 border-b border-line px-6 py-3">
        <HeatStrip days={days} onJump={jump} />
        <Filters filter={filter} onChange={setFilter} />
      </div>
      {rows.length === 0 && <p className="p-6 text-muted">{t("noneFits")}</p>}
      {rows.length > 0 && (
        <VirtualList
          ref={list}
          rows={rows}
          label={t("views.timeline")}
          heightOf={heightOf}
          keyOf={keyOf}
          focusable={focusable}
          onEnd={more}
        >
          {(row) =>
            row.kind === "day" ? (
              <h2 className="flex h-full items-end gap-2 px-6 pb-1.5 text-sm font-semibold">
                {longDay(row.day)}
                <span className="font-normal text-faint tabular-nums">{row.count}</span>
              </h2>
            ) : (
              <EventRow event={row.event} onOpen={onOpen} />
            )
          }
        </VirtualList>
      )}
    </>
  );
}

/** The strip shows a year, so the year is read, page after page. */
function useWholeYear(days: readonly EntryDay[], more: () => void) {
  const oldest = days.at(-1)?.day;
  useEffect(() => {
    const yearAgo = new Date(Date.now() - 371 * 86_400_000).toISOString().slice(0, 10);
    if (oldest !== undefined && oldest > yearAgo) more();
  }, [oldest, more]);
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const { t } = useTranslation("memory");
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField
        label={t("filterText")}
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
        className="min-w-48 flex-1"
      />
      <Select
        label={t("filterChange")}
        className="!h-8 !w-44"
        value={filter.change}
        choices={[
          { value: "all", label: t("allChanges") },
          ...changes.map((value) => ({ value, label: t(`change.${value}`) })),
        ]}
        onChange={(change) => onChange({ ...filter, change })}
      />
      <Select
        label={t("filterSource")}
        className="!h-8 !w-44"
        value={filter.source}
        choices={[
          { value: "all", label: t("allSources") },
          ...sources.map((value) => ({ value, label: t(`source.${value}`) })),
        ]}
        onChange={(source) => onChange({ ...filter, source })}
      />
    </div>
  );
}
