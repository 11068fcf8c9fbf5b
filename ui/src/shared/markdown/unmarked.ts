// Markdown as one plain line, for titles and lists.

import type { Token } from "marked";
import { lex } from "./dialect";

/** The words of a text, without marks, in one line. */
export function unmarked(text: string): string {
  if (!/[*_`#>[\]~|\\$<&\n]|^\s*(?:[-+]|\d+[.)])\s/.test(text)) return text;
  return wordsOf(lex(text)).replaceAll(/\s+/g, " ").trim();
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens.map(words).join("");
}

function words(token: Token): string {
  const inner = "tokens" in token ? token.tokens : undefined;
  switch (token.type) {
    case "list":
      return token.items.map((item: { tokens: Token[] }) => `${wordsOf(item.tokens)} `).join("");
    case "table":
      return [token.header, ...token.rows]
        .flatMap((row: { tokens: Token[] }[]) => row.map((cell) => `${wordsOf(cell.tokens)} `))
        .join("");
    case "html":
      return token.raw.replaceAll(/<[^>]*>/g, "");
    case "space":
    case "hr":
    case "br":
      return " ";
    case "checkbox":
      return "";
    default: {
      const said = inner && inner.length > 0 ? wordsOf(inner) : "text" in token ? String(token.text) : token.raw;
      return blocks.has(token.type) ? `${said} ` : said;
    }
  }
}

const blocks = new Set(["heading", "paragraph", "code", "blockquote", "math"]);
