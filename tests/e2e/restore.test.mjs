// Moving house in the real window: a backup from the settings, a change, the backup back. The app starts again by itself,
// and is there to be seen, though it was started at login and hidden then.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { choosePath } from "./lib/dialog.mjs";
import { binary, setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

const passphrase = "correct horse battery";

let stage;
let app;
let backup;
let soul;

before(async () => {
  stage = await setStage();
  backup = join(stage.home, "..", `${stage.home.split("/").at(-1)}.backup`);
  soul = join(stage.workspace, "SOUL.md");
  app = await stage.start(["--hidden"]);
  // As a click on its icon does.
  spawnSync(binary, ["--home", stage.home], { timeout: 10_000 });
  await app.switchToPage("index.html");
});
after(async () => {
  rmSync(backup, { force: true });
  await stage.end();
});

const press = async (name, within = "button") => (await app.findText(within, name)).click();
const processes = () => spawnSync("pgrep", ["-f", `hearth-desktop --home ${stage.home}`], { encoding: "utf8" }).stdout.trim().split("\n").filter(Boolean);

async function open(path, shown) {
  await app.run("location.hash = arguments[0]", path);
  await app.shows(shown);
}

async function say(text, reply) {
  stage.model.reply(reply);
  await (await app.find('textarea[aria-label="Message"]')).type(text + KEY.enter);
  await app.shows(reply);
}

/** Fills the passphrase fields of the open dialog and goes on. */
async function enter(words, action) {
  await app.find('[role="dialog"] input');
  const count = await app.run('return document.querySelectorAll(\'[role="dialog"] input\').length');
  for (let at = 0; at < count; at += 1) {
    await app.run("document.querySelectorAll('[role=\"dialog\"] input')[arguments[0]].focus()", at);
    await (await app.find('[role="dialog"] input:focus')).type(words);
  }
  await press(action, '[role="dialog"] button');
}

test("a backup is one file that says nothing without its passphrase", async () => {
  await say("What is the boat called?", "She is called Fulmar.");
  writeFileSync(soul, "# Soul\n\nYou speak of the Fulmar.\n");
  await open("/settings/transfer", "Make a backup");
  await press("Make a backup…");
  await enter(passphrase, "Choose a place…");
  await choosePath("Save", backup);
  await app.shows("The backup is made and was read back", 30_000);
  assert.match(await app.text(), /1 conversation,/);
  assert.equal(readFileSync(backup).includes("Fulmar"), false);
});

test("what came later is there until it is brought back, a wrong passphrase changes nothing", async () => {
  writeFileSync(soul, "# Soul\n\nYou speak of the gull.\n");
  await open("/chat/assistant:main", "She is called Fulmar.");
  await say("And the other boat?", "That one is the Gull.");
  await open("/settings/transfer", "Bring a backup back");
  await press("Choose a backup…");
  await choosePath("Open", backup);
  await enter("wrong horse battery", "Bring back");
  await app.shows("does not open it", 30_000);
  await enter(passphrase, "Bring back");
  await app.shows("The backup is checked and ready", 30_000);
  assert.match(readFileSync(soul, "utf8"), /gull/);
});

test("the app starts again by itself, with what was", async () => {
  const [first] = processes();
  // The driver loses the window while it clicks there.
  await press("Start again now").catch(() => {});
  await until("the first process to end and another to stand there", () => {
    const now = processes();
    return now.length === 1 && now[0] !== first;
  }, 30_000);
  await until("the files of before", () => readFileSync(soul, "utf8").includes("the Fulmar"), 30_000);
  const visible = () => spawnSync("xdotool", ["search", "--onlyvisible", "--name", "^Hearth$"], { encoding: "utf8" }).stdout.trim();
  await until("its window", visible, 30_000);
  const names = readdirSync(stage.home);
  const aside = names.find((name) => name.startsWith("before-restore-"));
  assert.ok(aside, names.join(" "));
  assert.match(readFileSync(join(stage.home, aside, "workspace", "SOUL.md"), "utf8"), /gull/);
  assert.equal(existsSync(join(stage.home, "restore.pending")), false);
});

test("its pages show what was", async () => {
  // The driver knows only windows that it opened itself.
  await stage.stop();
  app = await stage.start();
  await app.switchToPage("index.html");
  await open("/chat/assistant:main", "She is called Fulmar.");
  assert.equal((await app.text()).includes("That one is the Gull."), false);
  await open("/persona/SOUL.md", "You speak of the Fulmar.");
});
