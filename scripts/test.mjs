// npm test: installs what tests need, runs everything, ends with one line of counts.
//   npm test -- ui rust e2e scripts skills   only these stages
//   npm test -- --no-weights          without real models; their tests count as skipped
//   npm test -- --all-weights         with the 1.5B model too, which is only used if it was fetched before
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaries, npm, uiBuilt } from "./build.mjs";
import * as counts from "./counts.mjs";
import { root, testModels } from "./places.mjs";
import { prepare } from "./prepare.mjs";
import { has, main, run, step, Stop } from "./run.mjs";
import { inSession } from "./session.mjs";

// Tests that need real weights have the word in their name or their file's; those of the 1.5B model say large.
const embedding = "package(/^hearth-(embed|memory)$/)";
const needWeights = "(binary(=weights) | test(/weights/))";
const largeModel = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";

// Several stages need them; they are made, and their warnings shown, once.
const page = once(() => step("UI build", uiBuilt));
const build = once(() => step("build", () => binaries({ tests: true })));

const stages = {
  scripts: async () => counts.node(...(await nodeTests("scripts"))),
  skills: () => step("scripts of skills", skillScripts),
  ui: uiStage,
  rust: rustStage,
  e2e: endToEnd,
};

async function uiStage() {
  const checks = [await outcomeOf("UI build", async () => counts.check(await page()))];
  for (const name of ["ui:types", "ui:lint"]) {
    const { status } = await step(name, () => npm(["run", "--silent", name]));
    checks.push(counts.check(status));
  }
  return counts.sum([...checks, await step("ui:test", uiTests)]);
}

async function uiTests() {
  const folder = mkdtempSync(join(tmpdir(), "hearth-vitest-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = await npm(["run", "--silent", "ui:test", "--", ...reporters]);
  const parsed = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null;
  rmSync(folder, { recursive: true });
  return counts.vitest(parsed, status);
}

/** The bundled skills' texts and scripts; the mail script's against a real server, where one is installed. */
async function skillScripts() {
  const python = ["python3", "python"].find(has);
  if (!python) {
    console.log("Python is not installed: the scripts of skills are not tested.");
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const { status, output } = await run(python, ["-m", "unittest", "discover", "-v", "-s", join("tests", "skills")], { keep: true });
  return counts.unittest(output, status);
}

async function rustStage(choice) {
  await build();
  const left = await step("models for tests", () => testsWithoutModel(choice));
  const filter = left.length === 0 ? [] : ["-E", `not (${left.join(" | ")})`];
  const args = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast", ...filter];
  const { status, output } = await step("cargo nextest", () => inSession("cargo", args, { screen: false, keep: true }));
  return counts.nextest(output, status);
}

/** Fetches what was chosen; returns filters for the tests that stay without their model. */
async function testsWithoutModel({ small, large }) {
  if (!small) return [needWeights];
  const left = [];
  if (!(await fetched("embed"))) left.push(`(${needWeights} & ${embedding})`);
  if (!(await fetched("chat05"))) return [...left, `(${needWeights} - ${embedding})`];
  const wanted = large || existsSync(join(testModels, largeModel));
  return wanted && (await fetched("chat15")) ? left : [...left, `(${needWeights} & test(/large/))`];
}

async function fetched(name) {
  const { status } = await run(has("python3") ? "python3" : "python", [join("scripts", "models", "fetch.py"), testModels, name]);
  if (status !== 0) console.log(`${name} could not be fetched: the tests that need it are skipped.`);
  return status === 0;
}

async function endToEnd() {
  if (process.platform !== "linux") {
    console.log("End-to-end tests drive the app through WebKitGTK's driver, which only Linux has: skipped.");
    return { passed: 0, failed: 0, skipped: 1 };
  }
  await page();
  await build();
  return step("end to end", async () => counts.node(...(await nodeTests(join("tests", "e2e"), inSession))));
}

/** Runs a folder's `*.test.mjs`, one after the other: they share the screen. */
async function nodeTests(folder, by = run) {
  const path = join(root, folder);
  const files = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".test.mjs")).sort() : [];
  if (files.length === 0) throw new Stop(`${folder} holds no *.test.mjs`);
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", ...files.map((name) => join(folder, name))];
  const { status, output } = await by(process.execPath, args, { keep: true });
  return [output, status];
}

function once(body) {
  let begun;
  return () => (begun ??= body());
}

/** What cannot run is one failure; the rest still runs. */
async function outcomeOf(name, body) {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(`\n${name}: ${error.message}`);
    return counts.check(1);
  }
}

await main(async (args) => {
  const named = args.filter((arg) => !arg.startsWith("--"));
  const unknown = named.find((name) => !(name in stages));
  if (unknown) throw new Stop(`There is no stage ${unknown}: choose from ${Object.keys(stages).join(", ")}`);
  const chosen = Object.keys(stages).filter((name) => named.length === 0 || named.includes(name));
  const models = { small: !args.includes("--no-weights"), large: args.includes("--all-weights") };
  const results = {};
  try {
    await prepare();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(`\n${error.message}\n${counts.line(counts.check(1))}`);
    return 1;
  }
  for (const name of chosen) results[name] = await outcomeOf(name, () => stages[name](models));
  console.log("");
  for (const name of chosen) console.log(`${name.padEnd(8)} ${counts.line(results[name])}`);
  const total = counts.sum(Object.values(results));
  console.log(counts.line(total));
  return total.failed === 0 ? 0 : 1;
});
