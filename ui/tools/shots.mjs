// Draws pages on the in-memory shell in Debian's Chromium: screenshots of every scene, both themes, both languages, and the
// accessibility rules (axe) on each. `npm run ui:shots -- [FOLDER] [SCENE…]`; ends with status 1 on a violation.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { scenes } from "./scenes.mjs";

const root = resolve(import.meta.dirname, "..");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [folder = join(root, "shots"), ...wanted] = process.argv.slice(2);

async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => (await globalThis.axe.run()).violations);
}

async function shoot() {
  await build({ root, configFile: join(root, "vite.config.ts"), mode: "mock", logLevel: "warn" });
  const server = await preview({
    root,
    configFile: join(root, "vite.config.ts"),
    mode: "mock",
    preview: { port: 4179 },
  });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  mkdirSync(folder, { recursive: true });
  let bad = 0;
  for (const scene of scenes.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    for (const theme of ["light", "dark"]) {
      for (const language of ["en", "zh-CN"]) {
        const page = await browser.newPage({ viewport: scene.size ?? { width: 1240, height: 820 } });
        page.on("pageerror", (error) => console.log(`${scene.name}: ${error.message}`));
        const query = new URLSearchParams({ scene: scene.world ?? "", theme, language });
        await page.goto(`http://localhost:4179/${scene.page ?? "index.html"}?${query}#${scene.path ?? "/chat"}`);
        await scene.act?.(page, language);
        await page.waitForTimeout(350);
        const name = `${scene.name}-${theme}-${language}`;
        await page.screenshot({ path: join(folder, `${name}.png`) });
        for (const { id, help, nodes } of await violations(page)) {
          bad += 1;
          console.log(
            `${name}: ${id}: ${help}\n  ${nodes.map(({ html, failureSummary }) => `${html}\n  ${failureSummary ?? ""}`).join("\n  ")}`,
          );
        }
        await page.close();
      }
    }
  }
  await browser.close();
  await server.close();
  console.log(`${bad} accessibility violations`);
  return bad;
}

process.exit((await shoot()) === 0 ? 0 : 1);
