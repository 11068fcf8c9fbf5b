// Brings what is built up to date: UI packages, UI, binaries. Each is skipped when nothing it is made of changed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, root, stamp, stampIs } from "./places.mjs";
import { must, run, Stop, told } from "./run.mjs";

/** npm, by the copy that runs us when there is one. */
export function npm(args, options) {
  const own = process.env.npm_execpath;
  return own?.endsWith(".js") ? run(process.execPath, [own, ...args], options) : run("npm", args, options);
}

/** `npm ci`, when the lock changed since the last one. */
export async function uiPackages() {
  const lock = hashOf("package-lock.json");
  if (stampIs("packages", lock)) return;
  const names = Object.keys(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages).length;
  const { status } = await told(`up to ${names} packages from the registry, about a minute the first time`, npm(["ci", "--no-audit", "--no-fund", "--no-update-notifier"]));
  if (status !== 0) throw new Stop("npm ci failed: the lines above say why");
  stamp("packages", lock);
}

/** The built UI, which the desktop binary embeds. A bare cargo build may have put a stand-in in its place. */
export async function uiBuilt() {
  const made = hashOf("ui", "package.json", "package-lock.json");
  const page = join("ui", "dist", "index.html");
  if (stampIs("ui", made + hashOf(page)) && existsSync(join(root, page))) return;
  const { status } = await told("bundling the UI", npm(["run", "--silent", "ui:build"]));
  if (status !== 0) throw new Stop("The UI does not build: the lines above say why");
  stamp("ui", made + hashOf(page));
}

/** The binaries, and with `tests` everything that tests need too. One set of flags for all, or hundreds of crates build twice. */
export async function binaries({ tests = false } = {}) {
  const what = tests ? "--all-targets" : "--bins";
  await must("cargo", ["build", "--workspace", what, "--locked"], "The build failed: the lines above say why");
}
