// The guide holds together: both languages have the same pages and headings, every link and picture is there, and what
// stands in bold is what the window says.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import test from "node:test";
import { root } from "./places.mjs";

const guide = join(root, "docs", "guide");
const images = join(guide, "images");
const languages = ["en", "zh-CN"];
const namesOf = (language) => readdirSync(join(guide, language)).filter((name) => name.endsWith(".md")).sort();
const pages = languages.flatMap((language) => namesOf(language).map((name) => ({ language, path: join(guide, language, name) })));
/** Without what stands in fences, where `#` and links mean nothing. */
const textOf = (path) => readFileSync(path, "utf8").replace(/^ *```[^]*?^ *```/gm, "");
const headingsOf = (path) => [...textOf(path).matchAll(/^(#+) (.+)$/gm)].map(([, marks, title]) => ({ level: marks.length, title }));
/** The anchor that GitHub gives a heading. */
const anchorOf = (title) => title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
const linksOf = (path) => [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
const here = (path) => path.slice(root.length + 1);

test("both languages have the same pages, each with the same headings", () => {
  const [english, chinese] = languages.map(namesOf);
  assert.ok(english.length >= 10, `only ${english.length} pages`);
  assert.deepEqual(chinese, english);
  for (const name of english) {
    const [first, second] = languages.map((language) => headingsOf(join(guide, language, name)).map(({ level }) => level));
    assert.ok(first.length > 1, `${name} has no headings`);
    assert.deepEqual(second, first, `${name}: the headings differ`);
  }
});

test("every link leads somewhere, to a heading where it names one", () => {
  for (const { path } of pages) {
    for (const link of linksOf(path)) {
      if (/^https?:/.test(link)) continue;
      const [file, anchor] = link.split("#");
      const target = file === "" ? path : resolve(dirname(path), file);
      assert.ok(existsSync(target), `${here(path)} links to ${link}, which is not there`);
      if (anchor) {
        const anchors = headingsOf(target).map(({ title }) => anchorOf(title));
        assert.ok(anchors.includes(decodeURIComponent(anchor)), `${here(path)} links to ${link}, a heading that is not there`);
      }
    }
  }
});

test("every page can be reached from the first one, and the first ones from the README", () => {
  for (const language of languages) {
    const linked = linksOf(join(guide, language, "index.md")).map((link) => basename(link));
    for (const name of namesOf(language)) if (name !== "index.md") assert.ok(linked.includes(name), `${language}/index.md does not name ${name}`);
    assert.ok(linksOf(join(root, "README.md")).includes(`docs/guide/${language}/index.md`), `the README does not lead to ${language}`);
  }
});

test("pictures are those of the page's language, all are used, and they stay small", () => {
  const shown = pages.flatMap(({ language, path }) => {
    const found = linksOf(path).filter((link) => link.endsWith(".png"));
    for (const link of found) assert.ok(link.endsWith(`-${language}.png`), `${here(path)} shows ${link}`);
    return found.map((link) => basename(link));
  });
  const there = readdirSync(images);
  assert.deepEqual([...new Set(shown)].sort(), there.sort(), "pictures shown and pictures there");
  const bytes = there.reduce((sum, name) => sum + statSync(join(images, name)).size, 0);
  assert.ok(bytes < 3_000_000, `${bytes} bytes of pictures`);
});

test("what stands in bold are the window's own words", () => {
  for (const language of languages) {
    const words = wordsOf(language);
    for (const { path } of pages.filter((page) => page.language === language)) {
      for (const [, bold] of textOf(path).matchAll(/\*\*([^*]+)\*\*/g)) {
        for (const word of bold.split(" → ")) assert.ok(words.has(word), `${here(path)}: the window does not say “${word}”`);
      }
    }
  }
});

/** What the window and the tray say in a language; what is put in stands as `…`. */
function wordsOf(language) {
  const folder = join(root, "ui", "src", "shared", "i18n", "locales", language);
  const valuesOf = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(valuesOf));
  const said = readdirSync(folder).flatMap((name) => valuesOf(JSON.parse(readFileSync(join(folder, name), "utf8"))));
  const tray = readFileSync(join(root, "src-tauri", "src", "text.rs"), "utf8").matchAll(/: "([^"]+)"/g);
  return new Set([...said.map((text) => text.replace(/\{\{\w+\}\}/g, "…")), ...[...tray].map(([, text]) => text)]);
}
