// How soon the window is usable after a start, and what the app then weighs, all its processes together.
//   node scripts/session.mjs node bench/startup.mjs [TIMES] [BINARY]
// Usable: the field for a message is there and can be typed into. The time runs from the start of the process
// (10 ms steps) and includes WebDriver's part. Memory is the proportional set size after three quiet seconds.
import { readFileSync, readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { setStage } from "../tests/e2e/lib/stage.mjs";
import { open, until } from "../tests/e2e/lib/webdriver.mjs";
import { processes, round, statOf, treeOf, tries } from "./processes.mjs";

const times = Number(process.argv[2] ?? 7);
const binary = resolve(process.argv[3] ?? process.env.HEARTH_APP);
const field = `return !!document.querySelector("textarea:not([disabled])")`;

const uptime = () => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
const ageOf = (pid) => uptime() - Number(statOf(pid)[19]) / 100;

const pidOf = (path) => processes().find((pid) => tries(() => readlinkSync(`/proc/${pid}/exe`)) === path);

function megabytes(pids) {
  const kilobytes = pids.map((pid) => tries(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? "");
  return kilobytes.reduce((sum, text) => sum + Number(text.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0), 0) / 1024;
}

async function once() {
  const stage = await setStage();
  try {
    const app = await open({ binary, args: ["--home", stage.home], env: { ...process.env, LANG: "C.UTF-8" } });
    const pid = await until("the process", () => pidOf(binary));
    await app.switchToPage("index.html");
    await until("a field to type into", () => app.run(field), 30_000);
    const usable = ageOf(pid);
    await new Promise((done) => setTimeout(done, 3000));
    const weight = megabytes(treeOf(pid));
    await app.close();
    return { usable, weight };
  } finally {
    await stage.end();
  }
}

const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const runs = [];
for (let number = 0; number < times; number += 1) runs.push(await once());
const usable = runs.map((run) => run.usable);
const weight = runs.map((run) => run.weight);
console.log(JSON.stringify({
  binary,
  runs: times,
  usable_s: { median: round(median(usable), 2), least: round(Math.min(...usable), 2), most: round(Math.max(...usable), 2) },
  pss_mb: { median: Math.round(median(weight)), most: Math.round(Math.max(...weight)) },
}));
