// Everything tests and CI need before they run: tools, system packages, the test runner, UI packages.
//   --ui   and the built UI, which the desktop shell embeds
import { pathToFileURL } from "node:url";
import { uiBuilt, uiPackages } from "./build.mjs";
import { main, must, read, step } from "./run.mjs";
import { systemPackages, tools } from "./system.mjs";

async function testRunner() {
  if (read("cargo", ["nextest", "--version"]) !== null) return;
  await must("cargo", ["install", "--locked", "cargo-nextest"], "cargo-nextest could not be installed: the lines above say why");
}

export async function prepare(args = []) {
  tools();
  await step("system packages", () => systemPackages("tests"));
  await step("test runner", testRunner);
  await step("UI packages", uiPackages);
  if (args.includes("--ui")) await step("UI build", uiBuilt);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(prepare);
