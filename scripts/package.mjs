// npm run package: what people install, optimised, in <cache>/target/dist/bundle. A build takes long: about half an hour on two cores.
//   --bundles deb,rpm   which ones; without it what this system can make: deb and rpm, app and dmg, or nsis
// An AppImage can be asked for too; its tools are fetched by the bundler.
import { join } from "node:path";
import { uiBuilt, uiPackages } from "./build.mjs";
import { root, target } from "./places.mjs";
import { main, run, step, Stop } from "./run.mjs";
import { systemPackages, tools } from "./system.mjs";

const usual = { linux: "deb,rpm", darwin: "app,dmg", win32: "nsis" };
const folder = join(target, "dist");

/** Beside what `tauri.conf.json` says: the command line, where a package can put it on the path. */
const withCommandLine = {
  bundle: { linux: Object.fromEntries(["deb", "rpm"].map((kind) => [kind, { files: { "/usr/bin/hearth": join(folder, "hearth") } }])) },
};

async function bundle(bundles) {
  const configs = [join(root, "src-tauri", "package.conf.json"), JSON.stringify(withCommandLine)];
  const args = ["build", "--ci", "--bundles", bundles, ...configs.flatMap((config) => ["--config", config])];
  const cargo = ["--profile", "dist", "--workspace", "--locked"];
  const { status } = await run(process.execPath, [join(root, "node_modules", "@tauri-apps", "cli", "tauri.js"), ...args, "--", ...cargo]);
  if (status !== 0) throw new Stop("The packages could not be made: the lines above say why");
  console.log(`\nThe packages are in ${join(folder, "bundle")}`);
  return 0;
}

await main(async (args) => {
  const at = args.indexOf("--bundles");
  const bundles = at < 0 ? usual[process.platform] : args[at + 1];
  if (!bundles) throw new Stop("Say which packages: --bundles deb,rpm,appimage on Linux, app,dmg on macOS, nsis,msi on Windows");
  tools();
  await step("system packages", () => systemPackages("app"));
  await step("UI packages", uiPackages);
  await step("UI", uiBuilt);
  return step("packages", () => bundle(bundles));
});
