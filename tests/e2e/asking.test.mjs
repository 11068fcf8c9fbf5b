// What the assistant asks its person, in the real window: a question, a call that needs a word, a sub-agent; and what
// the Activity page keeps of it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hearth, setStage } from "./lib/stage.mjs";
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

test("the calls of a plan are asked together, counted everywhere, and answered one by one or all at once", async () => {
  const file = (name) => join(stage.workspace, `plan-${name}.txt`);
  const plan = ["a", "b", "c"].map((name) => ({ name: "exec", arguments: { command: `touch ${file(name)}` } }));
  stage.model.queue(plan, "Two of three.");
  await say("Do the plan.");
  await app.shows("3 calls of this reply wait together");
  for (const name of ["a", "b", "c"]) await app.shows(file(name));
  await until("the count in the rail", () => app.run(`return document.querySelector('a[aria-label="Activity: 3 waiting"]') !== null`));
  await until("the count in the tray", async () => (await stage.doubles.menu()).includes("Waiting for you: 3"));
  // One no, to the second card; then one yes for what is left.
  await app.run(`[...document.querySelectorAll('section[aria-label="May exec run?"]')][1].querySelector("footer button:last-of-type").click()`);
  await app.shows("2 calls of this reply wait together");
  await (await app.find('a[aria-label="Activity: 2 waiting"]')).click();
  await app.shows("2 calls of this reply wait together");
  await press("Allow all once");
  await until("the plan to end", () => existsSync(file("a")) && existsSync(file("c")));
  await (await app.find('a[aria-label="Chat"]')).click();
  await app.shows("Two of three.");
  assert.equal(existsSync(file("b")), false);
  await until("nothing to wait in the tray", async () => (await stage.doubles.menu()).includes("Nothing waits for you"));
});

test("a plan that nobody looks at is one notification, and the command line answers it", async () => {
  const file = (name) => join(stage.workspace, `far-${name}.txt`);
  const plan = ["a", "b"].map((name) => ({ name: "exec", arguments: { command: `touch ${file(name)}` } }));
  stage.model.queue(plan, "Both are there.");
  await (await app.find('a[aria-label="Activity"]')).click();
  await app.shows("Approvals");
  const asks = spawn(hearth, ["ask", "Do it while I am away.", "--home", stage.home]);
  const said = { out: "", err: "" };
  asks.stdout.on("data", (piece) => (said.out += piece));
  asks.stderr.on("data", (piece) => (said.err += piece));
  const shown = await stage.doubles.notification("may 2 calls run?");
  for (const name of ["a", "b"]) assert.ok(shown.body.includes(`far-${name}`) || shown.body.includes("touch"), shown.body);
  assert.equal(stage.doubles.notifications().filter(({ title }) => title.includes("Hearth asks")).length, 1);
  const cli = (...args) => spawnSync(hearth, [...args, "--json", "--home", stage.home], { encoding: "utf8" });
  const listed = () => cli("approvals", "list").stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const rows = await until("both questions", () => {
    const open = listed().filter(({ state }) => state === "asked");
    return open.length === 2 && open;
  });
  assert.equal(rows[0].batch, rows[1].batch);
  const { status, stdout, stderr } = cli("approvals", "allow", rows[0].id, "--all");
  assert.equal(status, 0, stdout + stderr);
  await until("both to run", () => existsSync(file("a")) && existsSync(file("b")));
  await until("the reply in the terminal", () => said.out.includes("Both are there."));
  assert.match(said.err, /hearth approvals allow \w+, or deny \w+; --all for all asked together/);
  assert.deepEqual(listed().filter(({ state }) => state === "asked"), []);
  await (await app.find('a[aria-label="Chat"]')).click();
  await app.shows("Both are there.");
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

test("in the smallest window each further plan is scrolled to, with the word for all of it in view", async () => {
  await app.post("/window/rect", { width: 900, height: 600 });
  const stays = () =>
    app.run(`const box = document.querySelector("main section").getBoundingClientRect();
      const composer = document.querySelector("textarea").getBoundingClientRect();
      const bar = [...document.querySelectorAll("h3")].find((one) => one.innerText.includes("wait together"))?.getBoundingClientRect();
      const card = [...document.querySelectorAll('section[aria-label="May exec run?"]')].at(-1)?.getBoundingClientRect();
      return box.bottom <= composer.top && bar?.top >= box.top && bar.bottom <= box.bottom && card.bottom <= box.bottom + 1`);
  for (const round of ["first", "second", "third"]) {
    const plan = [1, 2, 3, 4].map((number) => ({ name: "exec", arguments: { command: `touch ${join(stage.workspace, `${round}-${number}`)} && sleep 1` } }));
    stage.model.queue(plan);
    await say(`The ${round} plan.`);
    await app.shows(`${round}-4`);
    await until("the last card and the word for all of them", stays);
    await app.run(`document.querySelector('button[aria-label*="Stop"]').click()`);
    await until("the plan to end", () => app.run(`return document.querySelector('section[aria-label="May exec run?"]') === null`));
  }
});
