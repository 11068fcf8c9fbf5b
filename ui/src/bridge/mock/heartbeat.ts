// The heartbeat, jobs and the inbox of the in-memory shell. Next times are of a plain kind: enough to be looked at.

import type { CronNext } from "@/bindings/CronNext";
import type { HeartbeatRun } from "@/bindings/HeartbeatRun";
import type { JobRow } from "@/bindings/JobRow";
import type { Args, CommandName, Result } from "../commands";
import type { Beating } from "./beating";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

const utc = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");

/** The next times of a schedule of a plain kind, from now on. */
function nextOf(world: World, schedule: string, count: number): CronNext[] {
  const now = world.now();
  const [, amount = "", unit = ""] = /^(?:every|in) (\d+)([smhd])$/.exec(schedule) ?? [];
  const cron = /^(\S+ )?\d+ \d+ \S+ \S+ \S+$/.test(schedule);
  if (!amount && !cron && !schedule.startsWith("at "))
    throw wireError(
      "invalid_request",
      `“${schedule}” is not a schedule.`,
      "Use a cron line, “every 2h” or “at 2026-12-01 09:00”.",
    );
  const step = amount ? Number(amount) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 60) : 86_400;
  const times = schedule.startsWith("every") || cron ? count : 1;
  return Array.from({ length: times }, (_, at) => {
    const seconds = now + step * (at + 1);
    return { at_utc: utc(seconds), local: utc(seconds + 3600).replace("Z", "+01:00") };
  });
}

export function heartbeatHandlers(world: World): Handlers {
  const { beating } = world;
  const changed = () => world.emit({ type: "heartbeat" });
  const job = (id: string) => {
    const row = beating.jobs.find((each) => each.id === id);
    if (!row) throw wireError("not_found", `there is no job ${id}`);
    return row;
  };
  return {
    heartbeat_status: () => ({
      ...structuredClone(beating.status),
      notices_new: beating.notices.filter(({ state }) => state === "new").length,
    }),
    heartbeat_list: () => structuredClone(beating.items),
    heartbeat_log: ({ limit }) => structuredClone(beating.log.slice(0, limit)),
    heartbeat_pause: ({ until }) => {
      beating.status.paused_until = until;
      changed();
      return structuredClone(beating.status);
    },
    heartbeat_run: async ({ item, dryRun }) => {
      await world.pause(900);
      return runOf(beating, item, dryRun);
    },
    cron_list: () => structuredClone(beating.jobs),
    cron_preview: ({ schedule }) => nextOf(world, schedule, 5),
    cron_add: ({ request: { name, schedule, zone, action, text, missed, source } }) => {
      const row: JobRow = {
        ...{ id: world.nextId("j"), name: name ?? text.slice(0, 40), source, schedule, zone: zone ?? "Europe/Oslo" },
        ...{ action, text, missed: missed ?? "run_once", state: "active", why: "", failures: 0 },
        ...{ next: nextOf(world, schedule, 5), last: null, session: null, created_at: world.now() },
      };
      beating.jobs.push(row);
      changed();
      return structuredClone(row);
    },
    cron_remove: ({ id }) => {
      job(id);
      beating.jobs = beating.jobs.filter((row) => row.id !== id);
      return null;
    },
    cron_run: async ({ id }) => {
      const row = job(id);
      await world.pause(600);
      const now = world.now();
      Object.assign(row, { state: "active", why: "", failures: 0 });
      const slot = { job: id, name: row.name, slot: now, until: null, count: 1, state: "ok" as const, why: "by hand" };
      for (const each of beating.slots) if (each.job === id) each.asks = false;
      beating.slots.unshift({ ...slot, asks: false, started_at: now, ended_at: now });
      return runOf(beating, id, false);
    },
    cron_leave: ({ id }) => {
      for (const row of beating.slots) if (row.job === id) row.asks = false;
      return null;
    },
    cron_history: ({ id }) => structuredClone(beating.slots.filter((row) => id === null || row.job === id)),
    notices_list: () => structuredClone(beating.notices),
    notices_change: ({ id, change }) => {
      const row = beating.notices.find((notice) => notice.id === id);
      if (!row) throw wireError("not_found", `there is no notice ${id}`);
      const states = { snooze: "snoozed", done: "done", less: "muted", reopen: "new" } as const;
      row.state = states[change.change];
      row.snoozed_until = change.change === "snooze" ? change.until : null;
      return structuredClone(row);
    },
  };
}

function runOf(beating: Beating, item: string | null, dry: boolean): HeartbeatRun {
  const calls = item === null ? beating.items.filter(({ error }) => !error).length : 1;
  const common = { model_calls: calls, session: null, message: null, notice: null };
  if (calls === 0)
    return {
      ...common,
      decision: "silent",
      title: "",
      body: "",
      why: "HEARTBEAT.md holds nothing to do",
      usd: 0,
    };
  if (dry) {
    return { ...common, decision: "notify", title: "", body: "", why: "what it says would be shown", usd: 0 };
  }
  return {
    ...common,
    decision: "notify",
    title: "Mail from the harbour office",
    body: "They moved the meeting to **Thursday at 11:00**. Shall I answer that this suits you?",
    why: "The mail came after the last look and names a time of this week.",
    usd: 0.0012,
    session: "assistant:main",
  };
}
