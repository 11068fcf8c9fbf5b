// How soon the window is usable after a start, and what the app then weighs, all its processes together.
//   node scripts/session.mjs node bench/startup.mjs [TIMES] [BINARY] [EMPTY]
// EMPTY is the same kind of window with one field and nothing else (cargo build --release --workspace --example
// empty_window): both are started in turns, and the ratio of their medians is printed.
// Usable: the field for a message is there and can be typed into. The time runs from the start of the process
// (10 ms steps) and includes WebDriver's part. Memory is the proportional set size after three quiet seconds.
import { resolve } from "node:path";
import { setStage } from "../tests/e2e/lib/stage.mjs";
import { open, until } from "../tests/e2e/lib/webdriver.mjs";
import { ageOf, megabytes, pidOf, treeOf } from "./processes.mjs";

const times = Number(process.argv[2] ?? 7);
const binary = resolve(process.argv[3] ?? process.env.HEARTH_APP);
const empty = process.argv[4] && resolve(process.argv[4]);
const field = `return !!document.querySelector("textarea:not([disabled])")`;

async function once(program) {
  const stage = await setStage();
  try {
    const app = await open({ binary: program, args: ["--home", stage.home], env: { ...process.env, LANG: "C.UTF-8" } });
    const pid = await until("the process", () => pidOf(program));
    await until("a page", async () => (await app.windows()).length > 0);
    if (program === binary) await app.switchToPage("index.html");
    else await app.switchTo((await app.windows())[0]);
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

function tell(program, runs) {
  const usable = runs.map((run) => run.usable);
  const weight = runs.map((run) => run.weight);
  console.log(JSON.stringify({
    binary: program,
    runs: times,
    usable_s: { median: round(median(usable)), least: round(Math.min(...usable)), most: round(Math.max(...usable)) },
    pss_mb: { median: Math.round(median(weight)), most: Math.round(Math.max(...weight)) },
  }));
  return { usable: median(usable), weight: median(weight) };
}

const runs = new Map([binary, empty].filter(Boolean).map((program) => [program, []]));
for (let number = 0; number < times; number += 1) for (const [program, all] of runs) all.push(await once(program));
const [app, base] = [...runs].map(([program, all]) => tell(program, all));
if (base) console.log(JSON.stringify({ usable_ratio: round(app.usable / base.usable), pss_ratio: round(app.weight / base.weight) }));
