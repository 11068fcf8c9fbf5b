// The persona page on the in-memory shell: the list, the editor, what others changed, conflicts, versions.

import { EditorView } from "@codemirror/view";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { afterEach, expect, test } from "vitest";
import { emptyWorld, type World, wireError, writeFile } from "@/bridge/mock";
import { forgetDocuments, save } from "@/features/persona/documents";
import { PersonaPage } from "@/features/persona/PersonaPage";
import { templatesOf } from "@/features/persona/templates";
import { InspectorSlot } from "@/shared/components/Inspector";
import { type Handlers, stage } from "./harness";

const page = (
  <>
    <PersonaPage />
    <InspectorSlot />
  </>
);
const start = "# Soul\n\nfirst\n\nlast\n";

afterEach(forgetDocuments);

function worldWith(texts: Record<string, string> = { "SOUL.md": start }): World {
  const world = emptyWorld();
  for (const [path, text] of Object.entries(texts))
    writeFile(world, path, text, "template", !path.includes("/") && path !== "NOTES.md");
  return world;
}

async function opened(world = worldWith(), handlers: Handlers = {}, path = "SOUL.md") {
  window.location.hash = `/persona/${encodeURIComponent(path)}`;
  const made = await stage(page, { world, handlers });
  const content = await screen.findByRole("textbox", { name: `Text of ${path}` });
  const view = EditorView.findFromDOM(content);
  if (!view) throw new Error("no editor");
  return { ...made, view, content };
}

/** Puts a text at a place of the editor, as typing does. */
const type = (view: EditorView, text: string, at = view.state.doc.length) =>
  act(async () => view.dispatch({ changes: { from: at, insert: text }, selection: { anchor: at + text.length } }));
const onDisk = (world: World, path = "SOUL.md") => world.files.get(path)?.text;

test("the list says what each file is for, offers missing ones, and shows the logs newest first", async () => {
  await opened(
    worldWith({ "SOUL.md": start, "memory/2026-11-27.md": "a", "memory/2026-11-28.md": "b", "NOTES.md": "c" }),
  );
  const files = screen.getByRole("navigation", { name: "Files" });
  expect(within(files).getByRole("link", { name: "SOUL Personality, values, tone" })).toHaveAttribute("aria-current");
  expect(within(files).getByRole("link", { name: "HEARTBEAT Not there yet: create" })).toBeVisible();
  const logs = within(files).getAllByRole("link", { name: /^2026/ });
  expect(logs.map(({ textContent }) => textContent?.trim())).toEqual(["2026-11-28", "2026-11-27"]);
  const other = within(files).getByRole("link", { name: "NOTES" });
  const heading = within(files).getByRole("heading", { name: "Other files" });
  expect(heading.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

test("what is typed is saved when the editor is left, and the meter counts it", async () => {
  const { view, content, world } = await opened();
  expect(screen.getByText("20 of 20,000 characters")).toBeVisible();
  await type(view, "你好🔥");
  expect(screen.getByText("Unsaved")).toBeVisible();
  expect(await screen.findByText("23 of 20,000 characters")).toBeVisible();
  await act(async () => fireEvent.blur(content));
  await screen.findByText("Saved");
  expect(onDisk(world)).toBe(`${start}你好🔥`);
});

test("a missing file opens empty and exists once something is written", async () => {
  const { view, content, world } = await opened(worldWith(), {}, "TOOLS.md");
  expect(screen.getByText("Not there yet")).toBeVisible();
  await type(view, "# Tools\n");
  await act(async () => fireEvent.blur(content));
  await screen.findByText("Saved");
  expect(onDisk(world, "TOOLS.md")).toBe("# Tools\n");
});

test("a change by the assistant is taken in where the cursor is not, and said", async () => {
  const { view, world } = await opened();
  const before = start.indexOf("last") + 2;
  act(() => view.dispatch({ selection: { anchor: before } }));
  await act(async () => {
    writeFile(world, "SOUL.md", start.replace("first", "the very first"), "turn");
  });
  await screen.findByText("Changed by: The assistant. This is the new text.");
  expect(view.state.doc.toString()).toBe(start.replace("first", "the very first"));
  expect(view.state.sliceDoc(view.state.selection.main.head, view.state.selection.main.head + 2)).toBe("st");
});

test("edits of both are merged into the editor, and the cursor keeps its place", async () => {
  const { view, content, world } = await opened();
  await type(view, "ing", start.indexOf("last") + 4);
  await act(async () => {
    world.emit = () => undefined;
    writeFile(world, "SOUL.md", start.replace("first", "FIRST"), "outside");
    fireEvent.blur(content);
  });
  await screen.findByText(/Both edits are in the text now/);
  const both = start.replace("first", "FIRST").replace("last", "lasting");
  expect(view.state.doc.toString()).toBe(both);
  expect(onDisk(world)).toBe(both);
  expect(view.state.selection.main.head).toBe(both.indexOf("lasting") + 7);
});

test("in a composition nothing is saved, even when the editor is told to", async () => {
  const { view, content, called, world } = await opened();
  await act(async () => fireEvent.compositionStart(content));
  await type(view, "ni");
  await act(() => save("SOUL.md"));
  expect(called("files_save")).toEqual([]);
  await act(async () => {
    fireEvent.compositionEnd(content);
    fireEvent.blur(content);
  });
  await waitFor(() => expect(onDisk(world)).toBe(`${start}ni`));
});

test("overlapping edits are shown side by side, and the chosen text is written", async () => {
  const user = userEvent.setup();
  const { view, content, world } = await opened();
  world.emit = () => undefined;
  writeFile(world, "SOUL.md", start.replace("first", "theirs"), "turn");
  await act(async () =>
    view.dispatch({ changes: { from: start.indexOf("first"), to: start.indexOf("first") + 5, insert: "mine" } }),
  );
  await act(async () => fireEvent.blur(content));
  await user.click(await screen.findByRole("button", { name: "Compare and choose…" }));
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByRole("textbox", { name: "Your text" })).toHaveTextContent("mine");
  expect(within(dialog).getByRole("textbox", { name: "The text on disk" })).toHaveTextContent("theirs");
  expect(onDisk(world)).toBe(start.replace("first", "theirs"));
  await user.click(within(dialog).getByRole("button", { name: "Keep mine" }));
  await waitFor(() => expect(onDisk(world)).toBe(start.replace("first", "mine")));
  expect(screen.queryByText(/overlapping/)).toBeNull();
});

test("text that is not saved survives leaving the page", async () => {
  const failing: Handlers = {
    files_save: () => {
      throw wireError("storage", "The disk is full.");
    },
  };
  const { view, content } = await opened(worldWith({ "SOUL.md": start, "USER.md": "# User\n" }), failing);
  await type(view, "not lost");
  await act(async () => fireEvent.blur(content));
  await screen.findByText("The disk is full.");
  await act(async () => {
    window.location.hash = "/persona/USER.md";
  });
  await screen.findByRole("textbox", { name: "Text of USER.md" });
  expect(screen.getByRole("img", { name: "Not saved yet" })).toBeVisible();
  await act(async () => {
    window.location.hash = "/persona/SOUL.md";
  });
  expect(await screen.findByRole("textbox", { name: "Text of SOUL.md" })).toHaveTextContent("not lost");
});

test("a version shows what changed since and is brought back, which can be undone", async () => {
  const user = userEvent.setup();
  const world = worldWith();
  writeFile(world, "SOUL.md", `${start}by the assistant\n`, "turn");
  const { view } = await opened(world);
  await user.click(screen.getByRole("button", { name: "History" }));
  const history = await screen.findByRole("complementary", { name: "History" });
  expect(await within(history).findByRole("button", { name: /now.*The assistant/ })).toBeVisible();
  await user.click(within(history).getByRole("button", { name: /The first template/ }));
  expect(await within(history).findByRole("textbox", { name: "Differences" })).toHaveTextContent("by the assistant");
  await user.click(within(history).getByRole("button", { name: "Restore this version" }));
  await waitFor(() => expect(onDisk(world)).toBe(start));
  expect(view.state.doc.toString()).toBe(start);
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(onDisk(world)).toBe(`${start}by the assistant\n`));
  expect(world.files.get("SOUL.md")?.revisions).toHaveLength(4);
});

test("a line that cannot be understood is named, marked and reached", async () => {
  const user = userEvent.setup();
  const world = worldWith({ "HEARTBEAT.md": "# Heartbeat\n\ntrigger: nonsense\n" });
  const file = world.files.get("HEARTBEAT.md");
  if (file) file.problems = [{ line: 3, message: "“nonsense” is not a schedule." }];
  const { view, content } = await opened(world, {}, "HEARTBEAT.md");
  expect(content.querySelector(".cm-problem")).toHaveTextContent("trigger: nonsense");
  await user.click(screen.getByRole("button", { name: /Line 3/ }));
  expect(view.state.doc.lineAt(view.state.selection.main.head).number).toBe(3);
});

test("a file that cannot be read says why and can be tried again", async () => {
  window.location.hash = "/persona/SOUL.md";
  let fail = true;
  const user = userEvent.setup();
  await stage(page, {
    world: worldWith(),
    handlers: {
      files_read: ({ path }) => {
        if (fail) throw wireError("storage", "It is not valid UTF-8.");
        return { path, text: "x", hash: "1", exists: true, cap_chars: 20_000, problems: [] };
      },
    },
  });
  const alert = await screen.findByText("It is not valid UTF-8.");
  expect(alert).toBeVisible();
  fail = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("textbox", { name: "Text of SOUL.md" })).toHaveTextContent("x");
});

test("an empty file is started from a template, which can be taken back", async () => {
  const { view } = await opened(worldWith(), {}, "HEARTBEAT.md");
  await userEvent.click(screen.getByRole("button", { name: "Choose a template…" }));
  const dialog = await screen.findByRole("dialog", { name: "Templates" });
  await userEvent.click(within(dialog).getByRole("button", { name: /^Quiet watch/ }));
  expect(within(dialog).getByRole("region", { name: "Preview" })).toHaveTextContent("due today");
  await userEvent.click(within(dialog).getByRole("button", { name: "Use this text" }));
  expect(view.state.doc.toString()).toContain("- [ ] Is anything due today");
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(view.state.doc.toString()).toBe("");
});

test("a template goes below what is there, or in its place, in the person's language", async () => {
  await i18next.changeLanguage("zh-CN");
  try {
    await stage(page, { world: worldWith() });
    window.location.hash = "/persona/SOUL.md";
    const content = await screen.findByRole("textbox");
    const text = () => EditorView.findFromDOM(content)?.state.doc.toString() ?? "";
    for (const [button, begins] of [
      ["加到文字后面", "# Soul"],
      ["替换现有文字", "# 灵魂"],
    ] as const) {
      await userEvent.click(screen.getByRole("button", { name: "模板" }));
      await userEvent.click(await screen.findByRole("button", { name: button }));
      expect(text().startsWith(begins)).toBe(true);
      expect(text()).toContain("先给答案");
    }
  } finally {
    await i18next.changeLanguage("en");
  }
});

test("every file has its templates in both languages, and none is empty", () => {
  for (const language of ["en", "zh-CN"])
    for (const purpose of ["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "HEARTBEAT"] as const) {
      const templates = templatesOf(purpose, language);
      expect(templates.length, purpose).toBeGreaterThan(0);
      for (const { name, text } of templates) expect(text.length, `${language} ${purpose} ${name}`).toBeGreaterThan(8);
    }
  for (const purpose of ["MEMORY", "log"] as const) expect(templatesOf(purpose, "en")).toEqual([]);
});

test("a question is answered with the text that is not saved", async () => {
  const { view, called } = await opened();
  await type(view, "You are Pip.");
  await userEvent.click(screen.getByRole("button", { name: "Try it" }));
  await userEvent.click(screen.getByRole("button", { name: "Who are you, in two sentences?" }));
  expect(await screen.findByText(/I am Pip/)).toBeVisible();
  expect(screen.getByText("qwen · 1,840 → 21 tokens")).toBeVisible();
  const [made] = called("persona_try") as { request: { path: string; text: string } }[];
  expect(made?.request).toMatchObject({ path: "SOUL.md", text: `${start}You are Pip.` });
  expect(called("chat_submit")).toEqual([]);
  await userEvent.type(screen.getByRole("textbox", { name: "A question" }), "And now?{Enter}");
  expect(await screen.findAllByText(/I am Pip/)).toHaveLength(2);
});

test("a trial is stopped, says what went wrong, and ends with its panel", async () => {
  let fail: (error: unknown) => void = () => undefined;
  const persona_try = () =>
    new Promise<never>((_, reject) => {
      fail = reject;
    });
  const { called } = await opened(worldWith(), {
    persona_try,
    persona_stop: () => {
      fail(wireError("provider_unavailable", "The call was stopped."));
      return true;
    },
  });
  await userEvent.click(screen.getByRole("button", { name: "Try it" }));
  await userEvent.type(screen.getByRole("textbox", { name: "A question" }), "Well?{Enter}");
  await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
  expect(await screen.findByText("The call was stopped.")).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: "A question" }), "Again?{Enter}");
  await userEvent.click(screen.getByRole("button", { name: /^Close/ }));
  expect(called("persona_stop")).toHaveLength(2);
});
