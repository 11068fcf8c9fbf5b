// Runs other programs and says what went wrong in one line. Knows nothing of what they are for.
import { spawn, spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { accessSync, constants } from "node:fs";
import { root, target } from "./places.mjs";

const windows = process.platform === "win32";

/** Ends the command with a message meant for a person, without a stack trace. */
export class Stop extends Error {}

/** Is this program on the path? */
export function has(program) {
  const names = windows ? [`${program}.exe`, `${program}.cmd`] : [program];
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => names.some((name) => isProgram(join(folder, name))));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a quick program prints, trimmed; null when it is missing or fails. */
export function read(program, args) {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return done.status === 0 ? done.stdout.trim() : null;
}

/** Runs a program with its output on ours; with `keep`, its output is also returned. Never throws on a bad status. */
export function run(program, args, { env = {}, keep = false, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, CARGO_TARGET_DIR: target, ...env },
      stdio: keep ? ["inherit", "pipe", "pipe"] : "inherit",
      shell: windows && program === "npm",
    });
    let output = "";
    const copy = (from, to) => from?.on("data", (chunk) => {
      output += chunk;
      to.write(chunk);
    });
    copy(child.stdout, process.stdout);
    copy(child.stderr, process.stderr);
    child.on("error", (error) => {
      console.error(`${program} did not start: ${error.message}`);
      resolve({ status: 127, output });
    });
    child.on("close", (status, signal) => resolve({ status: status ?? 128, signal, output }));
  });
}

/** Like `run`, but a bad status ends the command with `otherwise`. */
export async function must(program, args, otherwise, options) {
  const done = await run(program, args, options);
  if (done.status !== 0) throw new Stop(otherwise);
  return done;
}

/** The body of a script: turns `Stop` into one line and status 1. */
export async function main(body) {
  try {
    process.exitCode = (await body(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Says what quiet work is about, and that it still goes on. */
export async function told(what, work, every = 15_000) {
  console.log(`  ${what}`);
  const began = Date.now();
  const clock = setInterval(() => console.log(`  still at it after ${Math.round((Date.now() - began) / 1000)} s`), every);
  try {
    return await work;
  } finally {
    clearInterval(clock);
  }
}

/** A heading with the time the step took. */
export async function step(title, body) {
  const began = Date.now();
  console.log(`\n▸ ${title}`);
  try {
    return await body();
  } finally {
    console.log(`  ${title}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
}
