// The built pages on the in-memory shell, in Debian's Chromium, under the same content policy and frozen prototypes as in the app.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const root = resolve(import.meta.dirname, "..");
const configFile = join(root, "vite.config.ts");
const port = Number(process.env.HEARTH_SHOTS_PORT ?? 4179);

/** The app's own policy, without what only Tauri's IPC needs. */
function policy() {
  const { csp } = JSON.parse(readFileSync(join(root, "../src-tauri/tauri.conf.json"), "utf8")).app.security;
  return Object.entries(csp)
    .map(([name, value]) => `${name} ${name === "connect-src" ? "'self'" : value}`)
    .join("; ");
}

/** Builds, serves, opens a browser, and closes all of it after `use`. */
export async function withBrowser(use) {
  await build({ root, configFile, mode: "mock", logLevel: "error" });
  const headers = { "Content-Security-Policy": policy() };
  const server = await preview({ root, configFile, mode: "mock", logLevel: "error", preview: { port, headers } });
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Opens a page, in a browser or in a context that keeps what was fetched. What goes wrong in it is handed to `trouble`.
 * @param {import("playwright-core").Browser | import("playwright-core").BrowserContext} browser
 */
export async function open(
  browser,
  { page: entry = "index.html", path = "/", world = "", theme = "light", language = "en", size },
  trouble,
) {
  const page = await browser.newPage();
  // A busy machine may take long; a scene that never comes is a fault either way.
  page.setDefaultTimeout(250_000);
  await page.setViewportSize(size ?? { width: 1240, height: 820 });
  page.on("pageerror", (error) => trouble(error.message));
  page.on("console", (message) => message.type() === "error" && trouble(message.text()));
  await page.addInitScript(() => {
    Object.freeze(Object.prototype);
    localStorage.clear();
  });
  const query = new URLSearchParams({ scene: world, theme, language });
  await page.goto(`http://localhost:${port}/${entry}?${query}#${path}`);
  return page;
}
