// What an idle Hearth costs: how often it wakes and how much of a core it uses while nobody looks.
//   node bench/idle.mjs serve [SECONDS] [BINARY]                                 `hearth serve`, no display needed
//   node scripts/session.mjs node bench/idle.mjs app [SECONDS] [BINARY]          the app in the tray, its main window closed
// A wake-up is a context switch of one of the process's threads that it asked for (it had slept). The app's own process
// and the whole app with the web view's processes are counted apart.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { threads, treeOf } from "./processes.mjs";

const [what = "serve", seconds = "60", given] = process.argv.slice(2);
const settle = 15_000;

const round = (value) => Math.round(value * 1000) / 1000;

async function measure(pid) {
  await pause(settle);
  const pids = treeOf(pid);
  const read = () => new Map(pids.map((one) => [one, threads(one)]));
  const [before, begun] = [read(), performance.now()];
  await pause(Number(seconds) * 1000);
  const [after, passed] = [read(), (performance.now() - begun) / 1000];
  // A thread that ended meanwhile is left out; one that began counts whole.
  const done = pids.flatMap((one) => after.get(one).map((thread) => {
    const old = before.get(one).find(({ task }) => task === thread.task) ?? { wakes: 0, ran: 0 };
    return { pid: one, name: thread.name, wakes: (thread.wakes - old.wakes) / passed, ran: (thread.ran - old.ran) / passed };
  }));
  const cost = (some) => ({
    wakes_per_s: round(some.reduce((sum, { wakes }) => sum + wakes, 0)),
    core_percent: round(some.reduce((sum, { ran }) => sum + ran, 0) / 1e7),
  });
  const own = done.filter((thread) => thread.pid === pid);
  const wakers = own.filter(({ wakes }) => wakes > 0).toSorted((one, other) => other.wakes - one.wakes).slice(0, 5);
  return {
    seconds: round(passed),
    wakers: Object.fromEntries(wakers.map(({ name, wakes }) => [name, round(wakes)])),
    process: cost(own),
    whole: { processes: pids.length, ...cost(done) },
  };
}

async function serve() {
  const binary = resolve(given ?? process.env.HEARTH_BIN);
  const home = mkdtempSync(join(tmpdir(), "hearth-idle-"));
  writeFileSync(join(home, "hearth.toml"), '[memory]\nembedding = "off"\n');
  mkdirSync(join(home, "workspace"));
  writeFileSync(join(home, "workspace", "HEARTBEAT.md"), "trigger: 0 9 1 1 *\nprompt: a new year\n");
  const child = spawn(binary, ["serve", "--home", home], { stdio: "ignore" });
  try {
    return { binary, ...(await measure(String(child.pid))) };
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

async function app() {
  const { setStage, binary: built } = await import("../tests/e2e/lib/stage.mjs");
  const binary = resolve(given ?? built);
  const stage = await setStage();
  try {
    // In the tray from the start: the same as after closing the main window, without a driver that looks on.
    const child = spawn(binary, ["--home", stage.home, "--hidden"], { stdio: "ignore" });
    try {
      return { binary, ...(await measure(String(child.pid))) };
    } finally {
      child.kill();
    }
  } finally {
    await stage.end();
  }
}

console.log(JSON.stringify(await (what === "app" ? app() : serve())));
