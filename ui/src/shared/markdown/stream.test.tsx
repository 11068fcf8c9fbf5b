// One reply with everything that breaks while streaming, fed in pieces of several sizes. What must hold stands beside the
// reply, in `markdown_stream.json`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { act, render, waitFor } from "@testing-library/react";
import { beforeAll, describe, expect, test } from "vitest";
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

/** Visible text outside code: no mark may be left in it. */
function unmarked(root: Element): string {
  const copy = root.cloneNode(true) as Element;
  for (const code of all(copy, "pre, code, math")) code.remove();
  return copy.textContent ?? "";
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

function stream(size: number, each: (root: Element, length: number) => void): Element {
  const { container, rerender } = render(<Markdown text="" growing />);
  for (let at = size; at < source.length + size; at += size) {
    rerender(<Markdown text={source.slice(0, at)} growing />);
    each(container, Math.min(at, source.length));
  }
  return container;
}

describe.each([1, 2, 3, 7, 64])("in pieces of %i", (size) => {
  test("the last drawing is right, and the same as of the whole", async () => {
    const root = stream(size, () => undefined);
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
  });

  test("on the way: something is shown, finished blocks keep their nodes, raw marks do not outlive their line", () => {
    let before: Element[] = [];
    stream(size, (root, length) => {
      const read = JSON.stringify(source.slice(Math.max(0, length - 12), length));
      if (length > 2) expect(root.textContent, read).not.toBe("");
      const blocks = [...(root.firstElementChild?.children ?? [])];
      for (const [place, block] of before.slice(0, -1).entries()) {
        expect(blocks[place] === block, `block ${place} after ${read}`).toBe(true);
      }
      before = blocks;
      const lineStart = source.lastIndexOf("\n", length - 1) + 1;
      if (lineStart > 0 && length - lineStart > 1) expect(unmarked(root), read).not.toMatch(/\*\*|~~~|```|\|---/);
    });
  });
});
