// The command palette and the list of shortcuts: by keyboard alone, and never against an input method.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { Overlays } from "@/app/palette/Overlays";
import { type Entry, found, scoreOf } from "@/app/palette/ranking";
import { browserWorld } from "@/bridge/mock/furnish";
import { stage } from "./harness";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  window.location.hash = "/chat";
});

const opened = async () => {
  const here = await stage(<Overlays />, { world: browserWorld() });
  fireEvent.keyDown(window, { key: "k", ctrlKey: true });
  return { ...here, field: await screen.findByRole("combobox", { name: "Go to or do" }) };
};

const marked = () => screen.getAllByRole("option").find((row) => row.getAttribute("aria-selected") === "true");

test("a beginning counts more than a word's beginning, that more than its middle, a detail least; each word must be found", () => {
  const score = (label: string, query: string, detail = "") => scoreOf({ label, detail }, query);
  expect(score("Harbour map", "har")).toBeGreaterThan(score("The harbour", "har"));
  expect(score("The harbour", "har")).toBeGreaterThan(score("Sharing", "har"));
  expect(score("Sharing", "har")).toBeGreaterThan(score("Other", "har", "harbour"));
  expect(score("Harbour map", "harbour tides")).toBe(0);
  expect(score("ＨＡＲＢＯＵＲ", "harbour")).toBe(4);
  expect(score("港口项目", "项目")).toBe(2);
  expect(score("anything", " ")).toBe(1);
});

test("groups keep their order and hold their best; with nothing typed only what is always there", () => {
  const entry = (kind: Entry["kind"], label: string): Entry => ({ kind, id: label, label, run: () => undefined });
  const entries = [
    ...Array.from({ length: 9 }, (_, at) => entry("session", `talk ${at}`)),
    entry("skill", "tides"),
    entry("page", "Memory"),
  ];
  const shown = (query: string) => found(entries, query).map(({ kind, entries: rows }) => `${kind} ${rows.length}`);
  expect(shown("")).toEqual(["page 1", "session 5"]);
  expect(shown("t")).toEqual(["session 6", "skill 1"]);
  expect(shown("zzz")).toEqual([]);
});

test("typing, arrows and Enter lead to a page, a conversation, a memory and a skill", async () => {
  const user = userEvent.setup();
  const { field } = await opened();
  await waitFor(() => expect(field).toHaveFocus());
  const lead = async (text: string, presses: string, hash: string) => {
    if (!screen.queryByRole("combobox")) fireEvent.keyDown(window, { key: "k", ctrlKey: true });
    await user.type(await screen.findByRole("combobox"), text);
    await waitFor(() => expect(screen.getAllByRole("option").length).toBeGreaterThan(0));
    await user.keyboard(`${presses}{Enter}`);
    await waitFor(() => expect(window.location.hash).toEqual(hash));
    expect(screen.queryByRole("combobox")).toBeNull();
  };
  await lead("act", "", "#/activity");
  await lead("packing", "", "#/chat/assistant:chat-packing01");
  await lead("walnuts", "", expect.stringMatching(/^#\/memory\/entries\/./));
  await lead("meeting-n", "", "#/skills/list/meeting-notes");
});

test("arrows go around; Escape closes", async () => {
  const user = userEvent.setup();
  const { field } = await opened();
  await user.type(field, "settings");
  await waitFor(() => expect(marked()).toHaveTextContent("Settings"));
  const first = marked();
  await user.keyboard("{ArrowUp}");
  expect(marked()).toBe(screen.getAllByRole("option").at(-1));
  await user.keyboard("{ArrowDown}");
  expect(marked()).toBe(first);
  expect(field).toHaveAttribute("aria-activedescendant", first?.id);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
});

test("Enter that ends a composition chooses nothing; nothing opens while one goes on", async () => {
  const { field } = await opened();
  fireEvent.compositionStart(field);
  fireEvent.change(field, { target: { value: "设置" } });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229, isComposing: true });
  fireEvent.compositionEnd(field);
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
  expect(window.location.hash).toBe("#/chat");
  fireEvent.keyDown(window, { key: "k", ctrlKey: true, isComposing: true });
  expect(screen.getByRole("combobox")).toBeVisible();
});

test("an action runs; what is called nothing says so", async () => {
  const user = userEvent.setup();
  const { field, called } = await opened();
  await user.type(field, "nothing like this");
  expect(await screen.findByText("Nothing is called “nothing like this”.")).toBeVisible();
  await user.clear(field);
  await user.type(field, "theme: dark");
  await waitFor(() => expect(marked()).toHaveTextContent("Theme: Dark"));
  await user.keyboard("{Enter}");
  expect(called("settings_set")).toEqual([{ request: { key: "ui.theme", value: "dark" } }]);
});

test("the shortcuts are listed, from the palette and by their own", async () => {
  const user = userEvent.setup();
  const { field } = await opened();
  await user.type(field, "shortcuts");
  await waitFor(() => expect(marked()).toHaveTextContent("Keyboard shortcuts"));
  await user.keyboard("{Enter}");
  const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  expect(within(dialog).getByText("Ctrl+K")).toBeVisible();
  expect(within(dialog).getByText("Ctrl+Shift+Space")).toBeVisible();
  await act(async () => {
    fireEvent.keyDown(window, { key: "/", ctrlKey: true });
  });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
