// What a build and its packages need so that the app can look for new versions: an address, a key, a signed manifest.
// Without the two variables a build asks nobody.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Stop } from "./run.mjs";

/** The updater's configuration from the environment; null where it says nothing. */
export function updater(env) {
  const { HEARTH_UPDATE_ENDPOINT: endpoint, HEARTH_UPDATE_PUBKEY: pubkey } = env;
  if (!endpoint && !pubkey) return null;
  if (!endpoint || !pubkey) throw new Stop("Set both HEARTH_UPDATE_ENDPOINT and HEARTH_UPDATE_PUBKEY, or neither: an address without a key cannot be believed");
  if (!endpoint.startsWith("https://") || !URL.canParse(endpoint)) throw new Stop(`HEARTH_UPDATE_ENDPOINT is not an https address: ${endpoint}`);
  if (!/^[A-Za-z0-9+/=\s]+$/.test(pubkey)) throw new Stop("HEARTH_UPDATE_PUBKEY is not a public key: give the content of the .pub file that `npx tauri signer generate` wrote");
  return configuration(endpoint, pubkey.trim());
}

/** An old package cannot be passed off as a new one: its signature names its version. */
export const configuration = (endpoint, pubkey) => ({ pubkey, endpoints: [endpoint], requireSignedVersion: true });

/** The build's configuration beside `tauri.conf.json`; packages are signed where the app will check it. */
export function updateConfig(env) {
  const plugin = updater(env);
  if (!plugin) return {};
  if (!env.TAURI_SIGNING_PRIVATE_KEY && !env.TAURI_SIGNING_PRIVATE_KEY_PATH) throw new Stop("Updates are to be signed: set TAURI_SIGNING_PRIVATE_KEY or TAURI_SIGNING_PRIVATE_KEY_PATH (and TAURI_SIGNING_PRIVATE_KEY_PASSWORD)");
  return { plugins: { updater: plugin }, bundle: { createUpdaterArtifacts: true } };
}

const systems = { linux: "linux", darwin: "darwin", win32: "windows" };
const machines = { x64: "x86_64", arm64: "aarch64" };
const kinds = { deb: "deb", rpm: "rpm", appimage: "appimage", macos: "app", nsis: "nsis", msi: "msi" };

/** What is to lie at the endpoint, beside the packages themselves: this system's part of it. */
export function manifest({ version, endpoint, bundles, notes = "", system = process.platform, machine = process.arch }) {
  const platforms = {};
  for (const [folder, kind] of Object.entries(kinds)) {
    for (const signature of signatures(join(bundles, folder))) {
      const url = new URL(encodeURIComponent(basename(signature, ".sig")), endpoint).href;
      platforms[`${systems[system]}-${machines[machine]}-${kind}`] = { signature: readFileSync(signature, "utf8"), url };
    }
  }
  return { version, notes, pub_date: new Date().toISOString(), platforms };
}

const signatures = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".sig")).map((name) => join(folder, name)) : []);
