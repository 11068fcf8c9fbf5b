// The desktop shell: tray, quick prompt, closing to the tray, second start.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { binary, setStage } from "./lib/stage.mjs";
import { until } from "./lib/webdriver.mjs";

let stage;
let app;

before(async () => {
  stage = await setStage();
  app = await stage.start();
});
after(() => stage.end());

test("the tray holds every way in", async () => {
  await stage.doubles.tray();
  assert.deepEqual(await stage.doubles.menu(), ["Quick prompt", "Open Hearth", "Nothing waits for you", "Heartbeat now", "Pause 1 hour", "Pause until tomorrow", "Settings", "Quit"]);
});

test("the shortcut shows the quick prompt, also from the tray, and hides it again", async () => {
  await app.switchToPage("quick.html");
  const hidden = () => app.run("return document.visibilityState === 'hidden'");
  await until("the quick prompt to be hidden at first", hidden);
  spawnSync("xdotool", ["key", "ctrl+shift+space"]);
  await until("the quick prompt to be shown", async () => !(await hidden()));
  spawnSync("xdotool", ["key", "ctrl+shift+space"]);
  await until("the quick prompt to be hidden again", hidden);
  await stage.doubles.choose("Quick prompt");
  await until("the tray to show it", async () => !(await hidden()));
});

test("a second start focuses the first and ends", () => {
  const second = spawnSync(binary, ["--home", stage.home], { timeout: 10_000 });
  assert.equal(second.status, 0, second.stderr?.toString());
});

test("a link opens its page in the window that is there; one that is none of ours opens nothing new", async () => {
  await app.switchToPage("index.html");
  const open = (link) => spawnSync(binary, ["--home", stage.home, link], { timeout: 10_000 });
  assert.equal(open("hearth://memory").status, 0);
  await until("the Memory page", () => app.run("return location.hash === '#/memory'"));
  assert.equal(open("hearth://quit").status, 0);
  assert.equal(await app.run("return location.hash"), "#/memory");
});
