// The year at a glance: a column for each week, a square for each day; a press jumps there.

import clsx from "clsx";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { EntryDay } from "@/bindings/EntryDay";
import { longDay } from "@/shared/format";
import { heatOf } from "./timeline";

const levels = ["bg-active", "bg-ember/30", "bg-ember/50", "bg-ember/75", "bg-ember"] as const;

export function HeatStrip({ days, onJump }: { days: readonly EntryDay[]; onJump: (day: string) => void }) {
  const { t } = useTranslation("memory");
  const strip = useRef<HTMLFieldSetElement>(null);
  const weeks = useMemo(() => heatOf(days, new Date()), [days]);
  useEffect(() => {
    // The newest weeks are at the end. Newer browsers answer with a promise, which is no way to end an effect.
    strip.current?.scrollTo({ left: strip.current.scrollWidth });
  }, []);
  const filled = weeks.flat().filter(({ count }) => count > 0);
  const move = (from: string, step: number) => {
    const at = filled.findIndex(({ day }) => day === from) + step;
    const next = filled[Math.max(0, Math.min(filled.length - 1, at))];
    strip.current?.querySelector<HTMLElement>(`[data-day="${next?.day}"]`)?.focus();
  };
  return (
    <fieldset ref={strip} aria-label={t("heat")} className="flex min-w-0 gap-[3px] overflow-x-auto pb-1">
      {weeks.map((week) => (
        <div key={week[0]?.day} className="flex shrink-0 flex-col gap-[3px]">
          {week.map(({ day, count, level }) =>
            count > 0 ? (
              <button
                key={day}
                type="button"
                data-day={day}
                tabIndex={day === filled.at(-1)?.day ? 0 : -1}
                aria-label={t("heatDay", { day: longDay(day), count })}
                title={t("heatDay", { day: longDay(day), count })}
                onClick={() => onJump(day)}
                onKeyDown={({ key }) => {
                  if (key === "ArrowLeft" || key === "ArrowUp") move(day, -1);
                  if (key === "ArrowRight" || key === "ArrowDown") move(day, 1);
                }}
                className={clsx(
                  "size-[11px] rounded-[3px] outline-offset-1 hover:ring-1 hover:ring-ink",
                  levels[level],
                )}
              />
            ) : (
              <span key={day} aria-hidden className={clsx("size-[11px] rounded-[3px]", levels[0])} />
            ),
          )}
        </div>
      ))}
    </fieldset>
  );
}
