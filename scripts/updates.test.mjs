// What a package is given for updates: nothing without both variables, never an address that is not https, never without a key to sign.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { manifest, updateConfig } from "./updates.mjs";

const endpoint = "https://updates.example.org/hearth/latest.json";
const both = { HEARTH_UPDATE_ENDPOINT: endpoint, HEARTH_UPDATE_PUBKEY: "dW50cnVzdGVkIGNvbW1lbnQ=\n" };

test("a build without the variables has nothing of an updater", () => assert.deepEqual(updateConfig({}), {}));

test("with both it is given address and key, and its packages are signed with their version", () => {
  assert.deepEqual(updateConfig({ ...both, TAURI_SIGNING_PRIVATE_KEY: "key" }), {
    plugins: { updater: { pubkey: "dW50cnVzdGVkIGNvbW1lbnQ=", endpoints: [endpoint], requireSignedVersion: true } },
    bundle: { createUpdaterArtifacts: true },
  });
});

for (const [name, env, said] of [
  ["an address without a key", { HEARTH_UPDATE_ENDPOINT: endpoint }, /both/],
  ["a key without an address", { HEARTH_UPDATE_PUBKEY: both.HEARTH_UPDATE_PUBKEY }, /both/],
  ["an address that is not https", { ...both, HEARTH_UPDATE_ENDPOINT: "http://updates.example.org/latest.json" }, /https/],
  ["a key that is none", { ...both, HEARTH_UPDATE_PUBKEY: "~/.tauri/hearth.pub" }, /public key/],
  ["nothing to sign with", both, /TAURI_SIGNING_PRIVATE_KEY/],
]) {
  test(`${name} is refused`, () => assert.throws(() => updateConfig(env), said));
}

test("the manifest names each signed package of this system, beside the endpoint", (t) => {
  const bundles = mkdtempSync(join(tmpdir(), "hearth-bundles-"));
  t.after(() => rmSync(bundles, { recursive: true }));
  for (const [folder, name] of [["deb", "Hearth_0.2.0_amd64.deb"], ["appimage", "Hearth 0.2.AppImage"]]) {
    mkdirSync(join(bundles, folder));
    writeFileSync(join(bundles, folder, name), "package");
    writeFileSync(join(bundles, folder, `${name}.sig`), `signature of ${name}`);
  }
  const { version, platforms } = manifest({ version: "0.2.0", endpoint, bundles, system: "linux", machine: "x64" });
  assert.equal(version, "0.2.0");
  assert.deepEqual(platforms, {
    "linux-x86_64-deb": { signature: "signature of Hearth_0.2.0_amd64.deb", url: "https://updates.example.org/hearth/Hearth_0.2.0_amd64.deb" },
    "linux-x86_64-appimage": { signature: "signature of Hearth 0.2.AppImage", url: "https://updates.example.org/hearth/Hearth%200.2.AppImage" },
  });
});
