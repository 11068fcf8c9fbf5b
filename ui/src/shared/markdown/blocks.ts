// A growing text as a list of blocks. Blocks that are finished stay the same objects, so nothing that stands is drawn again;
// only what follows the start of the last two is read anew.
//
// Invariant: for the same text the blocks are those of reading it whole.

import type { Token } from "marked";
import { lex } from "./dialect";
import { mend } from "./mend";

export interface Block {
  /** Its place among the blocks: the identity of what is drawn. */
  key: number;
  token: Token;
}

export interface Parsed {
  text: string;
  /** Finished blocks and the last one, as written. */
  tokens: Token[];
}

const nothing: Parsed = { text: "", tokens: [] };

/** Reads a text, going on from what was read before where that is its beginning. */
export function parse(text: string, before: Parsed = nothing): Parsed {
  const clean = text.replaceAll("\r\n", "\n");
  if (clean === before.text) return before;
  if (!before.text || !clean.startsWith(before.text)) return { text: clean, tokens: lex(clean) };
  const kept = before.tokens.slice(0, settled(before.tokens));
  const head = kept.map(({ raw }) => raw).join("");
  // The lexer rewrites the source of some half-written lists; then everything is read again.
  if (!clean.startsWith(head)) return { text: clean, tokens: lex(clean) };
  return { text: clean, tokens: [...kept, ...lex(clean.slice(head.length))] };
}

/** How many tokens nothing can change any more: the last block grows, and the one before may still take it in (`2` becomes `2.`). */
function settled(tokens: readonly Token[]): number {
  return lastBlock(tokens.slice(0, lastBlock(tokens)));
}

/** Place of the last block that is more than blank lines. */
function lastBlock(tokens: readonly Token[]): number {
  const at = tokens.findLastIndex(({ type }) => type !== "space");
  return Math.max(at, 0);
}

/** What to draw. While the text grows, its last block is mended first. */
export function blocksOf({ tokens }: Parsed, growing: boolean): Block[] {
  const shown = tokens.map((token, key) => ({ key, token }));
  const at = lastBlock(tokens);
  const tail = shown[at];
  if (growing && tail) {
    const raw = tokens
      .slice(at)
      .map((token) => token.raw)
      .join("");
    const mended = mend(raw);
    if (mended !== raw)
      shown.splice(at, shown.length - at, ...lex(mended).map((token, offset) => ({ key: at + offset, token })));
  }
  return shown.filter(({ token }) => token.type !== "space" && token.type !== "def");
}
