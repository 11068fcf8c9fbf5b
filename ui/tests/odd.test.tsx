// Input that no window should stumble over: endless conversations, huge messages, wide tables, HTML and script everywhere,
// a picture that is broken, ten thousand memories and five hundred skills in the palette.

import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, expect, test } from "vitest";
import { Overlays } from "@/app/palette/Overlays";
import { browserWorld } from "@/bridge/mock/furnish";
import { harmful } from "@/bridge/mock/odd";
import { ActivityPage } from "@/features/activity/ActivityPage";
import { ChatPage } from "@/features/chat/ChatPage";
import { HeartbeatPage } from "@/features/heartbeat/HeartbeatPage";
import { MemoryPage } from "@/features/memory/MemoryPage";
import { forgetDocuments } from "@/features/persona/documents";
import { PersonaPage } from "@/features/persona/PersonaPage";
import { QuickPrompt } from "@/features/quick/QuickPrompt";
import { endImport } from "@/features/settings/imports";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { SkillsPage } from "@/features/skills/SkillsPage";
import { InspectorSlot } from "@/shared/components/Inspector";
import { stage } from "./harness";

const shown = (path: string, page: ReactNode, scene: string) => {
  window.location.hash = path;
  return stage(
    <>
      {page}
      <InspectorSlot />
    </>,
    { world: browserWorld(scene) },
  );
};
const chat = (scene: string) => shown("/chat/assistant:main", <ChatPage />, scene);

beforeEach(() => {
  delete (window as { harm?: unknown }).harm;
});

test("of five thousand messages only the last are drawn at first", async () => {
  const { container } = await chat("endless");
  await screen.findByText("It is 2500.5 m deep.");
  expect(container.querySelectorAll("article").length).toBeLessThanOrEqual(30);
});

test("a message of a megabyte shows its beginning, and more when asked", async () => {
  const { container } = await chat("huge");
  const folded = await screen.findAllByRole("button", { name: /^Show more: [\d.]+K characters are folded/ });
  expect(folded).toHaveLength(2);
  const length = () => container.querySelector("article")?.textContent?.length ?? 0;
  const before = length();
  expect(before).toBeLessThan(10_000);
  const [first] = folded;
  if (first) await userEvent.click(first);
  expect(length()).toBeGreaterThan(before * 3);
  expect(length()).toBeLessThan(60_000);
});

test("a table of 200 columns scrolls by itself, with the keyboard too", async () => {
  await chat("wide");
  const table = await screen.findByRole("table");
  expect(within(table).getAllByRole("columnheader")).toHaveLength(200);
  expect(table.parentElement).toHaveClass("tablebox");
  expect(table.parentElement).toHaveAttribute("tabindex", "0");
});

test("a broken picture is said by its name, one from elsewhere is a link", async () => {
  await chat("odd");
  fireEvent.error(await screen.findByRole("img", { name: "a chart of the harbour" }));
  expect(await screen.findByText("a chart of the harbour (cannot be shown)")).toBeVisible();
  expect(screen.getByRole("link", { name: "far" })).toHaveAttribute("href", "https://example.com/p.png");
});

/** Nothing of it is a part of the page, and no link runs anything. */
function expectInert() {
  const { body } = document;
  expect(body.querySelector("script, iframe, object, form[action], img[onerror], [onclick], [src='x']")).toBeNull();
  for (const link of body.querySelectorAll("a[href]"))
    expect(link.getAttribute("href")).toMatch(/^(#|https?:|mailto:)/);
  expect(window).not.toHaveProperty("harm");
}

const pages: [name: string, path: string, page: ReactNode][] = [
  ["chat", "/chat/assistant:main", <ChatPage key="chat" />],
  ["memory", "/memory/entries", <MemoryPage key="memory" />],
  ["timeline", "/memory/timeline", <MemoryPage key="timeline" />],
  ["skills", "/skills/list", <SkillsPage key="skills" />],
  ["inbox", "/heartbeat/inbox", <HeartbeatPage key="inbox" />],
  ["log of beats", "/heartbeat/log", <HeartbeatPage key="beats" />],
  ["approvals", "/activity/approvals", <ActivityPage key="approvals" />],
  ["log", "/activity/logs", <ActivityPage key="log" />],
];

test.each(pages)("HTML and script of others are text: %s", async (_, path, page) => {
  await shown(path, page, "odd");
  expect((await screen.findAllByText(/window\.harm|bold/)).length).toBeGreaterThan(0);
  expectInert();
});

test("HTML and script of others are text: a turn with its tools, sub-agent and question", async () => {
  const user = userEvent.setup();
  await shown("/chat/assistant:chat-fresh0001", <ChatPage />, "odd");
  await user.type(await screen.findByRole("textbox", { name: "Message" }), "Go on{Enter}");
  await user.click(await screen.findByRole("button", { name: /^exec.*Failed/s }));
  await user.click(screen.getByRole("button", { name: /^Sub-agent/ }));
  const choice = await screen.findByRole("button", { name: harmful });
  expect((await screen.findAllByText(/window\.harm/)).length).toBeGreaterThan(5);
  expectInert();
  await user.click(choice);
  expect(await screen.findByText(/^You said:/)).toBeVisible();
  expectInert();
});

test("HTML and script of others are text: the quick prompt", async () => {
  const world = browserWorld("odd");
  world.reply = async function* () {
    yield { event: "text", text: `Read: ${harmful}` };
  };
  await stage(<QuickPrompt />, { world });
  await userEvent.type(await screen.findByRole("textbox", { name: "Quick prompt" }), "Go on{Enter}");
  expect(await screen.findByText(/^Read:/)).toBeVisible();
  expectInert();
});

test("HTML and script of others are text: a file and its versions", async () => {
  await shown("/persona/SOUL.md", <PersonaPage />, "odd");
  await userEvent.click(await screen.findByRole("button", { name: "Preview" }));
  expect((await screen.findAllByText(/bold/)).length).toBeGreaterThan(0);
  expectInert();
  await userEvent.click(screen.getByRole("button", { name: "History" }));
  expect(await screen.findByText(/now/)).toBeVisible();
  expectInert();
  forgetDocuments();
});

test("HTML and script of others are text: what memory answers", async () => {
  await shown("/memory/search", <MemoryPage />, "odd");
  await userEvent.type(await screen.findByRole("searchbox"), "bold");
  expect((await screen.findAllByRole("article")).length).toBeGreaterThan(0);
  expectInert();
});

test("HTML and script of others are text: a line of the audit log", async () => {
  await shown("/activity/audit", <ActivityPage />, "odd");
  const [line] = await screen.findAllByRole("button", { name: /window\.harm/ });
  if (line) await userEvent.click(line);
  expect((await screen.findAllByText(/"tool": "<script>/)).length).toBe(1);
  expectInert();
});

test("HTML and script of others are text: an MCP server's tools", async () => {
  await shown("/settings/mcp", <SettingsPage />, "odd");
  await userEvent.click(await screen.findByRole("button", { name: "Review…" }));
  expect(await screen.findByRole("dialog")).toHaveTextContent("window.harm = 3");
  expectInert();
});

test("HTML and script of others are text: what an import would bring", async () => {
  const world = browserWorld("odd");
  world.picks = ["/home/ada/Downloads/export.zip"];
  const of = { name: harmful, detail: harmful, target: harmful };
  window.location.hash = "/settings/transfer";
  await stage(<SettingsPage />, {
    world,
    handlers: {
      imports_run: ({ request: { source, dry_run } }) => ({
        source,
        dry_run,
        counts: { added: 1, already_there: 0, skipped: 0, failed: 1, messages: 2 },
        items: [
          { kind: "conversation", state: "failed", reason: "unreadable", ...of },
          { kind: "file", state: "added", reason: "beside", ...of },
        ],
      }),
    },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Choose a file…" }));
  expect((await screen.findAllByText(/window\.harm/)).length).toBeGreaterThan(1);
  expectInert();
  endImport();
});

test("of five hundred skills a screenful is drawn, and one is found by its words", async () => {
  await shown("/skills/list", <SkillsPage />, "many-skills");
  const list = await screen.findByRole("list", { name: "Skills" });
  expect(within(list).getAllByRole("link").length).toBeLessThan(60);
  await userEvent.type(screen.getByRole("searchbox", { name: "Search skills" }), "number 487");
  expect(await screen.findByText("1 skill")).toBeVisible();
  expect(within(list).getByRole("link", { name: /skill-487/ })).toBeVisible();
});

test("of ten thousand memories the timeline draws a screenful", async () => {
  await shown("/memory/timeline", <MemoryPage />, "many");
  const list = await screen.findByRole("list", { name: "Timeline" });
  expect(within(list).getAllByRole("button").length).toBeLessThan(60);
});

test("the palette finds one of ten thousand memories", async () => {
  window.location.hash = "/chat";
  const { world } = await shown("/chat", <Overlays />, "many");
  const wanted = world.memory.entries.at(-1);
  if (!wanted) throw new Error("the world has no memories");
  fireEvent.keyDown(window, { key: "k", ctrlKey: true });
  await userEvent.type(await screen.findByRole("combobox"), wanted.title || wanted.text);
  expect((await screen.findAllByRole("option")).length).toBeGreaterThan(0);
});
