// Where the dialect differs from GFM: money and formulas, emphasis beside Chinese, addresses inside Chinese text.

import type { Token } from "marked";
import { expect, test } from "vitest";
import { blocksOf, parse } from "./blocks";
import { bareUrl, dollarMath, lex } from "./dialect";
import { mend } from "./mend";

/** Tokens as a short line: `strong(加粗)`. */
function outline(tokens: Token[]): string {
  const one = (token: Token): string => {
    const inner =
      "tokens" in token && token.tokens?.length ? outline(token.tokens) : ((token as { text?: string }).text ?? "");
    return token.type === "text" || token.type === "paragraph" ? inner : `${token.type}(${inner})`;
  };
  return tokens.map(one).join("");
}

test.each([
  ["**中文粗体（带括号）**后面", "strong(中文粗体（带括号）)后面"],
  ["中文**“引号”**也要", "中文strong(“引号”)也要"],
  ["这是*斜体。*后面", "这是em(斜体。)后面"],
  ["***重点！***后面", "em(strong(重点！))后面"],
  ["**a（b）**后，**c（d）**后", "strong(a（b）)后，strong(c（d）)后"],
  ["2*3*4", "2*3*4"],
  ["a*b*c", "aem(b)c"],
  ["**bold** text", "strong(bold) text"],
  ["** not bold **", "** not bold **"],
  ["**代码 `a**b` 完**后", "strong(代码 codespan(a**b) 完)后"],
  ["snake_case_name", "snake_case_name"],
])("%s", (text, wanted) => {
  expect(outline(lex(text))).toBe(wanted);
});

test.each([
  ["$E=mc^2$", "E=mc^2"],
  ["$x$。", "x"],
  ["$2x + 1$", "2x + 1"],
  ["$5 and $10", undefined],
  ["$/Monat … 39 $/Monat", undefined],
  ["$20，一年$200", undefined],
  ["$5 or A$", undefined],
  ["$\\text{高度} = 3$", "\\text{高度} = 3"],
  ["$ x$", undefined],
])("dollars: %s", (text, wanted) => {
  expect(dollarMath(text)?.text).toBe(wanted);
});

test.each([
  ["https://example.com/路径?q=你好。后面", "https://example.com/路径?q=你好"],
  ["https://example.com/a_(b)) x", "https://example.com/a_(b)"],
  ["https://example.com.", "https://example.com"],
  ["https://例子.中国（说明）", "https://例子.中国"],
])("address: %s", (text, wanted) => {
  expect(bareUrl(text)).toBe(wanted);
});

test.each([
  ["a **half", "a **half**"],
  ["a `half", "a `half`"],
  ["text，**", "text，"],
  ["done **a** and **", "done **a** and"],
  ["a **b*", "a **b**"],
  ["3 * ", "3 *"],
  ["text\n-", "text"],
  ["text\n``", "text"],
  ["$$\n\\frac{1}", ""],
  ["is $c = h + ", "is"],
  ["costs $5 and", "costs $5 and"],
  ["19 $/Monat", "19 $/Monat"],
  ["$AAPL went up", "$AAPL went up"],
  ["so \\(a+", "so"],
  ["| a | b |\n", "| a | b |\n| --- | --- |"],
  ["| a | b |\n|--", "| a | b |\n| --- | --- |"],
  ["```\n**", "```\n**"],
])("a half-written tail: %j", (text, wanted) => {
  expect(mend(text)).toBe(wanted);
});

test("reading on gives the tokens of reading whole, and keeps the finished ones", () => {
  const text = "# A\n\n- one\n- two\n\n  more\n\n```js\nlet a\n```\n\nend\n";
  let read = parse("");
  for (let at = 1; at <= text.length; at += 1) {
    const before = read;
    read = parse(text.slice(0, at), read);
    expect(outline(read.tokens), text.slice(0, at)).toBe(outline(parse(text.slice(0, at)).tokens));
    const kept = before.tokens.slice(0, -4);
    expect(read.tokens.slice(0, kept.length).every((token, place) => token === kept[place])).toBe(true);
  }
  expect(outline(read.tokens)).toBe(outline(parse(text).tokens));
  expect(blocksOf(read, false).map(({ token }) => token.type)).toEqual(["heading", "list", "code", "paragraph"]);
});
