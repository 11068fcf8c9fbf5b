// The Skills page in the real window: a message in the tester and its ranking; a turn that activates a skill, runs its
// script, ticks its self-check and lets it go, seen in the activation view.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

const body = `---
name: word-count
description: Counts the words of a note.
trigger: count the words
---

# How

Run scripts/count.sh and say the number. The sentinel is PLUGH.

## Self-check

- [ ] counted by scripts/count.sh
- [ ] the number stands in the reply
`;

let stage;
let app;
let folder;

before(async () => {
  stage = await setStage();
  folder = join(stage.workspace, "skills", "word-count");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), body);
  writeFileSync(join(folder, "scripts", "count.sh"), "echo 3 words\n");
  app = await stage.start();
  await app.switchToPage("index.html");
});
after(() => stage.end());

const press = async (name) => (await app.findText("button", name)).click();
const page = async (name) => (await app.find(`a[aria-label="${name}"]`)).click();

test("the tester ranks the skills for a message, and says why", async () => {
  await page("Skills");
  await (await app.findText("label, button, a", "Try a message")).click();
  await (await app.find("textarea")).type("Please count the words of my note");
  await app.shows("word-count would be loaded.");
  const first = await app.run(`return document.querySelector("ol li").innerText`);
  assert.match(first, /word-count/);
  assert.match(first, /Would load/);
  assert.match(first, /its trigger "count the words"/);
  assert.equal(stage.model.requests.length, 0, "nothing runs");
});

test("small talk would load none", async () => {
  await app.run(`document.querySelector("textarea").select()`);
  await (await app.find("textarea")).type("How are you?");
  await app.shows("No skill would be loaded");
});

test("a turn activates the skill, runs its script and ticks its self-check", async () => {
  await page("Chat");
  const run = { name: "exec", arguments: { command: "sh scripts/count.sh", cwd: folder } };
  const reply = [
    "It has 3 words.",
    "- [x] counted by scripts/count.sh — scripts/count.sh said 3 words",
    '- [x] the number stands in the reply — "3 words" above',
  ];
  stage.model.queue(run, reply.join("\n"));
  await (await app.find('textarea[aria-label="Message"]')).type(`Please count the words of my note${KEY.enter}`);
  await app.shows("May exec run?");
  await press("Allow once");
  await app.shows("It has 3 words.");
  await until("the end of the turn", () => app.run(`return document.querySelector('[aria-busy="true"]') === null`));
  const [asked, later] = stage.model.requests.filter(({ tools }) => tools?.length > 0).map((request) => JSON.stringify(request.messages));
  assert.match(asked, /PLUGH/, "the body is in the prompt");
  assert.match(later, /3 words/, "the script ran");
});

test("the activation view shows the decision, the boxes with evidence, and the release", async () => {
  await page("Skills");
  await (await app.findText("label, button, a", "In conversations")).click();
  await app.shows("Self-check: 2 of 2");
  const shown = await app.text();
  for (const text of ["Please count the words of my note", "word-count", "scripts/count.sh said 3 words", "its self-check is complete", "Released"])
    assert.ok(shown.includes(text), `${text} in ${shown}`);
  assert.ok(!shown.includes("Open: nothing shows"), shown);
});

test("released, its body is not in the next prompt", async () => {
  await page("Chat");
  stage.model.queue("You are welcome.");
  await (await app.find('textarea[aria-label="Message"]')).type(`Thank you.${KEY.enter}`);
  await app.shows("You are welcome.");
  const last = stage.model.requests.findLast(({ tools }) => tools?.length > 0);
  assert.doesNotMatch(JSON.stringify(last.messages), /PLUGH/);
});
