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
  const { container } = await shown(path, page, "odd");
  expect((await screen.findAllByText(/window\.harm|bold/)).length).toBeGreaterThan(0);
  expect(
    container.querySelector("script, iframe, object, form[action], img[onerror], [onclick], [src='x']"),
  ).toBeNull();
  for (const link of container.querySelectorAll("a[href]"))
    expect(link.getAttribute("href")).toMatch(/^(#|https?:|mailto:)/);
  expect(window).not.toHaveProperty("harm");
  expect(harmful).toContain("<script>");
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
