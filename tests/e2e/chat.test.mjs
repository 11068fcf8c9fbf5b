// The conversation in the real window: ask, stream, stop, what it saw, restart, notification.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

let stage;
let app;

before(async () => {
  stage = await setStage();
  app = await stage.start();
  await app.switchToPage("index.html");
});
after(() => stage.end());

async function say(text) {
  const field = await app.find('textarea[aria-label="Message"]');
  await field.type(text + KEY.enter);
}

const lastRequest = () => stage.model.requests.at(-1);
const system = (request) => request.messages.filter((m) => m.role === "system").map((m) => m.content).join("\n");

test("a question is answered, piece by piece", async () => {
  stage.model.reply("The **quay** opens at seven.", { pieces: 8, pauseMs: 60 });
  await say("When does the quay open?");
  await app.shows("The quay", 5_000);
  await app.shows("opens at seven.");
  assert.equal(lastRequest().messages.at(-1).content, "When does the quay open?");
  assert.equal(await app.run("return document.querySelector('strong')?.textContent"), "quay");
});

test("the assistant knows its SOUL, and an edit counts from the next question", async () => {
  assert.match(system(lastRequest()), /# Soul/);
  const soul = join(stage.workspace, "SOUL.md");
  writeFileSync(soul, `${readFileSync(soul, "utf8")}\nSay ahoy when the sea is mentioned.\n`);
  stage.model.reply("Ahoy.");
  await say("The sea is calm.");
  await app.shows("Ahoy.");
  assert.match(system(lastRequest()), /Say ahoy when the sea/);
});

test("what it saw can be read, section by section", async () => {
  await (await app.find('button[aria-label="What will it see?"], button[aria-label="What did it see?"]')).click();
  await app.shows("SOUL.md");
  await (await app.findText("button", "SOUL.md")).click();
  await app.shows("Say ahoy when the sea is mentioned.");
  await app.keys(KEY.escape);
});

test("stop ends the reply at once and keeps what was said", async () => {
  stage.model.reply("word ".repeat(400), { pieces: 200, pauseMs: 100 });
  await say("Tell me a long story.");
  await until("the first words", async () => (await app.text()).includes("word word"));
  await (await app.find('button[aria-label="Stop"]')).click();
  await app.shows("You stopped this reply.", 2_000);
  assert.ok((await app.text()).includes("word word"));
});

test("answer again replaces the reply; branch goes on elsewhere", async () => {
  stage.model.reply("First version.");
  await say("Name a colour.");
  await app.shows("First version.");
  stage.model.reply("Second version.");
  const again = await until("the last reply's button", async () => {
    const found = await app.run(`const all = document.querySelectorAll('button[aria-label="Answer again"]'); return all.length`);
    return found > 0 && app.run(`const all = document.querySelectorAll('button[aria-label="Answer again"]'); all[all.length - 1].click(); return true`);
  });
  assert.ok(again);
  await app.shows("Second version.");
  await until("the first version to go", async () => !(await app.text()).includes("First version."));
});

test("a slash completes commands, and /status answers", async () => {
  const field = await app.find('textarea[aria-label="Message"]');
  await field.type("/sta");
  await app.find('[role="listbox"] [role="option"]');
  await field.type(KEY.enter);
  await field.type(KEY.enter);
  await app.shows("work/scripted-1");
});

test("the conversation is there after a restart", async () => {
  await stage.stop();
  app = await stage.start();
  await app.switchToPage("index.html");
  await app.shows("The quay opens at seven.", 15_000);
  await app.shows("You stopped this reply.");
});

test("a crash in the middle of a reply loses at most the last second", async () => {
  stage.model.reply("tide ".repeat(400), { pieces: 200, pauseMs: 50 });
  await say("Tell me about tides.");
  await until("some of the reply", async () => (await app.text()).includes("tide tide tide tide"));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await stage.stop("KILL");
  stage.model.reply("Back again.");
  app = await stage.start();
  await app.switchToPage("index.html");
  await app.shows("tide tide tide", 15_000);
  await say("Are you there?");
  await app.shows("Back again.");
});
