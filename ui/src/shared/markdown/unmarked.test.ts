// Titles made of Markdown.

import { expect, test } from "vitest";
import { unmarked } from "./unmarked";

test.each([
  ["Plain words, 12½ m", "Plain words, 12½ m"],
  ["**Bold** and *slanted* `code`", "Bold and slanted code"],
  ["# A heading\n\nand text", "A heading and text"],
  ["1. First\n2. Second", "First Second"],
  ["- [ ] Milk\n- [x] Bread", "Milk Bread"],
  ["看看[这篇](https://example.com)文章", "看看这篇文章"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"],
  ["<b>x</b> y", "x y"],
  ["snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"],
  ["**", "**"],
  ["", ""],
])("%s", (text, words) => expect(unmarked(text)).toBe(words));
