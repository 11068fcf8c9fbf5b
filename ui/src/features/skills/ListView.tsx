// All skills beside the open one.

import clsx from "clsx";
import { CircleAlert, Sparkles } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SkillRow } from "@/bindings/SkillRow";
import { Segmented } from "@/shared/components/Field";
import { SearchField } from "@/shared/components/SearchField";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { VirtualList } from "@/shared/components/VirtualList";
import { count } from "@/shared/format";
import { pathOf, useParts } from "@/shared/route";
import { fitting, useSkills } from "./data";
import { SkillDetail } from "./SkillDetail";

const which = ["all", "ready", "rest"] as const;
const heightOf = () => 60;
const keyOf = (row: SkillRow) => row.path;
const focusable = () => true;
const none: SkillRow[] = [];

export function ListView() {
  const { t } = useTranslation("skills");
  const skills = useSkills();
  const [, , open] = useParts();
  const [text, setText] = useState("");
  const [shown, setShown] = useState<(typeof which)[number]>("all");
  const all = skills.data ?? none;
  const rows = useMemo(() => fitting(all, text, shown), [all, text, shown]);
  if (skills.isPending) return <Skeleton lines={10} className="p-6" />;
  if (skills.error) return <Failure error={skills.error} onRetry={() => void skills.refetch()} className="m-6" />;
  if (all.length === 0)
    return (
      <Empty icon={<Sparkles className="size-8" strokeWidth={1.5} />} title={t("emptyTitle")} body={t("emptyBody")} />
    );
  const current = all.find(({ name }) => name === open) ?? (open ? undefined : rows[0]);
  return (
    <div className="flex min-h-0 flex-1">
      <section aria-label={t("views.list")} className="flex w-[320px] shrink-0 flex-col border-r border-line">
        <div className="flex flex-col gap-2 border-b border-line px-3 py-3">
          <SearchField label={t("search")} value={text} onChange={setText} />
          <div className="flex items-center justify-between gap-2">
            <Segmented
              label={t("which")}
              value={shown}
              choices={which.map((value) => ({ value, label: t(`shown.${value}`) }))}
              onChange={setShown}
            />
            <span role="status" className="text-sm text-faint tabular-nums">
              {t("count", { count: rows.length, shown: count(rows.length) })}
            </span>
          </div>
        </div>
        {rows.length === 0 && <p className="p-4 text-muted">{t("noneFits")}</p>}
        {rows.length > 0 && (
          <VirtualList rows={rows} label={t("title")} heightOf={heightOf} keyOf={keyOf} focusable={focusable}>
            {(row) => <Row row={row} current={row === current} />}
          </VirtualList>
        )}
      </section>
      <div className="flex min-w-0 flex-1 flex-col">
        {current && <SkillDetail key={current.path} row={current} />}
        {!current && open && <Empty title={t("goneTitle", { name: open })} body={t("goneBody")} />}
      </div>
    </div>
  );
}

function Row({ row, current }: { row: SkillRow; current: boolean }) {
  const { t } = useTranslation("skills");
  const { name, description, eligible, enabled, emoji, tokens } = row;
  const rests = !eligible || !enabled;
  return (
    <a
      href={`#${pathOf("skills", "list", name)}`}
      aria-current={current ? "page" : undefined}
      draggable={false}
      className={clsx(
        "flex h-full items-center gap-3 px-4 outline-offset-[-2px]",
        current ? "bg-active" : "hover:bg-hover",
      )}
    >
      <span aria-hidden className={clsx("w-6 shrink-0 text-center text-lg", rests && "opacity-50 grayscale")}>
        {emoji || <Sparkles className="mx-auto size-4 text-faint" />}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className={clsx("truncate font-medium", rests && "text-muted")}>{name}</span>
          {!enabled && <span className="shrink-0 text-xs text-faint">{t("off")}</span>}
          {enabled && !eligible && (
            <CircleAlert aria-label={t("notReady")} className="size-3.5 shrink-0 self-center text-warn" />
          )}
        </span>
        <span className="block truncate text-sm text-muted">{description}</span>
      </span>
      <span className="shrink-0 text-xs text-faint tabular-nums">{count(tokens)}</span>
    </a>
  );
}
