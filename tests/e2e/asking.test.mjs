// What the assistant asks its person, in the real window: a question, a call that needs a word, a sub-agent; and what
// the Activity page keeps of it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
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

const say = async (text) => (await app.find('textarea[aria-label="Message"]')).type(text + KEY.enter);
const press = async (name) => (await app.findText("button", name)).click();
const told = () => stage.model.requests.at(-1).messages.filter(({ role }) => role === "tool").at(-1)?.content;

test("a question is answered by a choice, and the model hears it", async () => {
  stage.model.queue({ name: "ask_user", arguments: { text: "Which quay?", choices: ["Inner", "Outer"] } }, "The outer one, then.");
  await say("How deep is it?");
  await app.shows("Which quay?");
  await press("Outer");
  await app.shows("The outer one, then.");
  assert.equal(told(), "Outer");
  assert.ok((await app.text()).includes("You answered: Outer"));
});

test("a command waits, shows what exactly runs, and does not run when denied", async () => {
  const command = `touch ${join(stage.workspace, "ran.txt")}`;
  stage.model.queue({ name: "exec", arguments: { command } }, "I left it.");
  await say("Make the file.");
  await app.shows("May exec run?");
  await app.shows(command);
  await until("the count in the rail", () => app.run(`return document.querySelector('a[aria-label="Activity: 1 waiting"]') !== null`));
  await press("Deny");
  await app.shows("I left it.");
  await app.shows("exec was denied.");
  assert.equal(existsSync(join(stage.workspace, "ran.txt")), false);
});

test("allowed once in the inbox it runs, and the chat goes on", async () => {
  const command = `touch ${join(stage.workspace, "ran.txt")}`;
  stage.model.queue({ name: "exec", arguments: { command } }, "It is there.");
  await say("Make the file now.");
  await app.shows("May exec run?");
  await (await app.find('a[aria-label="Activity: 1 waiting"]')).click();
  await app.shows("Waiting for your word");
  await press("Allow once");
  await until("the command to run", () => existsSync(join(stage.workspace, "ran.txt")));
  await (await app.find('a[aria-label="Chat"]')).click();
  await app.shows("It is there.");
});

test("a sub-agent's task and result stand in one card", async () => {
  stage.model.queue({ name: "spawn_agent", arguments: { task: "Count the marks." } }, "There are three marks.", "Three, it says.");
  await say("Let somebody count the marks.");
  await app.shows("Three, it says.");
  // What still grows moves the card away from under the click.
  await until("the end of the turn", () => app.run(`return document.querySelector('[aria-busy="true"]') === null`));
  await (await app.findText("button", "Count the marks.")).click();
  await app.shows("There are three marks.");
});
