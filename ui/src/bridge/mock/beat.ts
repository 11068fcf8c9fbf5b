// What the browser's world beats with: items of each form, a log with every decision, jobs, slots and notices.

import type { BeatRow } from "@/bindings/BeatRow";
import type { HeartbeatItem } from "@/bindings/HeartbeatItem";
import type { JobRow } from "@/bindings/JobRow";
import type { NoticeRow } from "@/bindings/NoticeRow";
import type { SlotRow } from "@/bindings/SlotRow";
import type { World } from "./world";

const hour = 3600;
const day = 24 * hour;

export function furnishBeating(world: World, scene: string): void {
  const now = world.now();
  const { beating } = world;
  beating.items = items(now);
  beating.log = log(now);
  beating.jobs = jobs(now);
  beating.slots = slots(now);
  beating.notices = notices(now);
  Object.assign(beating.status, { next_beat: now + 720, shown_today: 2, usd_today: 0.0114 });
  if (scene === "quiet") Object.assign(beating.status, { quiet_now: true, quiet_until: now + 5 * hour });
  if (scene === "paused")
    Object.assign(beating.status, { paused_until: now + hour, battery_saver: true, next_beat: now + hour });
  if (scene === "problems")
    Object.assign(beating.status, {
      enabled: false,
      off_because: "heartbeat.enabled is false",
      next_beat: null,
      notifications_broken: "No notification service answers on the bus. Install one, such as dunst.",
      problems: [
        {
          line: 7,
          message:
            "`trigger: every 2 moons`: `every 2 moons` is no length of time: write a number and s, m, h or d, such as `every 90m`.",
        },
      ],
    });
}

function items(now: number): HeartbeatItem[] {
  const common = { error: null, paused: null };
  const each = (step: number, from = step) => Array.from({ length: 5 }, (_, at) => now + from + at * step);
  return [
    {
      ...common,
      ...{ item: "checklist", name: "Checklist", kind: "checklist", schedule: "every 30m", action: "send_message" },
      text: "- Is there mail from the harbour office?\n- Does a deadline of this week need a word?",
      next: each(1800, 720),
      line: 3,
      last: { at: now - 1080, decision: "silent", why: "No new mail, and no deadline before Friday.", usd: 0.0009 },
      usd_month: 0.4213,
    },
    {
      ...common,
      ...{ item: "morning", name: "A short good morning", kind: "block", schedule: "0 8 * * 1-5" },
      action: "send_message",
      text: "A short good morning with the tides of the day.",
      next: each(day, 3 * hour),
      line: 6,
      last: { at: now - 21 * hour, decision: "notify", why: "The tides of the day were asked for.", usd: 0.0021 },
      usd_month: 0.0462,
    },
    {
      ...common,
      ...{ item: "moons", name: "every 2 moons", kind: "block", schedule: "every 2 moons", action: "send_message" },
      text: "",
      next: [],
      error:
        "`trigger: every 2 moons`: `every 2 moons` is no length of time: write a number and s, m, h or d, such as `every 90m`.",
      line: 7,
      last: null,
      usd_month: 0,
    },
    {
      ...common,
      ...{ item: "invoices", name: "invoices", kind: "task", schedule: "4h", action: "run_turn" },
      text: "Look for unpaid invoices in the mailbox.",
      next: each(4 * hour, 2 * hour),
      paused: "10 failures in a row; the last: it took too many steps",
      line: 14,
      last: { at: now - 5 * hour, decision: "failed", why: "it took too many steps", usd: 0 },
      usd_month: 0.1307,
    },
  ];
}

function log(now: number): BeatRow[] {
  const rows: [BeatRow["decision"], string, string, number, string?, string?][] = [
    ["silent", "Checklist", "No new mail, and no deadline before Friday.", 0.3],
    [
      "notify",
      "Checklist",
      "The mail came after the last look and names a time of this week.",
      0.8,
      "Mail from the harbour office",
      "They moved the meeting to **Thursday at 11:00**.",
    ],
    ["held", "Checklist", "quiet hours 22:00-07:30", 6, "The berth is paid until March", "The receipt came at 02:10."],
    ["skipped", "Checklist", "the computer saves its battery", 9],
    ["failed", "invoices", "it took too many steps", 10],
    [
      "notify",
      "A short good morning",
      "The tides of the day were asked for.",
      21,
      "Good morning, Ada",
      "High water 07:42, 2.9 m. The wind stays south-west.",
    ],
  ];
  return rows.map(([decision, name, why, age, title = "", body = ""], at) => ({
    ...{
      id: 100 - at,
      at: now - age * hour,
      slot: at === 1 ? null : now - age * hour,
      item: name,
      name,
      decision,
      why,
    },
    ...{ kind: name === "invoices" ? "task" : "checklist", title, body, session: title ? "assistant:main" : null },
    ...{ model_calls: decision === "skipped" ? 0 : 1, tokens: decision === "skipped" ? 0 : 1840 },
    usd: decision === "skipped" || decision === "failed" ? 0 : 0.0009,
  }));
}

const utc = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");
const times = (from: number, step: number, count = 5) =>
  Array.from({ length: count }, (_, at) => ({
    at_utc: utc(from + at * step),
    local: utc(from + at * step + hour).replace("Z", "+01:00"),
  }));

function jobs(now: number): JobRow[] {
  const common = { zone: "Europe/Oslo", failures: 0, why: "", session: null, created_at: now - 9 * day };
  const [remind, weekly] = ["Call the harbour office", "每周五整理周报"];
  return [
    {
      ...common,
      ...{ id: "j1", name: remind, source: "chat", schedule: "at 2026-12-01 09:00", action: "remind", text: remind },
      ...{ missed: "run_once", state: "active", next: times(now + 20 * hour, 0, 1), last: null },
    },
    {
      ...common,
      ...{ id: "j2", name: weekly, source: "window", schedule: "0 16 * * 5", action: "run_skill" },
      ...{ text: "weekly-review", missed: "ask", state: "active", next: times(now + 3 * day, 7 * day) },
      last: slot("j2", weekly, now - 4 * day, "ok", ""),
    },
    {
      ...common,
      ...{ id: "j3", name: "Tidy memory", source: "cli", schedule: "0 3 * * *", action: "consolidate_memory" },
      ...{ text: "", missed: "skip", state: "paused", next: [], failures: 10 },
      why: "10 failures in a row; the last: the disk is full: nothing was saved",
      last: slot("j3", "Tidy memory", now - day, "failed", "the disk is full: nothing was saved"),
    },
  ];
}

function slot(
  job: string,
  name: string,
  at: number,
  state: SlotRow["state"],
  why: string,
  more: Partial<SlotRow> = {},
) {
  const ran = state === "ok" || state === "failed";
  return {
    ...{ job, name, slot: at, until: null, count: 1, state, why, asks: false },
    ...{ started_at: ran ? at : null, ended_at: ran ? at + 14 : null },
    ...more,
  };
}

function slots(now: number): SlotRow[] {
  return [
    slot("j2", "每周五整理周报", now - 9 * hour, "missed", "it was due while Hearth was not running", { asks: true }),
    slot("j3", "Tidy memory", now - day, "failed", "the disk is full: nothing was saved"),
    slot("j4", "Tide check", now - 2 * day, "missed", "Hearth was not running or the computer slept", {
      until: now - day,
      count: 12,
    }),
    slot("j4", "Tide check", now - 2.5 * day, "interrupted", "Hearth ended while it ran"),
    slot("j2", "每周五整理周报", now - 4 * day, "ok", ""),
  ];
}

function notices(now: number): NoticeRow[] {
  const common = { session: "assistant:main", message: null, snoozed_until: null, shown_at: now, held: "", item: "" };
  return [
    {
      ...common,
      ...{ id: "n1", title: "Mail from the harbour office", state: "new", at: now - 0.8 * hour },
      body: "They moved the meeting to **Thursday at 11:00**. Shall I answer that this suits you?",
      reason: "The mail came after the last look and names a time of this week.",
    },
    {
      ...common,
      ...{ id: "n2", title: "The berth is paid until March", state: "new", at: now - 6 * hour, shown_at: null },
      body: "The receipt came at 02:10.",
      reason: "You asked to hear of anything about the berth.",
      held: "quiet hours 22:00-07:30",
    },
    {
      ...common,
      ...{ id: "n3", title: "Signe's birthday is on Saturday", state: "snoozed", at: now - 2 * day },
      ...{ body: "She likes books about birds.", reason: "It is a week away.", snoozed_until: now + 9 * hour },
    },
    {
      ...common,
      ...{ id: "n4", title: "Good morning, Ada", state: "done", at: now - 21 * hour, body: "High water 07:42, 2.9 m." },
      reason: "The tides of the day were asked for.",
    },
  ];
}
