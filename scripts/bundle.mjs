// Packages of binaries that are built: staged where the bundler looks for them, the command line beside the app.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./places.mjs";
import { read, run, Stop } from "./run.mjs";

const exe = process.platform === "win32" ? ".exe" : "";
const tauri = join(root, "node_modules", "@tauri-apps", "cli", "tauri.js");

/** Runs Tauri's own command line. */
export const tauriCli = (args, options) => run(process.execPath, [tauri, ...args], options);

/** What only packages have: the link's scheme, which no other build registers. */
const forPackages = join(root, "src-tauri", "package.conf.json");

export const configArgs = (...configs) => [forPackages, ...configs.map((config) => JSON.stringify(config))].flatMap((config) => ["--config", config]);

/**
 * Makes `bundles` of `app` and `commandLine` under `into`, and returns their folder. The bundler writes into the
 * app's binary what it is packed as: that is done to a copy.
 */
export async function bundle({ app, commandLine, into, bundles, config = {} }) {
  const triple = /^host: (.+)$/m.exec(read("rustc", ["-vV"]) ?? "")?.[1];
  if (!triple) throw new Stop("rustc does not say for which system it builds: is Rust installed?");
  const release = join(into, "release");
  rmSync(into, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  copyFileSync(app, join(release, `hearth-desktop${exe}`));
  copyFileSync(commandLine, join(into, `hearth-${triple}${exe}`));
  const beside = { bundle: { externalBin: [join(into, "hearth")] } };
  const args = ["bundle", "--ci", "--bundles", bundles, ...configArgs(beside, config)];
  const { status } = await tauriCli(args, { env: { CARGO_TARGET_DIR: into } });
  if (status !== 0) throw new Stop("The packages could not be made: the lines above say why");
  return join(release, "bundle");
}
