// The quick prompt: by shortcut and from the tray, answered in place, continued in the main window.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

let stage;
let app;

before(async () => {
  stage = await setStage();
  app = await stage.start();
  await app.switchToPage("quick.html");
});
after(() => stage.end());

const hidden = () => app.run("return document.visibilityState === 'hidden'");

test("the shortcut shows it with the focus in its field", async () => {
  await until("the quick prompt to be loaded", async () => (await app.run("return document.readyState")) === "complete" && (await hidden()));
  // A key that comes before the desktop has given us the shortcut is lost.
  const shown = async () => !(await hidden());
  await until("the quick prompt to be shown", async () => {
    if (await shown()) return true;
    spawnSync("xdotool", ["key", "ctrl+shift+space"]);
    return until("it", shown, 1_000).catch(() => false);
  });
  await until("the focus", () => app.run("return document.activeElement?.tagName === 'TEXTAREA' || document.activeElement?.tagName === 'INPUT'"));
});

test("Enter asks and the answer streams in place; Escape hides", async () => {
  stage.model.reply("Seven in the morning.", { pieces: 4, pauseMs: 30 });
  const field = await app.find("textarea, input");
  await field.type(`When does it open?${KEY.enter}`);
  await app.shows("Seven in the morning.");
  await field.type(KEY.escape);
  await until("the quick prompt to hide", hidden);
});

test("Ctrl+Enter goes on in the main window with the same conversation", async () => {
  await stage.doubles.tray();
  await stage.doubles.choose("Quick prompt");
  await until("the tray to show it", async () => !(await hidden()));
  stage.model.reply("Certainly.");
  const field = await app.find("textarea, input");
  await field.type(`And on Sundays?${KEY.enter}`);
  await app.shows("Certainly.");
  await app.keys(KEY.control, KEY.enter);
  await app.switchToPage("index.html");
  await app.shows("And on Sundays?");
  await app.shows("Certainly.");
});

test("a reply that nobody watches becomes a notification, and a click opens the conversation", async () => {
  await app.switchToPage("quick.html");
  // Slow enough for the window to be out of sight before the end.
  stage.model.reply("The kettle is ready.", { pieces: 20, pauseMs: 300 });
  await stage.doubles.choose("Quick prompt");
  await until("the quick prompt to be shown", async () => !(await hidden()));
  const field = await app.find("textarea, input");
  await field.type(`Watch the kettle.${KEY.enter}`);
  await field.type(KEY.escape);
  await app.switchToPage("index.html");
  await app.post("/window/minimize");
  const notice = await stage.doubles.notification("kettle is ready", 20_000);
  await stage.doubles.click(notice.id);
  await app.shows("The kettle is ready.");
  assert.ok(notice.title);
});
