// Where things are. Everything that is built or fetched lives outside the clone, so every clone shares it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cache = process.env.HEARTH_BUILD_CACHE ?? join(homedir(), ".cache", "hearth");
export const target = process.env.CARGO_TARGET_DIR ?? join(cache, "target");
export const testModels = process.env.HEARTH_TEST_MODELS ?? join(cache, "test-models");

const exe = process.platform === "win32" ? ".exe" : "";
/** A binary of the development profile. */
export const binary = (name) => join(target, "debug", name + exe);

/** The stamps that make a second run quick live in node_modules: they vanish with what they vouch for. */
const stampFile = (name) => join(root, "node_modules", ".hearth", name);

export function stampIs(name, value) {
  return existsSync(stampFile(name)) && readFileSync(stampFile(name), "utf8") === value;
}

export function stamp(name, value) {
  mkdirSync(dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), value);
}

const passedOver = new Set(["node_modules", "dist", "shots", ".git"]);

function* filesUnder(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (passedOver.has(entry.name)) continue;
    const full = join(path, entry.name);
    if (entry.isDirectory()) yield* filesUnder(full);
    else if (entry.isFile()) yield full;
  }
}

/** One hash over files and whole folders, names included; what does not exist counts as absent. */
export function hashOf(...paths) {
  const hash = createHash("sha256");
  for (const path of paths.map((part) => join(root, part)).filter(existsSync)) {
    const files = statSync(path).isDirectory() ? [...filesUnder(path)].sort() : [path];
    for (const file of files) {
      hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

