// What the core says in English, said in the window's language: reasons, faults, hints, problems by line.
//
// The English texts of the namespaces `said` and `faults` are the patterns: a sentence of the core with a hole where it
// holds something. `{{name}}` is shown as it is, `{{why, said}}` is a sentence itself, `{{what, saidList}}` are several,
// `{{hits, saidHits}}` are places with theirs, `{{name, saidSection}}` is a section of a prompt. Sentences stand alone or joined: as lines, by full stops, semicolons or
// commas, behind a name and a colon. English passes unchanged, and so does what nobody has translated: texts of models, of
// servers, of the system. A test holds the list to the core's sources.

import i18next from "i18next";
import { useTranslation } from "react-i18next";
import faults from "./locales/en/faults.json";
import reasons from "./locales/en/said.json";

interface Pattern {
  key: string;
  /** What stands between the holes, in order. */
  fixed: string[];
  /** Where what is shown as it is holds no more sentences. */
  strict: RegExp;
  loose: RegExp;
}

/** A sentence that was recognised. */
export interface Known {
  key: string;
  parts: Record<string, string>;
}

/** Longer texts are no sentences. */
const longest = 2000;
const hole = /\{\{(\w+)(, \w+)?\}\}/g;
const anything = "[\\s\\S]+?";
/** Something short, without what joins sentences and the brackets behind them; at the beginning without a colon. */
const something = "(?:(?!, |; |[.?!] |\\) \\()[^\\n])+?";
const first = something.replace("; |", "; |: |");

function patternOf([key, text]: [string, string]): Pattern {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  const whole = (plain: (at: number) => string) =>
    new RegExp(`^${escaped.replace(hole, (_, name, how, at) => `(?<${name}>${how ? anything : plain(at)})`)}$`);
  return {
    key,
    fixed: text.replace(hole, "\n").split("\n"),
    strict: whole((at) => (at === 0 ? first : something)),
    loose: whole(() => anything),
  };
}

function flat(space: string, texts: Record<string, Record<string, string>>): [string, string][] {
  const areas = Object.entries(texts);
  return areas.flatMap(([area, all]) =>
    Object.entries(all).map(([key, text]): [string, string] => [`${space}:${area}.${key}`, text]),
  );
}

/** Those that say most stand first: a sentence with many words of its own before one that is nearly all holes. */
let all: Pattern[] | null = null;
function patterns(): Pattern[] {
  const weight = ({ fixed }: Pattern) => fixed.join("").length;
  all ??= [...flat("said", reasons), ...flat("faults", faults)]
    .map(patternOf)
    .toSorted((one, other) => weight(other) - weight(one));
  return all;
}

/** Whether the fixed pieces stand in a text, in order; cheaper than the expression. */
function mayBe({ fixed }: Pattern, text: string): boolean {
  let at = 0;
  return fixed.every((piece, index) => {
    const found = index === 0 ? (text.startsWith(piece) ? 0 : -1) : text.indexOf(piece, at);
    at = found + piece.length;
    return found >= 0;
  });
}

/** Recognises one sentence as a whole. */
export function recognise(text: string, how: "strict" | "loose" = "strict"): Known | null {
  for (const pattern of patterns()) {
    const found = mayBe(pattern, text) ? pattern[how].exec(text) : null;
    if (found) return { key: pattern.key, parts: { ...found.groups } };
  }
  return null;
}

type Speak = (text: string) => string | null;

/** Several sentences, if each is known. */
function joined(text: string, between: RegExp, glue: string, speak: Speak): string | null {
  const pieces = text.split(between);
  if (pieces.length < 2) return null;
  const spoken = pieces.map(speak);
  return spoken.includes(null) ? null : spoken.join(glue);
}

/** A name or a sentence, a colon, and a sentence. */
function headed(text: string, speak: Speak): string | null {
  for (let at = text.indexOf(": "); at > 0; at = text.indexOf(": ", at + 2)) {
    const tail = speak(text.slice(at + 2));
    if (tail) return `${speak(text.slice(0, at)) ?? text.slice(0, at)}：${tail}`;
  }
  return null;
}

/** A path or a key. */
const isName = (text: string) => /^(?:\S*[./\\]\S*|(?:[/~]|[A-Z]:).*)$/.test(text);

/** A path or a key, and what is said of it. */
function subject(text: string, speak: Speak): string | null {
  for (let at = text.indexOf(" "); at > 0; at = text.indexOf(" ", at + 1)) {
    const head = text.slice(0, at);
    const tail = isName(head) && speak(text.slice(at + 1));
    if (tail) return `${head} ${tail}`;
  }
  return null;
}

const cache = new Map<string, string | null>();

function inWords(text: string, lng: string): string | null {
  if (text.length > longest) return null;
  const name = `${lng} ${text}`;
  const kept = cache.get(name);
  if (kept !== undefined) return kept;
  const speak: Speak = (piece) => inWords(piece, lng);
  const told = (known: Known | null) =>
    known && i18next.t(known.key as "said:guard.denied", { lng, replace: known.parts });
  const whole: Speak = (piece) => told(recognise(piece));
  const spoken =
    // Lines first: what a sentence holds at its end would take in the next ones.
    joined(text, /\n/, "\n", speak) ??
    whole(text) ??
    joined(text, /(?<=[.?!]) (?=[\p{Lu}`“"])/u, "", speak) ??
    joined(text, /; /, "；", speak) ??
    joined(text, /, /, "、", whole) ??
    told(recognise(text, "loose")) ??
    headed(text, speak) ??
    subject(text, whole);
  if (cache.size > 5000) cache.clear();
  cache.set(name, spoken);
  return spoken;
}

/** A text of the core in the window's language; as it is where it is English, or not known. */
export function said(text: string, language = i18next.language): string {
  return language === "en" ? text : (inWords(text, language) ?? text);
}

/** A text of several lines, such as Markdown: each is a sentence of its own. */
export function saidLines(text: string, language = i18next.language): string {
  const lines = text.split("\n");
  return lines.map((line) => said(line, language)).join("\n");
}

/** `said`, for components: they are drawn anew when the language changes. */
export function useSaid(): (text: string) => string {
  const { language } = useTranslation().i18n;
  return (text) => said(text, language);
}

/** A text of the core. */
export function Said({ text }: { text: string }): string {
  return useSaid()(text);
}

/** Sentences one after the other, such as what happened and what to do. */
export function saidTogether(texts: string[], language = i18next.language): string {
  const spoken = texts.filter(Boolean).map((text) => said(text, language));
  if (language === "en") return spoken.join(" ");
  const ended = spoken.map((text) => (/[\p{Script=Han}）]$/u.test(text) ? `${text}。` : text));
  return ended.join(" ").replaceAll("。 ", "。");
}

type Format = (value: unknown, language: string | undefined) => string;

/** How the parts of a sentence are said, for the translations that mark them. */
export function partsOfSaid(add: (name: string, format: Format) => void): void {
  const list = (text: string, language?: string) =>
    text
      .split(/, | or /)
      .map((one) => said(one, language))
      .join("、");
  add("said", (text, language) => said(String(text), language));
  add("saidSection", (name, lng) => i18next.t(`chat:section.${name}` as "chat:section.soul", String(name), { lng }));
  add("saidList", (text, language) => list(String(text), language));
  add("saidHits", (text, language) => {
    const hits = String(text).split("; ");
    return hits.map((hit) => hit.replace(/ \(([^()]*)\)$/, (_, why) => `（${list(why, language)}）`)).join("；");
  });
}
