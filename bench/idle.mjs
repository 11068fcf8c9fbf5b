// What an idle Hearth costs: how often it wakes and how much of a core it uses while nobody looks.
//   node bench/idle.mjs serve [SECONDS] [BINARY]                                 `hearth serve`, no display needed
//   node scripts/session.mjs node bench/idle.mjs app [SECONDS] [BINARY]          the app in the tray, its main window closed
// A wake-up is a context switch of one of the process's threads that it asked for (it had slept). The app's own process
// and the whole app with the web view's processes are counted apart.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const [what = "serve", seconds = "60", given] = process.argv.slice(2);
const settle = 15_000;

function tries(body) {
  try {
    return body();
  } catch {
    return undefined; // it ended meanwhile
  }
}

const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");

function treeOf(top) {
  const parents = new Map(processes().map((pid) => [pid, tries(() => statOf(pid)[1])]));
  const within = (pid) => pid === top || (parents.has(pid) && within(parents.get(pid)));
  return [...parents.keys()].filter(within);
}

function wakes(pid) {
  const tasks = tries(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const texts = tasks.map((task) => tries(() => readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")) ?? "");
  return texts.reduce((sum, text) => sum + Number(text.match(/^voluntary_ctxt_switches:\s+(\d+)/m)?.[1] ?? 0), 0);
}

/** Wake-ups so far of each thread, by its number and name. */
function threads(pid) {
  const tasks = tries(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return new Map(tasks.map((task) => {
    const text = tries(() => readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")) ?? "";
    return [`${text.match(/^Name:\s+(.*)$/m)?.[1]} ${task}`, Number(text.match(/^voluntary_ctxt_switches:\s+(\d+)/m)?.[1] ?? 0)];
  }));
}

/** Nanoseconds its threads have run; the ticks of `stat` charge a whole tick to who happens to run at one. */
function busy(pid) {
  const tasks = tries(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const texts = tasks.map((task) => tries(() => readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8")) ?? "0");
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0);
}
const sum = (pids, of) => pids.reduce((total, pid) => total + of(pid), 0);
const round = (value) => Math.round(value * 1000) / 1000;

async function measure(pid) {
  await pause(settle);
  const all = treeOf(pid);
  const read = () => ({ own: wakes(pid), ownBusy: busy(pid), all: sum(all, wakes), allBusy: sum(all, busy), at: performance.now() });
  const [first, before] = [read(), threads(pid)];
  await pause(Number(seconds) * 1000);
  const [last, after] = [read(), threads(pid)];
  const passed = (last.at - first.at) / 1000;
  const core = (from, to) => round(((to - from) / 1e9 / passed) * 100);
  const rates = [...after].map(([name, count]) => [name, round((count - (before.get(name) ?? 0)) / passed)]);
  const wakers = rates.filter(([, rate]) => rate > 0).toSorted((one, other) => other[1] - one[1]).slice(0, 5);
  return {
    seconds: round(passed),
    wakers: Object.fromEntries(wakers),
    process: { wakes_per_s: round((last.own - first.own) / passed), core_percent: core(first.ownBusy, last.ownBusy) },
    whole: { processes: all.length, wakes_per_s: round((last.all - first.all) / passed), core_percent: core(first.allBusy, last.allBusy) },
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
