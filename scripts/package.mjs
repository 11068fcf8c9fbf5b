// npm run package: what people install, optimised, in <cache>/target/packages. A build takes long: about half an hour on two cores.
//   --bundles deb,rpm   which ones; without it what this system can make: deb and rpm, app and dmg, or nsis
// An AppImage can be asked for too; its tools are fetched by the bundler.
// HEARTH_UPDATE_ENDPOINT and HEARTH_UPDATE_PUBKEY make an app that looks for new versions there, at a person's word; its packages
// are signed with TAURI_SIGNING_PRIVATE_KEY, and latest.json is what to put at the endpoint. macOS and Windows sign with what
// Tauri reads from the environment (APPLE_SIGNING_IDENTITY, APPLE_ID, APPLE_PASSWORD, APPLE_TEAM_ID; a certificate in its store).
import { cpSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uiBuilt, uiPackages } from "./build.mjs";
import { bundle, configArgs, tauriCli } from "./bundle.mjs";
import { root, target } from "./places.mjs";
import { main, step, Stop } from "./run.mjs";
import { systemPackages, tools } from "./system.mjs";
import { manifest, updateConfig } from "./updates.mjs";

const usual = { linux: "deb,rpm", darwin: "app,dmg", win32: "nsis" };
const exe = process.platform === "win32" ? ".exe" : "";
const built = (name) => join(target, "dist", name + exe);
const places = { staged: join(target, "dist", "staged"), packages: join(target, "packages") };

async function build(config) {
  const cargo = ["--profile", "dist", "--workspace", "--locked"];
  const { status } = await tauriCli(["build", "--ci", "--no-bundle", ...configArgs(config), "--", ...cargo]);
  if (status !== 0) throw new Stop("The build failed: the lines above say why");
}

/** On Linux a package is a file; the folder beside it is what it was made of. */
const isWorkshop = (path) => /^[\\/](deb|rpm|appimage)[\\/]./.test(path);

async function pack(bundles, config) {
  const made = await bundle({ app: built("hearth-desktop"), commandLine: built("hearth"), into: places.staged, bundles, config });
  rmSync(places.packages, { recursive: true, force: true });
  cpSync(made, places.packages, { recursive: true, filter: (path) => !isWorkshop(path.slice(made.length)) || !lstatSync(path).isDirectory() });
  const endpoint = config.plugins?.updater.endpoints[0];
  if (endpoint) {
    const { version } = JSON.parse(readFileSync(join(root, "src-tauri", "tauri.conf.json"), "utf8"));
    writeFileSync(join(places.packages, "latest.json"), `${JSON.stringify(manifest({ version, endpoint, bundles: made }), null, 2)}\n`);
  }
  console.log(`\nThe packages are in ${places.packages}`);
  return 0;
}

await main(async (args) => {
  const at = args.indexOf("--bundles");
  const bundles = at < 0 ? usual[process.platform] : args[at + 1];
  if (!bundles) throw new Stop("Say which packages: --bundles deb,rpm,appimage on Linux, app,dmg on macOS, nsis,msi on Windows");
  const config = updateConfig(process.env);
  tools();
  await step("system packages", () => systemPackages("app"));
  await step("UI packages", uiPackages);
  await step("UI", uiBuilt);
  await step("build", () => build(config));
  return step("packages", () => pack(bundles, config));
});
