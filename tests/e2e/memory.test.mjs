// The Memory page in the real window: remember, find, correct, forget, bring back; changes from outside.
import { appendFileSync, readFileSync } from "node:fs";
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
  await (await app.find('a[aria-label="Memory"]')).click();
});
after(() => stage.end());

const press = async (name) => (await app.findText("button", name)).click();
const file = () => readFileSync(join(stage.workspace, "MEMORY.md"), "utf8");

test("something is remembered by hand, in the file and in the timeline", async () => {
  await press("Entries");
  const field = await app.find('input[aria-label="Something to remember…"]');
  await field.type(`The spare key hangs behind the barometer.${KEY.enter}`);
  await until("the entry in the list", () => app.run(`return document.querySelector('main li') !== null`));
  await until("the entry in the file", () => file().includes("behind the barometer"));
  await press("Timeline");
  await app.shows("behind the barometer");
  await app.shows("You");
});

test("search finds it, and says why", async () => {
  await press("Search");
  await (await app.find('input[type="search"]')).type("where is the spare key");
  await app.findText("article", "behind the barometer", 20_000);
  await app.shows("Words");
});

test("a correction takes its place; the old one is history", async () => {
  await press("Timeline");
  await press("behind the barometer");
  await press("Correct");
  const field = await app.find('textarea[aria-label="What it says"]');
  await app.run("arguments[0].select()", { "element-6066-11e4-a52e-4f735466cecf": field.id });
  await field.type("The spare key hangs in the boat shed.");
  await press("Save");
  await until("the new entry in the file", () => file().includes("in the boat shed"));
  await app.shows("Another entry took its place");
});

test("forgotten, no file holds it; brought back, it is there", async () => {
  await press("Open the other entry");
  await press("Forget");
  await app.shows("bring it back for 30 days");
  await (await app.find('[role="alertdialog"] button:last-child')).click();
  await until("the entry to be gone", () => !file().includes("in the boat shed"));
  await press("Bring back");
  await until("the entry to be back", () => file().includes("in the boat shed"));
});

test("what another program writes shows up", async () => {
  appendFileSync(join(stage.workspace, "MEMORY.md"), "\n## The boat\n\nIt is called Fulmar.\n");
  await press("Entries");
  await app.shows("It is called Fulmar.", 20_000);
});
