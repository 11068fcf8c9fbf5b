// Screenshots of every scene, both themes, both languages, and the accessibility rules (axe) on each.
// `npm run ui:shots -- [FOLDER] [SCENE…]`; ends with status 1 on a violation or an error in the page. A scene that ends in
// `*` stands for all that begin so; HEARTH_SHOTS=light-en,dark-zh-CN takes these looks alone.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { open, withBrowser } from "./browser.mjs";
import { scenes } from "./scenes.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [folder = resolve(import.meta.dirname, "../shots"), ...wanted] = process.argv.slice(2);
let bad = 0;

function complain(name, text) {
  bad += 1;
  console.log(`${name}: ${text}`);
}

/** An open menu or list stands above the page, outside its landmarks: that alone is no fault. */
const counts = ({ id, nodes }) =>
  id !== "region" || nodes.some(({ html }) => !/role="(menu|listbox|presentation)"/.test(html));

/** Chromium reports handlers even of the inert document in which HTML of others is cleaned; `harm` tells real ones. */
const isReport = (text) => text.startsWith("Executing inline event handler violates");

async function shoot(browser, scene, theme, language) {
  const name = `${scene.name}-${theme}-${language}`;
  try {
    const page = await open(browser, { ...scene, theme, language }, (text) => isReport(text) || complain(name, text));
    // Where this fails, the picture shows how far it came.
    await scene.act?.(page, language)?.catch((error) => complain(name, error.message));
    await page.waitForTimeout(350);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await judge(page, name);
    await page.close();
  } catch (error) {
    complain(name, error.message);
  }
}

/** The accessibility rules, whether all of it is in the window, and whether a text of others became a part of the page. */
async function judge(page, name) {
  const harm = () =>
    globalThis.harm ?? document.querySelector("[onerror], [onclick], iframe, script:not([src])")?.outerHTML;
  if (await page.evaluate(harm)) complain(name, "a text of others became a part of the page");
  const wide = () => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) > innerWidth;
  if (await page.evaluate(wide)) complain(name, "something stands out of the window");
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, help, nodes } of violations.filter(counts))
    complain(
      name,
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`,
    );
}

const looks = ["light", "dark"].flatMap((theme) => ["en", "zh-CN"].map((language) => ({ theme, language })));
const asked = process.env.HEARTH_SHOTS?.split(",");
const isWanted = ({ name }) =>
  wanted.length === 0 || wanted.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));

mkdirSync(folder, { recursive: true });
await withBrowser(async (browser) => {
  for (const { theme, language } of looks.filter(
    (look) => !asked || asked.includes(`${look.theme}-${look.language}`),
  )) {
    const context = await browser.newContext();
    // Two at once: most of a scene is waiting.
    const left = scenes.filter(isWanted);
    const some = async () => {
      for (let scene = left.shift(); scene; scene = left.shift()) await shoot(context, scene, theme, language);
    };
    await Promise.all([some(), some()]);
    await context.close();
  }
});
console.log(`${bad} violations and errors`);
process.exit(bad === 0 ? 0 : 1);
