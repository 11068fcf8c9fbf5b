// The core's sentences that the window shows are all known to `said`, and `said` knows no others: read from the sources
// of the crates, so that a new English sentence is not forgotten. A sentence that never reaches the window is listed here.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import faults from "@/shared/i18n/locales/en/faults.json";
import reasons from "@/shared/i18n/locales/en/said.json";
import { recognise, said, saidLines, saidTogether } from "@/shared/i18n/said";
import { built, elsewhere, places } from "./fixtures/spoken";

const crates = join(import.meta.dirname, "../../crates");
/** Stands where a sentence holds something. */
const held = "Ω";

/** The strings of a Rust source, without those of its tests, its log lines and its attributes. */
function strings(source: string): string[] {
  const code = source.split(/#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\S* )?mod \w+ \{/)[0] ?? "";
  const token = /\/\/[^\n]*|r(#*)"([\s\S]*?)"\1|"((?:[^"\\]|\\[\s\S])*)"|'(?:[^'\\\n]|\\[^\n][^'\n]*)'/g;
  const found: string[] = [];
  let since = 0;
  for (const { 0: all, 2: raw, 3: plain, index } of code.matchAll(token)) {
    const text = raw ?? plain;
    const before = code.slice(since, index);
    if (/[;{}]/.test(before)) since = index;
    if (text === undefined || /(tracing::\w+!\([^;]*|#!?\[[^\]]*reason = |expect\(\s*)$/.test(before)) continue;
    found.push(raw ?? unescaped(plain ?? ""));
    since = index + all.length;
  }
  return found;
}

const unescaped = (text: string) =>
  text
    .replace(/\\\n\s*/g, "")
    .replace(/\\n/g, "\n")
    .replace(/\\(["\\])/g, "$1");

/** A string of `format!` with something in each of its holes, and the quotes that `:?` makes. */
const filled = (text: string) =>
  text
    .replace(/\{\w*:\?\}/g, `"${held}"`)
    .replace(/\{[\w.$]*(:[^{}]*)?\}/g, held)
    .replaceAll("{{", "{")
    .replaceAll("}}", "}");

/** Two words make a sentence; Chinese, SQL and a list of names are none. */
const isSentence = (text: string) =>
  /[A-Za-z]{2,}.* .*[A-Za-z]{2,}/s.test(text.replaceAll(held, "")) &&
  !/\p{Script=Han}|^\s*(SELECT|INSERT|UPDATE|DELETE|PRAGMA|BEGIN|VACUUM)\b|^(\w+, )+\w+$/u.test(text);

const used = new Set<string>();

/** Whether `said` knows a text, whole or joined, with nothing English left in what it holds. */
function isKnown(text: string): boolean {
  const whole = recognise(text);
  if (whole) {
    used.add(whole.key);
    return Object.values(whole.parts).every((part) => !isSentence(part) || isKnown(part));
  }
  const pieces = text.split(/\n|; |(?<=[.?!]) (?=[\p{Lu}`“"])/u).filter(Boolean);
  return pieces.length > 1 && pieces.every((piece) => !isSentence(piece) || isKnown(piece));
}

/** A piece of a sentence is known in its place: after a name, or between what stands around it. */
const isSpoken = (text: string) =>
  [text, `${held} ${text}`, `${held}${text}`, `${held}${text}${held}`, `${text}${held}`].some((one) =>
    isKnown(one.trim()),
  );

const files = Object.entries(places).flatMap(([folder, names]) => {
  const all = () => readdirSync(join(crates, folder)).filter((name) => name.endsWith(".rs"));
  const own = names === "*" ? all() : names.split(" ").map((name) => `${name}.rs`);
  return own.map((name) => `${folder}/${name}`);
});

const missing = files.flatMap((file) => {
  const own = new Set(strings(readFileSync(join(crates, file), "utf8")).map(filled));
  const unknown = [...own].filter((text) => !isSpoken(text) && isSentence(text));
  return unknown
    .filter((text) => !elsewhere.some((one) => text.trimStart().startsWith(one)))
    .map((text) => `${file}: ${text}`);
});

test("what is put together is known", () => {
  expect(built.filter((text) => !isKnown(text))).toEqual([]);
});

test("every sentence of the core that the window shows has its translation", () => {
  expect(missing).toEqual([]);
});

test("no translation is of a sentence that the core no longer says", () => {
  const keys = (space: string, texts: Record<string, Record<string, string>>) =>
    Object.entries(texts).flatMap(([area, all]) => Object.keys(all).map((key) => `${space}:${area}.${key}`));
  const known = [...keys("said", reasons), ...keys("faults", faults)];
  expect(known.filter((key) => !used.has(key))).toEqual([]);
});

test.each([
  ["denied", "已拒绝"],
  [
    "this turn has read a web page, a mail; running a command needs your yes",
    "这一轮读过网页、邮件；运行命令需要你同意",
  ],
  [
    "it redirects (> a.txt) (inside it: sh, rm), and nobody is here to be asked",
    "有重定向（> a.txt）（其中还有：sh、rm），而且没有人可以询问",
  ],
  ["must be true or false; the default is used", "必须是布尔值（true 或 false）；使用默认值"],
  [
    "line 3: ui.theme is not a key of hearth.toml; line 9: x is not a key of hearth.toml",
    "第 3 行：ui.theme 不是 hearth.toml 的键；第 9 行：x 不是 hearth.toml 的键",
  ],
  ["budget.daily_usd must be a number from 0", "budget.daily_usd 必须是不小于 0 的数"],
  [
    "api.example.com refused the key (HTTP 401). It said: No. Not this one.",
    "api.example.com 拒绝了密钥（HTTP 401）。它说：No. Not this one.",
  ],
  [
    "near to the message: MEMORY.md:3-5 (words 80 %, meaning 0.61); memory/2026-11-28.md:2-2 (the nearest there is)",
    "与消息相近：MEMORY.md:3-5（词语 80%、含义 0.61）；memory/2026-11-28.md:2-2（已是最接近的）",
  ],
  [
    "no embedding model is here: memory is searched by words alone\n3 more files are not searched",
    "没有理解含义的模型：记忆只按词语搜索\n另有 3 个文件未被搜索",
  ],
  ["/home/ada/b.hearth: the passphrase does not open it", "/home/ada/b.hearth：口令打不开它"],
  ["the word moor, the subject of ships, meaning 0.74", "词语“moor”、“ships”所属的主题、含义 0.74"],
  ["Nobody knows this sentence. Try again.", "Nobody knows this sentence. Try again."],
  ["用户让我记住的", "用户让我记住的"],
  ["", ""],
])("%j in Chinese", (text, wanted) => {
  expect(said(text, "zh-CN")).toBe(wanted);
  expect(said(text, "en")).toBe(text);
});

test("the answer to a command, line by line", () => {
  const context =
    "| section | source | tokens |\n|---|---|---:|\n| soul | SOUL.md (cut) | 410 |\n| mood | skills | 3 |";
  expect(saidLines(context, "zh-CN")).toBe(
    "| 部分 | 来源 | 词元 |\n|---|---|---:|\n| 灵魂 | SOUL.md（已截短） | 410 |\n| mood | 技能 | 3 |",
  );
  const undone = "- `a.md`: taken back; later changes stay\n- `b.md`: removed, the turn had made it";
  expect(saidLines(undone, "zh-CN")).toBe("- `a.md`：已撤回；之后的修改保留\n- `b.md`：已删除，它是那一轮新建的");
  expect(saidLines("- `/stop` `/停止`: stop what runs here", "zh-CN")).toBe("- `/stop` `/停止`：停止正在进行的轮次");
  const models = "- `local/qwen` (default)\n- `work/x` · There is no key for work.";
  expect(saidLines(models, "zh-CN")).toBe("- `local/qwen`（默认）\n- `work/x` · 没有 work 的密钥。");
  expect(saidLines(context, "en")).toBe(context);
});

test("what holds placeholders or is endless stays as it is", () => {
  expect(said("there is no skill {{name}} $t(common:close)", "zh-CN")).toBe("没有技能 {{name}} $t(common:close)");
  const endless = `there is no skill ${"a: b; c. ".repeat(500)}`;
  expect(said(endless, "zh-CN")).toBe(endless);
});

test("what happened and what to do stand together", () => {
  const both = ["there is no skill tides", "`hearth skills list` names them."];
  expect(saidTogether(both, "zh-CN")).toBe("没有技能 tides `hearth skills list` 会列出它们。");
  expect(saidTogether(["the passphrase is wrong", "Try again. Nothing was changed."], "zh-CN")).toBe(
    "口令不对。请重试。没有改动任何内容。",
  );
  expect(saidTogether(both, "en")).toBe("there is no skill tides `hearth skills list` names them.");
});

test("problems that stand below one another are said one by one", () => {
  const problems = [
    "HEARTBEAT.md line 4: `trigger: 0 0 9 * 9`: this cron cannot be read: 9 is none of the weekdays (0-6).",
    "HEARTBEAT.md line 10: `action: dance` is unknown: write send_message, run_turn, run_skill or consolidate_memory.",
  ];
  const lines = said(problems.join("\n"), "zh-CN").split("\n");
  expect(lines).toEqual(problems.map((problem) => said(problem, "zh-CN")));
  expect(lines.join()).not.toMatch(/weekdays|unknown/);
});
