// What the Heartbeat page asks of the engine, and every change it makes.

import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import type { CronAdd } from "@/bindings/CronAdd";
import type { HeartbeatRun } from "@/bindings/HeartbeatRun";
import type { NoticeChange } from "@/bindings/NoticeChange";
import type { NoticeRow } from "@/bindings/NoticeRow";
import { call } from "@/bridge";
import { say, sayProblem } from "@/shared/components/Toasts";
import { keys, queries } from "@/shared/queries";

const under = (...parts: unknown[]) => [...keys.heartbeat, ...parts];
const refresh = () => queries.invalidateQueries({ queryKey: keys.heartbeat });

/** Next times pass: what the page shows of them is asked again each minute. */
const minute = 60_000;

export const useStatus = () =>
  useQuery({ queryKey: under("status"), queryFn: () => call("heartbeat_status"), refetchInterval: minute });
export const useItems = () =>
  useQuery({ queryKey: under("items"), queryFn: () => call("heartbeat_list"), refetchInterval: minute });
export const useLog = (count: number) =>
  useQuery({
    queryKey: under("log", count),
    queryFn: () => call("heartbeat_log", { limit: count }),
    placeholderData: (before) => before,
  });
export const useJobs = () =>
  useQuery({ queryKey: under("jobs"), queryFn: () => call("cron_list"), refetchInterval: minute });
export const useSlots = () => useQuery({ queryKey: under("slots"), queryFn: () => call("cron_history", { id: null }) });
export const useNext = (schedule: string, zone: string | null) =>
  useQuery({
    queryKey: under("next", schedule, zone),
    queryFn: () => call("cron_preview", { schedule, zone }),
    enabled: schedule.trim() !== "",
    gcTime: 0,
  });

async function done(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    await refresh();
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

/** An item of HEARTBEAT.md (none: all of it), or a job. */
export type Work = { item: string | null } | { job: string };

/** Runs it now; an item also only to see what it would do. */
export async function run(work: Work, dryRun: boolean): Promise<HeartbeatRun> {
  const result = await ("job" in work
    ? call("cron_run", { id: work.job })
    : call("heartbeat_run", { item: work.item, dryRun }));
  await refresh();
  return result;
}

export const pause = (until: number | null) => done(() => call("heartbeat_pause", { until }));

export async function addJob(job: CronAdd): Promise<void> {
  const row = await call("cron_add", { request: job });
  await refresh();
  say(i18next.t("heartbeat:added", { name: row.name }));
}

export const removeJob = (id: string) => done(() => call("cron_remove", { id }));
export const leaveSlots = (job: string) => done(() => call("cron_leave", { id: job }));

export async function changeNotice({ id }: NoticeRow, change: NoticeChange): Promise<boolean> {
  try {
    await call("notices_change", { id, change });
    await queries.invalidateQueries({ queryKey: keys.notices });
    await refresh();
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

/** Unix seconds of the next morning at eight. */
export function tomorrow(now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8).getTime() / 1000;
}

/** Unix seconds of this evening at seven; none once that is near or past. */
export function evening(now = new Date()): number | null {
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 19).getTime();
  return at - now.getTime() > 30 * minute ? at / 1000 : null;
}
