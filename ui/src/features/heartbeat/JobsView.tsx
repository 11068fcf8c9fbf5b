// Jobs: what waits for a word after it was missed, all jobs with their next times, and what became of each slot.

import { CalendarClock, HeartPulse, MoreHorizontal, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobRow } from "@/bindings/JobRow";
import { Button, IconButton } from "@/shared/components/Button";
import { Menu, MenuItem } from "@/shared/components/Menu";
import { useRemoval } from "@/shared/components/Removal";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { distance, wallClock } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Slot } from "./Decision";
import { removeJob, useJobs } from "./data";
import { JobDialog } from "./JobDialog";
import { RunDialog, type Running, useRun } from "./RunDialog";
import { Missed, Slots } from "./Slots";

export function JobsView() {
  const { t } = useTranslation("heartbeat");
  const jobs = useJobs();
  const [adding, setAdding] = useState(false);
  const running = useRun();
  if (jobs.isPending) return <Skeleton lines={8} />;
  if (jobs.error) return <Failure error={jobs.error} onRetry={() => void jobs.refetch()} />;
  // What comes from HEARTBEAT.md stands among the items.
  const rows = jobs.data.filter(({ source }) => source !== "file");
  const add = (
    <Button
      kind={rows.length === 0 ? "primary" : "plain"}
      size={rows.length === 0 ? "md" : "sm"}
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => setAdding(true)}
    >
      {t("addJob")}
    </Button>
  );
  return (
    <>
      <Missed running={running} />
      {rows.length === 0 && (
        <Empty
          icon={<CalendarClock className="size-8" strokeWidth={1.5} />}
          title={t("noJobs")}
          body={t("noJobsBody")}
          action={add}
        />
      )}
      {rows.length > 0 && (
        <section aria-label={t("jobs")} className="flex flex-col gap-2">
          <div className="flex min-h-8 items-end justify-between gap-4">
            <div>
              <h2 className="font-semibold">{t("jobs")}</h2>
              <p className="text-sm text-muted">{t("jobsHelp")}</p>
            </div>
            {add}
          </div>
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-raised px-4">
            {rows.map((job) => (
              <Job key={job.id} job={job} running={running} />
            ))}
          </ul>
        </section>
      )}
      <Slots />
      <RunDialog running={running} />
      {adding && <JobDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function Job({ job, running }: { job: JobRow; running: Running }) {
  const { t } = useTranslation("heartbeat");
  const told = useSaid();
  const { name, schedule, zone, action, text, state, why, next, last, source } = job;
  const [soonest, ...later] = next;
  return (
    <li className="flex items-start gap-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate font-medium">{name}</span>
          {state !== "active" && <span className="shrink-0 text-xs text-warn">{t(`jobState.${state}`)}</span>}
        </p>
        <p className="selectable truncate text-sm text-muted">
          {t(`action.${action}`)} · <span className="font-mono text-[12.5px]">{schedule}</span> · {zone} ·{" "}
          {t(`by.${source as "chat"}`)}
        </p>
        {text !== name && <p className="selectable line-clamp-2 text-sm text-muted break-words">{text}</p>}
        {state === "paused" && (
          <p className="selectable text-sm text-warn break-words">
            {t("wakes", { why: told(why).replace(/[.。]$/, "") })}
          </p>
        )}
      </div>
      <div className="w-44 shrink-0 text-sm max-[1000px]:w-36">
        {soonest && state === "active" ? (
          <>
            <p className="tabular-nums">{wallClock(soonest.local)}</p>
            <p className="text-faint" title={later.map(({ local }) => wallClock(local)).join("\n")}>
              {distance(Date.parse(soonest.at_utc) / 1000)}
            </p>
          </>
        ) : (
          <p className="text-faint">{t("never")}</p>
        )}
      </div>
      <div className="w-28 shrink-0 text-sm">
        {last ? (
          <>
            <Slot state={last.state} className="text-sm" />
            <p className="text-faint">{distance(last.ended_at ?? last.slot)}</p>
          </>
        ) : (
          <p className="text-faint">{t("notYet")}</p>
        )}
      </div>
      <JobMenu job={job} running={running} />
    </li>
  );
}

function JobMenu({ job: { id, name }, running }: { job: JobRow; running: Running }) {
  const { t } = useTranslation("heartbeat");
  const icon = "size-4";
  const removal = useRemoval({
    title: t("removeTitle", { name }),
    body: t("removeBody"),
    action: t("remove"),
    onRemove: () => removeJob(id),
  });
  return (
    <>
      <Menu trigger={<IconButton label={t("menu", { name })} icon={<MoreHorizontal className={icon} />} />}>
        <MenuItem
          icon={<HeartPulse aria-hidden className={icon} />}
          onSelect={() => void running.start({ job: id }, false)}
        >
          {t("runNow")}
        </MenuItem>
        {removal.entry}
      </Menu>
      {removal.question}
    </>
  );
}
