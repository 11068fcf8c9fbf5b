// The packages: a .deb is installed on this machine, driven, updated by itself and removed again; an .rpm is read.
// They are made of the binaries that were built for tests, or given: HEARTH_DEB=FILE npm run test:package
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { bundle } from "../../scripts/bundle.mjs";
import { configuration } from "../../scripts/updates.mjs";
import { rpmHeader } from "./lib/rpm.mjs";
import { newKey, releases, sign } from "./lib/signed.mjs";
import { binary, hearth, setStage } from "./lib/stage.mjs";
import { until } from "./lib/webdriver.mjs";

const given = process.env.HEARTH_DEB && resolve(process.env.HEARTH_DEB);
const { version } = JSON.parse(readFileSync(new URL("../../src-tauri/tauri.conf.json", import.meta.url), "utf8"));
const newer = "0.2.0";
const program = "/usr/bin/hearth-desktop";

const has = (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
const run = (name, ...args) => spawnSync(name, args, { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } });
const ok = (done) => {
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
  return done.stdout;
};

function whyNot() {
  if (process.getuid() !== 0) return "only root may install packages";
  if (!has("dpkg") || !has("dpkg-deb")) return "this system has no dpkg";
  // What the person installed is not the test's to replace.
  if (existsSync(program) || existsSync("/usr/bin/hearth")) return "Hearth is installed on this machine already";
  return false;
}

const skip = whyNot();
let folder;
let packages;

/** Packages of stripped copies: what matters here is not the size of symbols. */
async function made(name, bundles, config = {}) {
  const [app, commandLine] = [binary, hearth].map((path, at) => {
    const copy = join(folder, `stripped-${at}`);
    if (!existsSync(copy)) ok(run("strip", "-o", copy, path));
    return copy;
  });
  const quick = { linux: { rpm: { compression: { type: "none" } } } };
  return bundle({ app, commandLine, into: join(folder, name), bundles, config: { ...config, bundle: quick } });
}

/** The package of a kind; what it was made of lies beside it. */
const only = (path, kind) => join(path, kind, readdirSync(join(path, kind)).find((name) => name.endsWith(`.${kind}`)));

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hearth-packages-"));
  if (given && skip) return;
  packages = given ? null : await made("now", skip ? "rpm" : "deb,rpm");
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("the .deb", { skip }, () => {
  let stage;
  let app;
  let deb;

  before(async () => {
    deb = given ?? only(packages, "deb");
  });
  after(async () => {
    await stage?.end();
    stage?.server.close();
    if (existsSync(program)) run("dpkg", "-r", "hearth");
  });

  test("says what it is and what it needs", () => {
    const field = (name) => ok(run("dpkg-deb", "-f", deb, name)).trim();
    assert.equal(field("Package"), "hearth");
    assert.equal(field("Version"), version);
    assert.match(field("Depends"), /libwebkit2gtk-4\.1-0/);
    assert.match(field("Depends"), /libayatana-appindicator3-1/);
    assert.equal(field("Section"), "utils");
    assert.match(field("Description"), /needs no\s+account and no key/);
    assert.equal(field("Maintainer"), "The Hearth authors");
    for (const path of ["copyright", "NOTICE", "THIRD-PARTY.md"]) {
      assert.match(ok(run("dpkg-deb", "-c", deb)), new RegExp(`/usr/share/doc/hearth/${path}`.slice(1)));
    }
  });

  test("is installed whole, and every library is there", () => {
    // Nothing has to outlive a power cut here.
    ok(run("dpkg", "--force-unsafe-io", "-i", deb));
    assert.match(ok(run("dpkg", "-s", "hearth")), /^Status: install ok installed$/m);
    assert.equal(ok(run("dpkg", "--verify", "hearth")), "");
    for (const path of [program, "/usr/bin/hearth"]) assert.doesNotMatch(ok(run("ldd", path)), /not found/);
  });

  test("its size is told, and is within 40 MB a binary where it is optimised", (t) => {
    const sizes = [program, "/usr/bin/hearth"].map((path) => statSync(path).size / 1e6);
    const installed = Number(/^Installed-Size: (\d+)$/m.exec(ok(run("dpkg", "-s", "hearth")))[1]) / 1000;
    t.diagnostic(`${(statSync(deb).size / 1e6).toFixed(1)} MB to fetch, ${installed.toFixed(1)} MB installed; ${sizes.map((size) => size.toFixed(1)).join(" and ")} MB`);
    if (given) for (const size of sizes) assert.ok(size <= 40, `${size} MB`);
  });

  test("the menu has an entry with its link, its icons in every size, in both languages", () => {
    const path = "/usr/share/applications/Hearth.desktop";
    if (has("desktop-file-validate")) assert.equal(ok(run("desktop-file-validate", path)), "");
    const entry = readFileSync(path, "utf8");
    const value = (key) => entry.split("\n").find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
    assert.equal(value("Name"), "Hearth");
    assert.equal(value("MimeType"), "x-scheme-handler/hearth;");
    assert.equal(value("Exec"), "hearth-desktop %u");
    assert.match(value("Comment[zh_CN]"), /助手/);
    assert.match(value("Categories"), /^\w+;$/);
    assert.doesNotMatch(entry, /\{\{/);
    for (const [folder, size] of [["32x32", 32], ["64x64", 64], ["128x128", 128], ["256x256@2", 256], ["512x512", 512]]) {
      const picture = readFileSync(`/usr/share/icons/hicolor/${folder}/apps/${value("Icon")}.png`);
      assert.equal(picture.toString("latin1", 1, 4), "PNG");
      assert.equal(picture.readUInt32BE(16), size);
    }
  });

  test("the command line answers", () => {
    assert.equal(ok(run("/usr/bin/hearth", "--version")).trim(), `hearth ${version}`);
    const home = join(folder, "doctor");
    mkdirSync(home);
    const checks = run("/usr/bin/hearth", "doctor", "--home", home);
    assert.match(checks.stdout, /database/, checks.stderr);
  });

  test("the app opens with the first start, and says in About what it is", async () => {
    const key = newKey(folder);
    const server = await releases();
    const elevated = join(folder, "bin");
    mkdirSync(elevated);
    // The system's question for a password: the test is root already.
    writeFileSync(join(elevated, "pkexec"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    const env = { HEARTH_TEST_UPDATER: JSON.stringify(configuration(server.endpoint, key.public)), PATH: `${elevated}:${process.env.PATH}`, NO_PROXY: "127.0.0.1" };
    stage = Object.assign(await setStage({ app: program, env, firstStartDone: false, provider: false }), { key, server });
    app = await stage.start();
    app.patience = 30_000;
    await app.switchToPage("index.html");
    await app.shows("Qwen", 30_000);
    for (const name of ["Skip", "Skip", "Open Hearth"]) await (await app.findText("button", name)).click();
    await app.find('textarea[aria-label="Message"]');
    await app.run("location.hash = '/settings/about'");
    await app.shows(`Version ${version}`);
    await app.shows(given ? "Install a newer .deb package over it" : "127.0.0.1 is asked when you press the button");
  });

  test("a newer package is fetched and installed by the app, which starts again as that", { skip: given && "a package as people get it knows no other server" }, async () => {
    const { key, server } = stage;
    const file = join(folder, "newer.deb");
    copyFileSync(only(await made("newer", "deb", { version: newer }), "deb"), file);
    const arch = { x64: "x86_64", arm64: "aarch64" }[process.arch];
    server.files["/next"] = file;
    server.says = { version: newer, platforms: { [`linux-${arch}-deb`]: { signature: sign(key, file, newer), url: `${server.url}/next` } } };
    const processes = () => run("pgrep", "-f", `hearth-desktop --home ${stage.home}`).stdout.trim().split("\n").filter(Boolean);
    const [first] = processes();
    await (await app.findText("main button", "Check for updates")).click();
    await (await app.findText("main button", "Download")).click();
    await app.shows("Your system asks for a password", 60_000);
    await (await app.findText("main button", "Install and start again")).click().catch(() => {});
    await until("the newer one to stand there", () => {
      const now = processes();
      return now.length === 1 && now[0] !== first;
    }, 60_000);
    assert.match(ok(run("dpkg", "-s", "hearth")), new RegExp(`^Version: ${newer}$`, "m"));
    assert.equal(readlinkSync(`/proc/${processes()[0]}/exe`), program);
  });

  test("removed again, it leaves nothing but the person's home", async () => {
    await stage.stop();
    ok(run("dpkg", "-r", "hearth"));
    for (const path of [program, "/usr/bin/hearth", "/usr/share/applications/Hearth.desktop", "/usr/share/doc/hearth"]) assert.equal(existsSync(path), false, path);
    assert.ok(existsSync(join(stage.home, "hearth.toml")));
    assert.ok(existsSync(join(stage.home, "workspace", "SOUL.md")));
  });
});

describe("the .rpm", { skip: given && "a .deb was given" }, () => {
  test("says what it is and needs, by libraries, which each distribution names in its own way", () => {
    const { name, version: own, license, requires, summary } = rpmHeader(only(packages, "rpm"));
    assert.deepEqual([name, own, license], ["hearth", version, "Apache-2.0"]);
    assert.ok([summary].flat()[0].length > 20);
    for (const library of ["libwebkit2gtk-4.1.so.0()(64bit)", "libayatana-appindicator3.so.1()(64bit)"]) assert.ok(requires.includes(library), requires.join(" "));
  });

  test("holds the app, the command line, the entry in the menu, icons and licences", () => {
    const { files } = rpmHeader(only(packages, "rpm"));
    for (const path of [
      program,
      "/usr/bin/hearth",
      "/usr/share/applications/Hearth.desktop",
      "/usr/share/icons/hicolor/512x512/apps/hearth-desktop.png",
      "/usr/share/licenses/hearth/LICENSE",
      "/usr/share/licenses/hearth/NOTICE",
    ]) assert.ok(files.includes(path), `${path} is not among ${files.join(" ")}`);
  });
});
