// Slots of jobs: those that were missed and wait for a word, and what became of the others.

import { Clock } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SlotRow } from "@/bindings/SlotRow";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { Failure, Skeleton } from "@/shared/components/State";
import { moment } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { Slot } from "./Decision";
import { leaveSlots, useSlots, useStatus } from "./data";
import type { Running } from "./RunDialog";

const keyOf = ({ job, slot }: SlotRow) => `${job} ${slot}`;

/** The time of a slot, or the stretch it stands for. */
function useTimes() {
  const { t } = useTranslation("heartbeat");
  const zone = useStatus().data?.zone;
  return ({ slot, until, count }: SlotRow) =>
    until === null || count < 2
      ? moment(slot, zone)
      : t("stretch", { from: moment(slot, zone), to: moment(until, zone), count });
}

export function Missed({ running }: { running: Running }) {
  const { t } = useTranslation("heartbeat");
  const times = useTimes();
  const asking = useSlots().data?.filter(({ asks }) => asks) ?? [];
  if (asking.length === 0) return null;
  return (
    <section aria-label={t("missed")} className="flex flex-col gap-2 rounded-lg bg-warn-soft px-4 py-3">
      <h2 className="flex items-center gap-2 font-semibold">
        <Clock aria-hidden className="size-4 text-warn" />
        {t("missed")}
      </h2>
      <ul className="flex flex-col gap-2">
        {asking.map((row) => (
          <li key={keyOf(row)} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <p className="min-w-0 flex-1 basis-56">
              <span className="font-medium">{row.name}</span>
              <span className="text-muted"> · {times(row)}</span>
            </p>
            <Button
              size="sm"
              aria-label={t("runNamed", { name: row.name })}
              onClick={() => void running.start({ job: row.job }, false)}
            >
              {t("runNow")}
            </Button>
            <Button size="sm" aria-label={t("leaveNamed", { name: row.name })} onClick={() => void leaveSlots(row.job)}>
              {t("leave")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const which = ["all", "wrong"] as const;

export function Slots() {
  const { t } = useTranslation("heartbeat");
  const slots = useSlots();
  const times = useTimes();
  const [shown, setShown] = useState<(typeof which)[number]>("all");
  if (slots.isPending) return <Skeleton lines={4} />;
  if (slots.error) return <Failure error={slots.error} onRetry={() => void slots.refetch()} />;
  if (slots.data.length === 0) return null;
  const wrong = ({ state }: SlotRow) => state === "failed" || state === "interrupted" || state === "missed";
  const rows = shown === "all" ? slots.data : slots.data.filter(wrong);
  return (
    <section aria-label={t("slots")} className="flex flex-col gap-2">
      <div className="flex items-end justify-between gap-4">
        <div>
          <h2 className="font-semibold">{t("slots")}</h2>
          <p className="text-sm text-muted">{t("slotsHelp")}</p>
        </div>
        <Segmented
          label={t("show")}
          value={shown}
          choices={which.map((value) => ({ value, label: t(`slotsShown.${value}`) }))}
          onChange={setShown}
        />
      </div>
      {rows.length === 0 && <p className="text-muted">{t("nothingWrong")}</p>}
      <ol className="flex flex-col divide-y divide-line">
        {rows.map((row) => (
          <li key={keyOf(row)} className="flex flex-wrap items-center gap-x-4 gap-y-0.5 py-2">
            <Slot state={row.state} className="w-28 text-sm" />
            <span className="min-w-0 flex-1 basis-40 truncate">{row.name}</span>
            <span className="shrink-0 text-sm text-faint tabular-nums">{times(row)}</span>
            {row.why && (
              <span className="selectable w-full min-w-0 pl-32 text-sm text-muted break-words">
                <Said text={row.why} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
