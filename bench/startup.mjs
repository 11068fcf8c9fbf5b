// How soon the window is usable after a start, and what the app then weighs, all its processes together.
//   node scripts/session.mjs node bench/startup.mjs [TIMES] [BINARY]
// Usable: the field for a message is there and can be typed into. The time runs from the start of the process
// (10 ms steps) and includes WebDriver's part. Memory is the proportional set size after three quiet seconds.
import { resolve } from "node:path";
import { setStage } from "../tests/e2e/lib/stage.mjs";
import { open, until } from "../tests/e2e/lib/webdriver.mjs";
import { ageOf, megabytes, pidOf, treeOf } from "./processes.mjs";

const times = Number(process.argv[2] ?? 7);
const binary = resolve(process.argv[3] ?? process.env.HEARTH_APP);
const field = `return !!document.querySelector("textarea:not([disabled])")`;

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

const round = (value) => Math.round(value * 100) / 100;
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const runs = [];
for (let number = 0; number < times; number += 1) runs.push(await once());
const usable = runs.map((run) => run.usable);
const weight = runs.map((run) => run.weight);
console.log(JSON.stringify({
  binary,
  runs: times,
  usable_s: { median: round(median(usable)), least: round(Math.min(...usable)), most: round(Math.max(...usable)) },
  pss_mb: { median: Math.round(median(weight)), most: Math.round(Math.max(...weight)) },
}));
