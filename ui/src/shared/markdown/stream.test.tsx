// One reply with everything that breaks while streaming, fed in pieces of several sizes. What must hold stands beside the
// reply, in `markdown_stream.json`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { act, render, waitFor } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";
import { Markdown } from "./Markdown";

const fixtures = join(import.meta.dirname, "../../../tests/fixtures");
const source = readFileSync(join(fixtures, "markdown_stream.md"), "utf8");

type Check = Record<string, unknown>;
const { final } = JSON.parse(readFileSync(join(fixtures, "markdown_stream.json"), "utf8")) as { final: Check[] };

beforeAll(async () => {
  // The converter of formulas is loaded before the clock of a test starts.
  const { container, unmount } = await act(async () => render(<Markdown text="$x$" />));
  await waitFor(() => expect(container.querySelector("math")).not.toBeNull());
  unmount();
});

const all = (root: Element, selector: string) => [...root.querySelectorAll(selector)];
const texts = (root: Element, selector: string) => all(root, selector).map(({ textContent }) => textContent ?? "");
const formulas = (root: Element, display: boolean) =>
  all(root, "math")
    .filter((math) => (math.getAttribute("display") === "block") === display)
    .map((math) => math.querySelector("annotation")?.textContent);

/** Visible text: formulas carry their source beside their drawing. */
function visible(root: Element): string {
  const copy = root.cloneNode(true) as Element;
  for (const math of all(copy, "math, figcaption")) math.remove();
  return copy.textContent ?? "";
}

const silent = new Set(["PRE", "CODE", "MATH"]);

/** Visible text outside code: no mark may be left in it. */
function unmarked(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? "";
  if (silent.has(node.nodeName.toUpperCase())) return "";
  let text = "";
  for (let child = node.firstChild; child; child = child.nextSibling) text += unmarked(child);
  return text;
}

const checks: Record<string, (root: Element, wanted: never) => void> = {
  contains_text: (root, text: string) => expect(visible(root)).toContain(text),
  math_inline: (root, wanted: string[]) => expect(formulas(root, false)).toEqual(wanted),
  math_block: (root, wanted: string[]) => expect(formulas(root, true)).toEqual(wanted),
  bold: (root, wanted: string[]) => expect(texts(root, "strong")).toEqual(wanted),
  italic: (root, wanted: string[]) => expect(texts(root, "em")).toEqual(wanted),
  table: (root, { columns, rows }: { columns: number; rows: number }) => {
    expect(all(root, "table")).toHaveLength(1);
    expect(all(root, "thead th")).toHaveLength(columns);
    expect(all(root, "tbody tr")).toHaveLength(rows);
  },
  code_blocks: (root, count: number) => {
    expect(all(root, "figure.code")).toHaveLength(count);
    expect(texts(root, "figcaption")).toEqual(["rust", "md", "text", "python", "text"]);
  },
  code_block_contains: (root, wanted: string[]) => {
    const codes = texts(root, "pre");
    for (const text of wanted)
      expect(
        codes.some((code) => code.includes(text)),
        text,
      ).toBe(true);
  },
  check_boxes: (root, { open, ticked }: { open: number; ticked: number }) => {
    expect(all(root, "input[type=checkbox]:not(:checked)")).toHaveLength(open);
    expect(all(root, "input[type=checkbox]:checked")).toHaveLength(ticked);
  },
  list_numbers: (root, wanted: number[]) => {
    const lists = all(root, "ol");
    expect(lists).toHaveLength(1);
    const items = [...(lists[0]?.children ?? [])];
    expect(items.map((_, at) => at + 1)).toEqual(wanted);
    expect(items[0]?.querySelector("pre")?.textContent).toContain("嵌套");
  },
  quote_depth: (root, depth: number) => expect(all(root, "blockquote ".repeat(depth).trim())).toHaveLength(1),
  link_targets: (root, wanted: string[]) =>
    expect(all(root, "a").map((link) => decodeURI(link.getAttribute("href") ?? ""))).toEqual(wanted),
  raw_html: (root) => {
    expect(texts(root, "details > summary")).toEqual(["x"]);
    expect(
      all(root, "*").flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
    ).toEqual([]);
  },
};

const flawless = { blank: false, redrawn: -1, mark: null as string | null };

/** What is wrong with the drawing of the first `length` characters, seen beside the one before. */
function flaws(root: Element, blocks: readonly Element[], before: readonly Element[], length: number) {
  const lineStart = source.lastIndexOf("\n", length - 1) + 1;
  const line = lineStart > 0 && length - lineStart > 1 ? unmarked(root) : "";
  return {
    blank: length > 2 && root.textContent === "",
    redrawn: before.slice(0, -1).findIndex((block, place) => blocks[place] !== block),
    mark: /\*\*|~~~|```|\|---/.exec(line)?.[0] ?? null,
  };
}

/** Draws every prefix whose length is a multiple of `size`, and looks at each. */
function stream(size: number): Element {
  const { container, rerender } = render(<Markdown text="" growing />);
  let before: Element[] = [];
  for (let at = size; at < source.length + size; at += size) {
    rerender(<Markdown text={source.slice(0, at)} growing />);
    const length = Math.min(at, source.length);
    const blocks = [...(container.firstElementChild?.children ?? [])];
    const read = `after ${JSON.stringify(source.slice(Math.max(0, length - 12), length))}`;
    expect(flaws(container, blocks, before, length), read).toEqual(flawless);
    before = blocks;
  }
  return container;
}

test.each([1, 2, 3, 7, 64])(
  "in pieces of %i: on the way something is shown, finished blocks keep their nodes, raw marks do not outlive their line; " +
    "the last drawing is right, and the same as of the whole",
  async (size) => {
    const root = stream(size);
    await act(async () => undefined);
    for (const check of final) {
      const [name = "", wanted] = Object.entries(check)[0] ?? [];
      const run = checks[name];
      if (!run) throw new Error(`no check for ${name}`);
      run(root, wanted as never);
    }
    const whole = render(<Markdown text={source} />);
    await act(async () => undefined);
    const html = (element: Element) => element.innerHTML.replaceAll(/ id="[^"]*"/g, "");
    expect(html(root)).toBe(html(whole.container));
  },
);
