// The colours of the editor follow the text after a pause, and Enter and Backspace know Markdown at once.

import { HighlightStyle } from "@codemirror/language";
import { EditorSelection } from "@codemirror/state";
import { EditorView, runScopeHandlers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { colouring } from "@/features/persona/colouring";

const style = HighlightStyle.define([{ tag: tags.strong, class: "strong" }]);
let view: EditorView;

function open(doc: string): void {
  view = new EditorView({ doc, extensions: colouring(style), parent: document.body });
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  view.destroy();
  vi.useRealTimers();
});

const strong = () => [...view.dom.querySelectorAll(".strong")].map(({ textContent }) => textContent).join("");
const press = (key: string) => runScopeHandlers(view, new KeyboardEvent("keydown", { key }), "editor");
const insert = (from: number, text: string) =>
  view.dispatch({ changes: { from, insert: text }, selection: EditorSelection.cursor(from + text.length) });

test("what is there is coloured, moves with what is typed before it, and is read again after a pause", () => {
  open("A **bold** word.");
  expect(strong()).toBe("**bold**");
  insert(0, "Once ");
  expect(strong()).toBe("**bold**");
  insert(view.state.doc.length, " And **more**.");
  expect(strong()).toBe("**bold**");
  vi.advanceTimersByTime(200);
  expect(strong()).toBe("**bold****more**");
});

test("who types without a pause sees colours all the same", () => {
  open("");
  for (const letter of "**one** goes on") {
    insert(view.state.doc.length, letter);
    vi.advanceTimersByTime(100);
  }
  expect(strong()).toBe("**one**");
});

test("Enter goes on with a list that was typed just now, Backspace ends it", () => {
  open("");
  insert(0, "1. first");
  expect(press("Enter")).toBe(true);
  expect(view.state.doc.toString()).toBe("1. first\n2. ");
  insert(view.state.doc.length, "second");
  press("Enter");
  expect(view.state.doc.toString()).toBe("1. first\n2. second\n3. ");
  expect(press("Backspace")).toBe(true);
  expect(view.state.doc.toString()).toBe("1. first\n2. second\n   ");
});
