// New versions in the real window, with the real plugin: a server on loopback, keys and signatures of Tauri's command line.
// The app runs as an AppImage does: from one place, with the file to replace at another.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { configuration } from "../../scripts/updates.mjs";
import { newKey, releases, sign } from "./lib/signed.mjs";
import { binary, setStage } from "./lib/stage.mjs";
import { until } from "./lib/webdriver.mjs";

const platform = `linux-${{ x64: "x86_64", arm64: "aarch64" }[process.arch]}`;
const running = "0.1.0";

let folder;
let image;
let next;
let key;
let server;
let stage;
let app;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearth-updates-"));
  const [mounted, installed] = ["mounted", "installed"].map((name) => join(folder, name));
  for (const path of [mounted, installed]) mkdirSync(path);
  next = packedAs("APP", join(folder, "Hearth_0.2.0_amd64.AppImage"));
  copyFileSync(next, join(mounted, "hearth-desktop"));
  image = join(installed, "hearth-desktop");
  writeFileSync(image, "the old version", { mode: 0o755 });
  key = newKey(folder);
  server = await releases();
  const plugin = configuration(server.endpoint, key.public);
  const env = { HEARTH_TEST_UPDATER: JSON.stringify(plugin), APPIMAGE: image, NO_PROXY: "127.0.0.1" };
  stage = await setStage({ app: join(mounted, "hearth-desktop"), env });
  app = await stage.start();
  app.patience = 30_000;
  await app.switchToPage("index.html");
  await app.run("location.hash = '/settings/about'");
  await app.shows("Check for updates");
});
after(async () => {
  await stage?.end();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The built app without symbols, marked as the bundler marks it. */
function packedAs(kind, path) {
  assert.equal(spawnSync("strip", ["-o", path, binary]).status, 0);
  const bytes = readFileSync(path);
  const at = bytes.indexOf("__TAURI_BUNDLE_TYPE_VAR_UNK");
  assert.ok(at > 0, "the binary does not say what it is packed as");
  bytes.write(kind, at + "__TAURI_BUNDLE_TYPE_VAR_".length);
  writeFileSync(path, bytes);
  chmodSync(path, 0o755);
  return path;
}

const offer = (version, signature, on = platform) => {
  server.says = { version, notes: "* The lamp is brighter.\n<img src=x onerror=alert(1)>", platforms: { [on]: { signature, url: `${server.url}/next` } } };
};
const press = async (name) => (await app.findText("main button", name)).click();
const isChecking = () => app.run(`return document.querySelector('main button[aria-busy="true"]') !== null`);
/** Presses the button and waits for the answer: until then a Download of an earlier one may still stand there. */
const check = async () => {
  const before = server.asked.length;
  await press("Check for updates");
  await until("the server to be asked", () => server.asked.length > before);
  await until("the answer", async () => !(await isChecking()));
};
const problem = async (text) => {
  await app.shows(text);
  assert.equal(readFileSync(image, "utf8"), "the old version");
};

test("nothing was asked by itself", async () => {
  await app.shows("127.0.0.1 is asked when you press the button");
  await app.shows(`Version ${running}`);
  assert.deepEqual(server.asked, []);
});

test("the same version and an older one are nothing new", async () => {
  for (const version of [running, "0.0.9"]) {
    offer(version, "unsigned");
    await check();
    await app.shows("There is nothing newer.");
  }
});

test("an answer that is none, and a version for other machines only, are said", async () => {
  server.says = "<html>captive portal</html>";
  await check();
  await problem("not with a version that can be read");
  offer("0.2.0", "unsigned", "darwin-aarch64");
  await check();
  await problem("no package for this computer");
});

test("a newer version shows what is new, as text", async () => {
  server.files["/next"] = next;
  offer("0.2.0", sign(newKey(folder, "stranger"), next, "0.2.0"));
  await check();
  await app.shows("Version 0.2.0 is there");
  await app.shows("<img src=x onerror=alert(1)>");
  assert.equal(server.asked.includes("/next"), false, "nothing is fetched before the button");
});

test("a file signed with another key is not installed", async () => {
  await press("Download");
  await problem("does not carry the right signature");
});

test("an old file with its own signature cannot be passed off as a new version", async () => {
  offer("0.3.0", sign(key, next, "0.2.0"));
  await check();
  await press("Download");
  await app.shows("signed for version 0.2.0");
  await problem("does not carry the right signature");
});

test("a file that was changed on the way is not installed", async () => {
  const changed = join(folder, "changed");
  copyFileSync(next, changed);
  appendFileSync(changed, "!");
  server.files["/next"] = changed;
  offer("0.2.0", sign(key, next, "0.2.0"));
  await check();
  await press("Download");
  await problem("does not carry the right signature");
});

test("the right file takes the place of the app, which starts again from it", async () => {
  server.files["/next"] = next;
  await check();
  await press("Download");
  await app.shows("Version 0.2.0 is here", 60_000);
  assert.equal(readFileSync(image, "utf8"), "the old version", "nothing is replaced before the button");
  const started = () => spawnSync("pgrep", ["-f", `^${image} --home ${stage.home}`], { encoding: "utf8" }).stdout.trim();
  assert.equal(started(), "");
  // The driver loses the window while it clicks there.
  await press("Install and start again").catch(() => {});
  await until("the new version to run", started, 60_000);
  assert.ok(readFileSync(image).equals(readFileSync(next)));
  const window = () => spawnSync("xdotool", ["search", "--onlyvisible", "--name", "^Hearth$"], { encoding: "utf8" }).stdout.trim();
  await until("its window", window, 30_000);
});

test("a server that is away is said, and the next start knows nothing of it", async () => {
  await stage.stop();
  server.close();
  app = await stage.start();
  app.patience = 30_000;
  await app.switchToPage("index.html");
  await app.run("location.hash = '/settings/about'");
  await press("Check for updates");
  await app.shows("The server does not answer.");
});
