// The Heartbeat page on the in-memory shell: how it stands, items, a run, jobs with their preview, slots, the log, the inbox.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { afterEach, expect, test, vi } from "vitest";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { evening, tomorrow } from "@/features/heartbeat/data";
import { HeartbeatPage } from "@/features/heartbeat/HeartbeatPage";
import { differ, distance, moment, timesOfDay, wallClock } from "@/shared/format";
import { type Handlers, stage } from "./harness";

afterEach(() => i18next.changeLanguage("en"));

async function opened(view: string, scene = "", handlers: Handlers = {}) {
  window.location.hash = `/heartbeat/${view}`;
  return stage(<HeartbeatPage />, { world: browserWorld(scene), handlers });
}

test("times are told in the zone that holds, as a clock on the wall shows them", async () => {
  const now = Date.parse("2026-11-30T22:30:00Z");
  expect(moment(now / 1000 + 600, "Europe/Oslo", now)).toMatch(/^11:40\sPM$/);
  expect(moment(now / 1000 + 3600, "Europe/Oslo", now)).toMatch(/^Tue, Dec 1, 12:30\sAM$/);
  expect(moment(now / 1000, "Asia/Shanghai", now)).toMatch(/^6:30\sAM$/);
  expect(moment(now / 1000 + 600, "No/Where", now)).toMatch(/^\d\d?:40\s[AP]M$/);
  expect(wallClock("2027-03-28T03:00:00+02:00")).toMatch(/^Sun, Mar 28, 2027, 3:00\sAM$/);
  expect(timesOfDay("22:30-7")).toMatch(/^10:30\sPM – 7:00\sAM$/);
  vi.spyOn(navigator, "languages", "get").mockReturnValue(["nb-NO", "en-GB", "en"]);
  expect(moment(now / 1000 + 3600, "Europe/Oslo", now)).toBe("Tue 1 Dec, 00:30");
  expect(timesOfDay("22:30-07:30")).toBe("22:30 – 07:30");
  vi.restoreAllMocks();
  expect(distance(now / 1000 + 720, now)).toBe("in 12 minutes");
  expect(distance(now / 1000 - 2 * 86_400, now)).toBe("2 days ago");
  await i18next.changeLanguage("zh-CN");
  expect(distance(now / 1000 + 720, now)).toBe("12分钟后");
});

test("tomorrow is eight in the morning; this evening is offered while it lies ahead", () => {
  expect(new Date(tomorrow(new Date(2026, 10, 30, 23)) * 1000)).toEqual(new Date(2026, 11, 1, 8));
  expect(evening(new Date(2026, 10, 30, 12))).toBe(new Date(2026, 10, 30, 19).getTime() / 1000);
  expect(evening(new Date(2026, 10, 30, 18, 45))).toBeNull();
});

test("each item shows its next time, its last result with why, and what it costs", async () => {
  const user = userEvent.setup();
  await opened("items");
  const items = await screen.findByRole("region", { name: "What it looks at" });
  const first = within(items).getByRole("button", { name: /^Checklist/ });
  expect(first).toHaveTextContent("in 12 minutes");
  expect(first).toHaveTextContent("Silent");
  expect(first).toHaveTextContent("$0.4213");
  await user.click(first);
  expect(await within(items).findByText(/No new mail, and no deadline before Friday/)).toBeVisible();
  expect(within(items).getByText(/`every 2 moons` is no length of time/)).toBeVisible();
  expect(within(items).getByRole("link", { name: "Line 7" })).toHaveAttribute("href", "#/persona/HEARTBEAT.md");
  expect(within(items).getByText(/10 failures in a row/)).toBeVisible();
});

test("a dry run says what would happen; running now follows from it", async () => {
  const user = userEvent.setup();
  const { called } = await opened("items");
  await user.click(await screen.findByRole("button", { name: "Actions for A short good morning" }));
  await user.click(await screen.findByRole("menuitem", { name: "Dry run" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByText("what it says would be shown")).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Run now" }));
  expect(await within(dialog).findByText("Mail from the harbour office")).toBeVisible();
  expect(within(dialog).getByText("1 model call · $0.0012")).toBeVisible();
  expect(called("heartbeat_run")).toEqual([
    { item: "morning", dryRun: true },
    { item: "morning", dryRun: false },
  ]);
});

test("it is paused until tomorrow and goes on", async () => {
  const user = userEvent.setup();
  const { called } = await opened("items");
  await user.click(await screen.findByRole("button", { name: "Pause" }));
  await user.click(await screen.findByRole("menuitem", { name: "Until tomorrow" }));
  expect(await screen.findByText(/^Paused until /)).toBeVisible();
  expect(called("heartbeat_pause")).toEqual([{ until: tomorrow() }]);
  await user.click(screen.getAllByRole("button", { name: "Go on" })[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByText(/^Paused until /)).toBeNull());
});

test("why it rests and what keeps it from speaking is said, with the way out", async () => {
  const user = userEvent.setup();
  const { called } = await opened("items", "problems");
  expect(await screen.findByText(/No notification service answers/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Turn on" }));
  expect(called("settings_set")).toEqual([{ request: { key: "heartbeat.enabled", value: true } }]);
});

test("quiet hours and the number of notifications are set", async () => {
  const user = userEvent.setup();
  const { called } = await opened("items");
  const from = await screen.findByLabelText("Quiet from");
  fireEvent.change(from, { target: { value: "23:00" } });
  fireEvent.blur(from);
  await waitFor(() =>
    expect(called("settings_set")).toEqual([{ request: { key: "heartbeat.quiet", value: "23:00-07:30" } }]),
  );
  await user.click(screen.getByRole("switch", { name: "Quiet hours" }));
  await waitFor(() => expect(screen.queryByLabelText("Quiet from")).toBeNull());
  expect(called("settings_set").at(-1)).toEqual({ request: { key: "heartbeat.quiet", value: "" } });
});

test("the time zone is chosen, and whether it rests for the battery", async () => {
  const user = userEvent.setup();
  const { called } = await opened("items");
  await user.click(await screen.findByRole("combobox", { name: "Time zone" }));
  await user.click(await screen.findByRole("option", { name: "Asia/Tokyo" }));
  await waitFor(() =>
    expect(called("settings_set")).toEqual([{ request: { key: "heartbeat.time_zone", value: "Asia/Tokyo" } }]),
  );
  await user.click(screen.getByRole("switch", { name: "Rest while the battery is saved" }));
  await waitFor(() =>
    expect(called("settings_set").at(-1)).toEqual({ request: { key: "heartbeat.pause_on_battery", value: true } }),
  );
  expect(await screen.findByRole("switch", { name: "Rest while the battery is saved" })).toBeChecked();
});

test("quiet hours as people write them are shown whole", async () => {
  const world = browserWorld();
  world.beating.status.quiet = "22 – 7:30";
  window.location.hash = "/heartbeat/items";
  await stage(<HeartbeatPage />, { world });
  expect(await screen.findByLabelText("Quiet from")).toHaveValue("22:00");
  expect(screen.getByLabelText("Quiet to")).toHaveValue("07:30");
});

test("a job is added with its next five times before one's eyes", async () => {
  const user = userEvent.setup();
  const { called } = await opened("jobs", "empty");
  await user.click(await screen.findByRole("button", { name: "Add a job" }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.change(within(dialog).getByLabelText("Text"), { target: { value: "Water the basil" } });
  fireEvent.change(within(dialog).getByLabelText("When"), { target: { value: "every 2 moons" } });
  expect(await within(dialog).findByText(/is not a schedule/)).toBeVisible();
  fireEvent.change(within(dialog).getByLabelText("When"), { target: { value: "every 2h" } });
  expect(await within(dialog).findByText("in 2 hours")).toBeVisible();
  expect(within(within(dialog).getByRole("status")).getAllByRole("listitem")).toHaveLength(5);
  await user.click(within(dialog).getByRole("button", { name: "Add" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const job = { name: null, schedule: "every 2h", zone: null, action: "remind", text: "Water the basil" };
  expect(called("cron_add")).toEqual([{ request: { ...job, missed: null, source: "window" } }]);
  expect(await screen.findByText("Water the basil")).toBeVisible();
});

test("what the engine refuses of a job is said in its dialog", async () => {
  const user = userEvent.setup();
  await opened("jobs", "", {
    cron_add: () => {
      throw wireError("invalid_request", "That time is past; it is 12:00 now.", "Name a later one.");
    },
  });
  await user.click(await screen.findByRole("button", { name: "Add a job" }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.change(within(dialog).getByLabelText("Text"), { target: { value: "x" } });
  fireEvent.change(within(dialog).getByLabelText("When"), { target: { value: "in 5m" } });
  await user.click(within(dialog).getByRole("button", { name: "Add" }));
  expect(await within(dialog).findByText(/That time is past; it is 12:00 now. Name a later one./)).toBeVisible();
});

test("a missed slot is left or run; a job that rests is woken by a run; a job is removed", async () => {
  const user = userEvent.setup();
  const { called } = await opened("jobs");
  const missed = await screen.findByRole("region", { name: "Missed while Hearth was not running" });
  await user.click(within(missed).getByRole("button", { name: "Leave it: 每周五整理周报" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: /^Missed while/ })).toBeNull());
  expect(called("cron_leave")).toEqual([{ id: "j2" }]);
  expect(screen.getByText(/nothing was saved\. Run it now to wake it\./)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Actions for Tidy memory" }));
  await user.click(await screen.findByRole("menuitem", { name: "Run now" }));
  expect(await within(await screen.findByRole("dialog")).findByText("Spoke")).toBeVisible();
  expect(called("cron_run")).toEqual([{ id: "j3" }]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByText(/Run it now to wake it/)).toBeNull());
  await user.click(screen.getByRole("button", { name: "Actions for Call the harbour office" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.queryByText("Call the harbour office")).toBeNull());
});

test("slots that were missed, interrupted or failed stand with why, a stretch as one", async () => {
  const user = userEvent.setup();
  await opened("jobs");
  const slots = await screen.findByRole("region", { name: "What became of each time" });
  await user.click(within(slots).getByRole("button", { name: "Missed, interrupted, failed" }));
  expect(within(slots).getAllByRole("listitem")).toHaveLength(4);
  expect(within(slots).getByText(/, 12 times$/)).toBeVisible();
  expect(within(slots).getByText("Hearth ended while it ran")).toBeVisible();
});

test("the log says why it spoke or stayed silent", async () => {
  const user = userEvent.setup();
  await opened("log");
  const list = await screen.findByRole("list");
  expect(within(list).getAllByRole("listitem")).toHaveLength(6);
  await user.click(screen.getByRole("button", { name: "Held back" }));
  const [held] = within(list).getAllByRole("listitem");
  expect(held).toHaveTextContent("quiet hours 22:00-07:30");
  await user.click(within(held as HTMLElement).getByRole("button"));
  expect(await screen.findByText("The receipt came at 02:10.")).toBeVisible();
});

test("a notice is put off, done, or asked to come less, each with the way back", async () => {
  const user = userEvent.setup();
  const { called } = await opened("inbox");
  const mail = await screen.findByRole("article", { name: "Mail from the harbour office" });
  expect(within(mail).getByText(/^Why: The mail came after the last look/)).toBeVisible();
  expect(screen.getByText("Not shown as a notification: quiet hours 22:00-07:30")).toBeVisible();
  await user.click(within(mail).getByRole("button", { name: "Less like this" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() =>
    expect(called("notices_change")).toEqual([
      { id: "n1", change: { change: "less" } },
      { id: "n1", change: { change: "reopen" } },
    ]),
  );
  await user.click(
    within(await screen.findByRole("article", { name: "Mail from the harbour office" })).getByRole("button", {
      name: "Later",
    }),
  );
  await user.click(await screen.findByRole("menuitem", { name: "In an hour" }));
  const later = await screen.findByRole("region", { name: "Later" });
  expect(await within(later).findByText("Mail from the harbour office")).toBeVisible();
});

test("a signal brings what is new; an empty inbox says what it is for", async () => {
  const { world } = await opened("inbox", "empty");
  expect(await screen.findByText("The inbox is empty")).toBeVisible();
  const [notice] = browserWorld().beating.notices;
  if (notice) world.beating.notices.push(notice);
  await act(async () => world.emit({ type: "notices" }));
  expect(await screen.findByText("Mail from the harbour office")).toBeVisible();
  expect(screen.getByRole("button", { name: "Inbox (1)" })).toBeVisible();
});

test("nothing to look at says how to begin; a failure offers to try again", async () => {
  const user = userEvent.setup();
  let fails = true;
  await opened("items", "empty", {
    heartbeat_list: () => {
      if (fails) throw wireError("storage", "HEARTBEAT.md cannot be read.");
      return [];
    },
  });
  expect(await screen.findByText("HEARTBEAT.md cannot be read.")).toBeVisible();
  fails = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Nothing to look at")).toBeVisible();
  expect(screen.getByRole("button", { name: "Write HEARTBEAT.md" })).toBeVisible();
});

test("the page follows settings that another program changes", async () => {
  const { world, called } = await opened("items");
  await screen.findByRole("region", { name: "What it looks at" });
  const before = called("heartbeat_status").length;
  act(() => world.emit({ type: "settings" }));
  await waitFor(() => expect(called("heartbeat_status").length).toBeGreaterThan(before));
});

test("times of one minute are told apart by their seconds", async () => {
  const times = ["2026-12-01T09:00:10+01:00", "2026-12-01T09:00:40+01:00"];
  expect(differ(times)).toBe(true);
  expect(differ(["2026-12-01T09:00:10+01:00", "2026-12-02T09:00:10+01:00"])).toBe(false);
  expect(times.map((local) => wallClock(local, true))).toEqual([
    expect.stringMatching(/9:00:10/),
    expect.stringMatching(/9:00:40/),
  ]);
});

test("a very long notice is folded in the inbox", async () => {
  const world = browserWorld();
  const [first] = world.beating.notices;
  if (!first) throw new Error("the sample has notices");
  const body = `${"The disk is full. ".repeat(200)}That is the end.`;
  world.beating.notices = [{ ...first, title: "Disk", body, state: "new" }];
  window.location.hash = "/heartbeat/inbox";
  await stage(<HeartbeatPage />, { world });
  const notice = await screen.findByRole("article", { name: "Disk" });
  expect(notice).not.toHaveTextContent("That is the end.");
  await userEvent.setup().click(within(notice).getByRole("button", { name: /Show/ }));
  expect(notice).toHaveTextContent("That is the end.");
});
