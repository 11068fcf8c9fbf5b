// The tail of a text that is still being written: marks that are half there are closed or left out for now, so that raw marks
// never flash on the screen. The text itself is not changed; the next piece replaces what this guessed.

import remend from "remend";

export function mend(tail: string): string {
  if (inOpenFence(tail)) return tail;
  const held = holdBack(tail);
  return mendTable(remend(held, { linkMode: "text-only", setextHeadings: false, singleTilde: false, katex: false }));
}

/** Whether the text ends inside a fence: nothing in it is a mark. */
function inOpenFence(text: string): boolean {
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1];
    if (!mark) continue;
    if (!fence) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = "";
  }
  return fence !== "";
}

/** Leaves out a last line that may become something else: a rule under a paragraph, a fence, a mark without its text. */
function holdBack(text: string): string {
  const held = text
    .replace(/\n {0,3}(?:-{1,2}|=+|\*{1,2}|_{1,2}|`{1,2}|~{1,2}|#{1,6}|\d{1,9}[.)]?|[-*+>|]) *$/, "")
    .replace(/^ {0,3}(?:`{1,2}|~{1,2}|#{1,6}|>|-{1,2}|\*{1,2})$/, "")
    .replace(/(?<!\\)\\$/, "");
  return closeMath(withoutOpener(held));
}

/** A mark that opens at the very end has nothing to mark yet. */
function withoutOpener(text: string): string {
  const mark = /(?<![*_~`\\])(\*{1,3}|_{1,3}|~{1,2}|`{1,2})$/.exec(text)?.[1];
  if (!mark) return text;
  const before = text.slice(0, -mark.length);
  const paragraph = before.slice(before.lastIndexOf("\n\n") + 1);
  const same = paragraph.match(/\*+|_+|~+|`+/g)?.filter((run) => run === mark) ?? [];
  return same.length % 2 === 0 ? before : text;
}

/** A formula that is not closed yet is shown once it is. */
function closeMath(text: string): string {
  const open = /(?:^|\n) {0,3}(?:\$\$(?:(?!\$\$)[\s\S])*|\\\[(?:(?!\\\])[\s\S])*)$/.exec(text);
  if (open && count(text, "$$") % 2 === 1) return text.slice(0, open.index);
  const bracket = /\\[([](?:(?!\\[)\]])[\s\S])*$/.exec(text);
  if (bracket) return text.slice(0, bracket.index);
  const dollar = /(?<![\w$\\])\$(?=[\p{L}\\])[^$\n]{0,80}$/u.exec(text);
  // A dollar before a digit is money, one before words is prose.
  return dollar && !/\s\p{L}{3,}/u.test(dollar[0]) ? text.slice(0, dollar.index) : text;
}

const count = (text: string, mark: string) => text.split(mark).length - 1;

/** A table whose second line is not whole yet already has its columns. */
function mendTable(text: string): string {
  const found = /(^|\n)( {0,3}\|.*\|) *\n? *\|?[-:| ]*$/.exec(text);
  const header = found?.[2];
  if (!found || !header || /\n\s*\|.*\n/.test(text.slice(0, found.index + 1).slice(-200))) return text;
  const columns = header.split(/(?<!\\)\|/).length - 2;
  if (columns < 1) return text;
  return `${text.slice(0, found.index)}${found[1]}${header}\n|${" --- |".repeat(columns)}`;
}
