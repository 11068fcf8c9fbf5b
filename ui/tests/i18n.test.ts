// Both languages are complete: the same keys, the same placeholders, and every plural form that each language has.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../src/shared/i18n/locales");
interface Texts {
  [key: string]: string | Texts;
}
const flat = (texts: Texts, under = ""): [string, string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === "string" ? [[under + key, text]] : flat(text, `${under}${key}.`),
  );
const read = (path: string): Record<string, string> =>
  Object.fromEntries(flat(JSON.parse(readFileSync(join(folder, path), "utf8"))));
const namespaces = readdirSync(join(folder, "en"));

const plural = /_(zero|one|two|few|many|other)$/;
const bases = (texts: Record<string, string>) =>
  [...new Set(Object.keys(texts).map((key) => key.replace(plural, "")))].sort();
const holes = (text: string) => [...text.matchAll(/\{\{([\w, ]+)\}\}/g)].map(([, name]) => name).sort();

test("the languages have the same namespaces", () => {
  expect(readdirSync(join(folder, "zh-CN"))).toEqual(namespaces);
});

test.each(namespaces)("%s has the same keys and placeholders in both languages", (file) => {
  const [en, zh] = [read(`en/${file}`), read(`zh-CN/${file}`)];
  expect(bases(zh)).toEqual(bases(en));
  for (const [key, text] of Object.entries(zh)) {
    expect(text.trim(), key).not.toBe("");
    expect(holes(text), key).toEqual(holes(en[key] ?? ""));
  }
});

test.each(namespaces)("%s has every plural form", (file) => {
  for (const language of ["en", "zh-CN"]) {
    const texts = read(`${language}/${file}`);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const counted = Object.keys(texts)
      .filter((key) => plural.test(key))
      .map((key) => key.replace(plural, ""));
    for (const base of counted) for (const form of forms) expect(texts, language).toHaveProperty([`${base}_${form}`]);
  }
});
