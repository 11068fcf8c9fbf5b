// The Persona page in the real window: autosave, what other programs change, conflict, history, restore.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

let stage;
let app;
let soul;

before(async () => {
  stage = await setStage();
  app = await stage.start();
  await app.switchToPage("index.html");
  await app.find('textarea[aria-label="Message"]');
  soul = join(stage.workspace, "SOUL.md");
  await app.run("location.hash = '/persona/SOUL.md'");
  await app.find(".cm-content");
});
after(() => stage.end());

const onDisk = () => readFileSync(soul, "utf8");

/** Types at the end of the open file. */
async function write(text) {
  await (await app.find(".cm-content")).click();
  await app.keys(KEY.control, KEY.end);
  await (await app.find(".cm-content")).type(text);
}

test("the conversation that was open last stays it, whatever page came after", async () => {
  const kept = await app.run("return Object.values(localStorage)");
  assert.ok(kept.includes("assistant:main"), JSON.stringify(kept));
  assert.ok(!kept.includes("SOUL.md"), JSON.stringify(kept));
});

test("what is typed is saved by itself, and the next answer's request carries it", async () => {
  await write(`${KEY.enter}You love lighthouses.`);
  await until("the file to be saved", () => onDisk().includes("You love lighthouses."));
  await app.run("location.hash = '/chat/assistant:main'");
  const field = await app.find('textarea[aria-label="Message"]');
  await field.type(`What do you love?${KEY.enter}`);
  await app.shows("A scripted answer.");
  const system = stage.model.requests.at(-1).messages.find((m) => m.role === "system").content;
  assert.match(system, /You love lighthouses\./);
  await app.run("location.hash = '/persona/SOUL.md'");
  await app.find(".cm-content");
});

test("a change by another program appears by itself, and is named", async () => {
  appendFileSync(soul, "\nWritten outside.\n");
  await app.shows("Written outside.", 6_000);
  await app.shows("Changed by: Another program");
});

test("both sides are kept where they do not overlap", async () => {
  await write(`${KEY.enter}Typed inside.`);
  writeFileSync(soul, onDisk().replace("# Soul", "# Soul of the house"));
  await until("both edits on disk", () => onDisk().includes("Soul of the house") && onDisk().includes("Typed inside."), 8_000);
  await app.shows("Soul of the house");
});

test("history shows the versions and brings one back", async () => {
  await (await app.findText("button", "History")).click();
  await until("several versions", () => app.run("return document.querySelectorAll('aside li button').length > 2"));
  await app.run("const all = [...document.querySelectorAll('aside li button')]; all[all.length - 1].click()");
  const before = onDisk();
  await (await app.findText("button", "Restore")).click();
  await until("another text on disk", () => onDisk() !== before);
  assert.ok(!onDisk().includes("Typed inside."));
  assert.match(onDisk(), /^# Soul\n/);
});
