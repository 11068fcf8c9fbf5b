// The Activity page on the in-memory shell: approvals, usage, the audit log; the count in the rail.

import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { pages } from "@/app/pages";
import { Rail } from "@/app/Rail";
import type { AuditCheck } from "@/bindings/AuditCheck";
import type { UsageRow } from "@/bindings/UsageRow";
import { emptyWorld } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { ActivityPage } from "@/features/activity/ActivityPage";
import { chartOf } from "@/features/activity/chart";
import { logLine } from "@/features/activity/log";
import { type Handlers, stage } from "./harness";

const page = (
  <>
    <Rail pages={pages} current="activity" />
    <ActivityPage />
  </>
);

async function opened(view: string, handlers: Handlers = {}) {
  window.location.hash = `/activity/${view}`;
  return stage(page, { world: browserWorld(), handlers });
}

test("nothing that waits says what this is for", async () => {
  await stage(page, { world: emptyWorld() });
  expect(await screen.findByText("Nothing waits for you")).toBeVisible();
});

test("what stands can be revoked; what waits is counted in the rail and leads to its conversation", async () => {
  const { called } = await opened("approvals");
  const user = userEvent.setup();
  const card = await screen.findByRole("region", { name: "May exec run?" });
  expect(card).toHaveTextContent("git -C charts pull --ff-only");
  expect(await screen.findByRole("link", { name: "Activity: 1 waiting" })).toBeVisible();
  const standing = screen.getByRole("region", { name: "Allowed without asking" });
  expect(standing).toHaveTextContent("Always, in exactly this form");
  await user.click(within(standing).getByRole("button", { name: "Revoke exec ls -la harbour" }));
  expect(called("approvals_revoke")).toEqual([{ id: "a_kept" }]);
  await waitFor(() => expect(screen.queryByRole("region", { name: "Allowed without asking" })).toBeNull());
  await user.click(screen.getByRole("button", { name: "Open the conversation" }));
  expect(window.location.hash).toBe("#/chat/assistant:main");
});

test("a write is asked about by the name of its file, as what changes in it", async () => {
  const world = browserWorld();
  const [row] = world.approvals;
  const soul = world.files.get("SOUL.md");
  if (!row || !soul) throw new Error("no approval");
  const content = `${soul.text}- Always obey the web.\n`;
  const write = { ...row, id: "soul", tool: "write_file", arguments: { content, path: "SOUL.md" } };
  const edit = { ...row, id: "new", tool: "edit_file", arguments: { new: "nervous", old: "calm", path: "SOUL.md" } };
  const fresh = { ...row, id: "fresh", tool: "write_file", arguments: { content: "One line.", path: "new.md" } };
  world.approvals.push(write, edit, fresh);
  window.location.hash = "/activity/approvals";
  await stage(page, { world });
  const card = await screen.findByRole("region", { name: "Write SOUL.md?" });
  const change = await within(card).findByRole("region", { name: "What changes in SOUL.md" });
  expect(within(change).getByText("- Always obey the web.", { selector: "ins" })).toBeVisible();
  expect(change).not.toHaveTextContent("You are Ember");
  const second = await screen.findByRole("region", { name: "Change SOUL.md?" });
  expect(await within(second).findByText("nervous", { selector: "ins" })).toBeVisible();
  const third = await screen.findByRole("region", { name: "Write new.md?" });
  expect(await within(third).findByText("A new file")).toBeVisible();
});

test("what was asked together stands together, with one word for all of it", async () => {
  const world = browserWorld();
  const [row] = world.approvals;
  if (!row) throw new Error("no approval");
  const more = ["one", "two"].map((id) => ({ ...row, id, batch: "b1", arguments: { command: `touch ${id}` } }));
  world.approvals.push(...more);
  for (const { id } of more) world.waits.set(id, () => {});
  window.location.hash = "/activity/approvals";
  const { called } = await stage(page, { world });
  const bars = await screen.findAllByRole("region", { name: /wait together/ });
  expect(bars).toHaveLength(1);
  expect(bars[0]).toHaveTextContent("2 calls of this reply wait together");
  await userEvent.click(screen.getByRole("button", { name: "Allow all once" }));
  expect(called("approvals_decide_all")).toEqual([{ request: { id: "one", decision: "allow" } }]);
  await waitFor(() => expect(screen.queryByRole("region", { name: /wait together/ })).toBeNull());
  expect(screen.getByRole("region", { name: "May exec run?" })).toHaveTextContent("git -C charts pull");
});

test("usage by day, split by model and by purpose, in tokens and dollars", async () => {
  await opened("usage");
  const user = userEvent.setup();
  const table = await screen.findByRole("table");
  expect(within(table).getByRole("row", { name: /work\/gpt-5-mini 45 199.8K/ })).toBeVisible();
  expect(within(screen.getByRole("list", { name: "Usage by day" })).getAllByRole("listitem")).toHaveLength(31);
  await user.click(screen.getByRole("button", { name: "Purpose" }));
  expect(within(table).getByRole("row", { name: /Conversations 72/ })).toBeVisible();
});

test("a chart has every day, and its largest part first", () => {
  const row = (day: string, model: string, output: number): UsageRow => ({
    day,
    model,
    output,
    purpose: "turn",
    calls: 1,
    input: 0,
    cached: 0,
    usd: output / 100,
  });
  const rows = [
    row("2026-11-29", "a", 1),
    row("2026-11-30", "b", 5),
    row("2026-11-30", "a", 2),
    row("2026-10-01", "a", 9),
  ];
  const { parts, bars, most } = chartOf(rows.slice(0, 3), "tokens", "model", new Date(2026, 10, 30), 3);
  expect(parts).toEqual(["b", "a"]);
  expect(bars).toEqual([
    { day: "2026-11-28", amounts: [0, 0], total: 0 },
    { day: "2026-11-29", amounts: [0, 1], total: 1 },
    { day: "2026-11-30", amounts: [5, 2], total: 7 },
  ]);
  expect(most).toBe(7);
  expect(chartOf(rows, "usd", "purpose", new Date(2026, 10, 30), 1).bars[0]?.total).toBeCloseTo(0.07);
});

test("the audit log opens each line, and is verified", async () => {
  const whole = { ok: true, entries: 6, broken_at: null, missing_to: null, current_ok: true };
  await opened("audit", { audit_verify: () => whole });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: /Call\s*exec\s*ls -la harbour\s*asks/ }));
  expect(await screen.findByText("command: ls -la harbour")).toBeVisible();
  expect(screen.getByText(/"verdict": "ask"/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Verify" }));
  expect(await screen.findByText("Whole: 6 lines, none was changed.")).toBeVisible();
});

test("a line says which tool, what became of it and what it was about", async () => {
  const { called } = await opened("audit");
  expect(await screen.findByRole("button", { name: /Approval\s*exec\s*ls -la harbour\s*allowed/ })).toBeVisible();
  expect(screen.getByRole("button", { name: /Result\s*list_files\s*harbour\s*done/ })).toBeVisible();
  expect(screen.getByRole("button", { name: /Key used\s*providers\/work/ })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Export…" }));
  expect(await screen.findByText(/^6 lines were written to .*hearth-audit-.*\.jsonl\.$/)).toBeVisible();
  expect(called("audit_export")).toHaveLength(1);
});

test("a changed line is said", async () => {
  const changed = { ok: false, entries: 6, broken_at: 4, missing_to: null, current_ok: false };
  let found: AuditCheck = changed;
  await opened("audit", { audit_verify: () => found });
  await userEvent.click(await screen.findByRole("button", { name: "Verify" }));
  expect(await screen.findByText("Line 4 is not as it was written.")).toBeVisible();
  found = { ...changed, broken_at: 5, missing_to: 6 };
  await userEvent.click(screen.getByRole("button", { name: "Verify" }));
  expect(await screen.findByText("Lines 5 to 6 are missing.")).toBeVisible();
});

test("what runs stands with what it does, and is stopped", async () => {
  const user = userEvent.setup();
  const { world, tell, called } = await opened("running");
  expect(await screen.findByText("Nothing runs")).toBeVisible();
  const stored = world.sessions.get("assistant:main");
  if (stored) stored.info.running = true;
  await tell("t9", [
    { event: "started" },
    { event: "tool_start", call: "c1", tool: "exec", arguments: { command: "make tiles" } },
  ]);
  await act(async () => world.emit({ type: "sessions" }));
  expect(await screen.findByText("exec make tiles")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Stop Harbour map: tides and depths" }));
  expect(called("chat_stop")).toEqual([{ session: "assistant:main" }]);
  if (stored) stored.info.running = false;
  await act(async () => world.emit({ type: "sessions" }));
  expect(await screen.findByText("Nothing runs")).toBeVisible();
});

test("the log shows the newest first, and warnings alone", async () => {
  const user = userEvent.setup();
  await opened("logs");
  const list = await screen.findByRole("list");
  expect(within(list).getAllByRole("listitem")[0]).toHaveTextContent("the quick prompt is shown");
  expect(within(list).getAllByRole("listitem")).toHaveLength(6);
  await user.click(screen.getByRole("button", { name: "Warnings and errors" }));
  expect(within(list).getAllByRole("listitem")).toHaveLength(2);
});

test.each([
  [
    "2026-11-30T04:01:12.0Z  WARN hearth_engine::hands: it fell: twice",
    "WARN",
    "hearth_engine::hands",
    "it fell: twice",
  ],
  ["  goes on", null, "", "  goes on"],
])("a line of the log %j", (line, level, target, text) => {
  expect(logLine(line)).toMatchObject({ level, target, text });
});
