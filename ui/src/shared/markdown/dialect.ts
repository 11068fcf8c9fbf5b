// The Markdown that models write: GFM, with math, with emphasis that works beside Chinese punctuation, and with links that
// end where Chinese text goes on. A `$` before money is no math.

import { Marked, type Token, type TokenizerAndRendererExtension, type TokenizerThis, type Tokens } from "marked";

const space = /^\s?$/u;
const punctuation = /^[\p{P}\p{S}]$/u;
const cjk = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uffef“”‘’—…·]$/u;

const first = (text: string) => [...text.slice(0, 2)][0] ?? "";
const last = (text: string) => [...text.slice(-2)].at(-1) ?? "";

/**
 * Whether CommonMark refuses a run of stars that a reader of Chinese takes as emphasis: a punctuation mark inside it, a word
 * right outside, and one of both is CJK.
 */
function refused(inside: string, outside: string): boolean {
  const word = !space.test(outside) && !punctuation.test(outside);
  return punctuation.test(inside) && word && (cjk.test(inside) || cjk.test(outside));
}

/** Emphasis by stars beside CJK text; `undefined` leaves it to CommonMark. */
function cjkEmphasis(src: string, masked: string, before: string): { open: number; inner: string } | undefined {
  const open = /^\*{1,3}(?!\*)/.exec(src)?.[0].length;
  if (!open || /^\s/u.test(src.slice(open))) return undefined;
  const tail = masked.slice(-src.length);
  for (let at = tail.indexOf("*", open); at > 0; at = tail.indexOf("*", at)) {
    const run = /^\*+/.exec(tail.slice(at))?.[0].length ?? 1;
    const inner = src.slice(open, at);
    if (run === open && inner && !/\s$/u.test(inner)) {
      const after = first(src.slice(at + run));
      const needed = refused(first(inner), before) || refused(last(inner), after);
      return needed ? { open, inner } : undefined;
    }
    at += run;
  }
  return undefined;
}

function emphasisToken(lexer: TokenizerThis["lexer"], open: number, inner: string): Tokens.Em | Tokens.Strong {
  const stars = "*".repeat(open);
  const raw = `${stars}${inner}${stars}`;
  const tokens = lexer.inlineTokens(inner);
  if (open === 1) return { type: "em", raw, text: inner, tokens };
  if (open === 2) return { type: "strong", raw, text: inner, tokens };
  const strong: Tokens.Strong = { type: "strong", raw: `**${inner}**`, text: inner, tokens };
  return { type: "em", raw, text: inner, tokens: [strong] };
}

/** Where a bare address ends: at a blank, a quote, or Chinese punctuation; a closing mark at its end is the sentence's. */
export function bareUrl(src: string): string | undefined {
  const found =
    /^https?:\/\/[^\s<>"'`*|\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65“”‘’…—]+/u.exec(src)?.[0];
  if (!found) return undefined;
  let url = found.replace(/[.,;:!?]+$/, "");
  while (url.endsWith(")") && count(url, ")") > count(url, "(")) url = url.slice(0, -1).replace(/[.,;:!?]+$/, "");
  return url;
}

const count = (text: string, mark: string) => text.split(mark).length - 1;

/** A dollar sign opens math only where the text reads as a formula: tight on both sides, no digit after, no prose inside. */
export function dollarMath(src: string): { raw: string; text: string } | undefined {
  const found = /^\$(?![\s$])((?:\\[\s\S]|[^$\\\n])+?)(?<!\s)\$(?![\d$])/u.exec(src);
  const text = found?.[1];
  if (!found || !text) return undefined;
  const bare = text.replaceAll(/\\(?:text|mathrm|mbox)\{[^}]*\}/g, "");
  const prose = /[\p{sc=Han}，。；]/u.test(bare) || /^\d[\d.,]*\s*(?:[-–/]\s*)?\p{L}{2,}/u.test(bare);
  return prose ? undefined : { raw: found[0], text };
}

export interface MathToken {
  type: "math";
  raw: string;
  text: string;
  display: boolean;
}

const math = (raw: string, text: string, display: boolean): MathToken => ({
  type: "math",
  raw,
  text: text.trim(),
  display,
});

const inlineMath: TokenizerAndRendererExtension = {
  name: "inlineMath",
  level: "inline",
  start: (src) => {
    const at = src.search(/\$|\\\(|\\\[/);
    return at < 0 ? undefined : at;
  },
  tokenizer: (src) => {
    const display = /^\$\$([^$]+?)\$\$|^\\\[([\s\S]+?)\\\]/.exec(src);
    if (display) return math(display[0], display[1] ?? display[2] ?? "", true);
    const brackets = /^\\\(([\s\S]+?)\\\)/.exec(src);
    if (brackets) return math(brackets[0], brackets[1] ?? "", false);
    const dollars = dollarMath(src);
    return dollars && math(dollars.raw, dollars.text, false);
  },
};

const blockMath: TokenizerAndRendererExtension = {
  name: "blockMath",
  level: "block",
  start: (src) => {
    const at = src.search(/(^|\n) {0,3}(\$\$|\\\[)/);
    return at < 0 ? undefined : at;
  },
  tokenizer: (src) => {
    const found = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]) *(?:\n|$)/.exec(src);
    return found ? math(found[0], found[1] ?? found[2] ?? "", true) : undefined;
  },
};

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [inlineMath, blockMath],
  tokenizer: {
    emStrong(src, masked, before = "") {
      // 2*3*4 is a product.
      if (/\d$/.test(before) && /^\*\d/.test(src)) return undefined;
      const found = cjkEmphasis(src, masked, last(before));
      return found ? emphasisToken(this.lexer, found.open, found.inner) : false;
    },
    url(src) {
      if (!/^https?:/i.test(src)) return false;
      const raw = bareUrl(src);
      if (!raw) return undefined;
      return { type: "link", raw, text: raw, href: raw, tokens: [{ type: "text", raw, text: raw, escaped: true }] };
    },
  },
});

export function lex(text: string): Token[] {
  return marked.lexer(text);
}
