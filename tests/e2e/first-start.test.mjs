// The first start in the real window: no key, no account, each step can be skipped.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setStage } from "./lib/stage.mjs";
import { until } from "./lib/webdriver.mjs";

let stage;
let app;

before(async () => {
  stage = await setStage({ firstStartDone: false, provider: false });
  app = await stage.start();
  await app.switchToPage("index.html");
});
after(() => stage.end());

const settings = () => readFileSync(join(stage.home, "hearth.toml"), "utf8");

test("the first step offers ways to think and can be skipped", async () => {
  await app.shows("Qwen", 15_000);
  await (await app.findText("button", "Skip")).click();
});

test("meeting writes IDENTITY and USER", async () => {
  await app.find("input");
  await app.run(`
    const set = (input, value) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const inputs = [...document.querySelectorAll("input")].filter((i) => i.type === "text" || i.type === "");
    set(inputs[0], "Ember"); set(inputs[1], "Ada");`);
  await (await app.findText("button", "Continue")).click();
  await until("the files", () => readFileSync(join(stage.workspace, "USER.md"), "utf8").includes("Ada"));
  assert.match(readFileSync(join(stage.workspace, "IDENTITY.md"), "utf8"), /Ember/);
});

test("then the conversation opens, and the first start is over", async () => {
  await (await app.findText("button", "Open Hearth")).click();
  await until("the first start to be over", () => settings().includes("first_start_done = true"));
  await app.find('textarea[aria-label="Message"]');
  await app.shows("Look around?");
  await (await app.findText("button", "Not now")).click();
  assert.match(settings(), /# written by the test/, "comments are kept");
});
