// It speaks first: a block written in the editor, the notification on the bus, the click to its message; quiet hours.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { hearth, setStage } from "./lib/stage.mjs";
import { KEY, until } from "./lib/webdriver.mjs";

let stage;
let app;

before(async () => {
  stage = await setStage();
  quiet("");
  app = await stage.start();
  await app.switchToPage("index.html");
});
after(() => stage.end());

function quiet(hours) {
  const path = join(stage.home, "hearth.toml");
  const text = readFileSync(path, "utf8").replace(/\[heartbeat\]\n(?:.+\n)*/, "");
  writeFileSync(path, `${text}[heartbeat]\nquiet = "${hours}"\nmax_per_day = 100\n`);
}

const rows = (...words) => {
  const { stdout, status, stderr } = spawnSync(hearth, [...words, "--json", "--home", stage.home], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
};
const answer = (title, body) => JSON.stringify({ notify: true, title, body, why: "it is time" });

async function write(text) {
  await app.run("location.hash = '/persona/HEARTBEAT.md'");
  const editor = await app.find(".cm-content");
  await editor.click();
  // Below the template's comment: what would take away most of a file is asked about first.
  await app.keys(KEY.control, KEY.end);
  await editor.type(`${KEY.enter}${text.join(KEY.enter)}`);
  const path = join(stage.workspace, "HEARTBEAT.md");
  await until("the file to be saved", () => readFileSync(path, "utf8").trimEnd().endsWith(text.at(-1)), 8_000);
}

test("a block written in the editor has its next times at once", async () => {
  stage.model.reply(answer("Look up", "The tide turns now."));
  await write(["## Tide", "trigger: */1 * * * *", "action: send_message", "prompt: say how the tide is"]);
  const [row] = await until("the item", () => {
    const found = rows("heartbeat", "list");
    return found.length > 0 && found;
  });
  assert.equal(row.next.length, 5);
  assert.equal(row.next[1] - row.next[0], 60);
});

test("its notification comes within a second of its time, with the model's words, and leads to its message", async () => {
  const shown = await stage.doubles.notification("The tide turns now.", 70_000);
  const at = Date.now() / 1000;
  const slot = Math.floor(at / 60) * 60;
  assert.ok(at - slot <= 1.0, `${at - slot} s after its slot`);
  assert.match(shown.title, /Look up/);
  await stage.doubles.click(shown.id);
  await app.shows("The tide turns now.", 5_000);
  assert.match(await app.run("return location.hash"), /\/chat\/assistant:heartbeat\//);
  const [{ decision, why }] = rows("heartbeat", "log");
  assert.deepEqual([decision, why], ["notify", "it is time"]);
});

test("quiet hours hold it back and say why", async () => {
  quiet("00:00-23:59");
  stage.model.reply(answer("Look down", "The tide is out."));
  const held = await until("a beat that is held", () => rows("heartbeat", "log").find((row) => row.decision === "held"), 130_000);
  assert.match(held.why, /quiet hours 00:00-23:59/);
  assert.ok(!stage.doubles.notifications().some((one) => one.body.includes("The tide is out.")));
});

/** The slots of the block, newest first. */
const slots = () => {
  const { id } = rows("cron", "list").find((job) => job.name === "Tide");
  return rows("cron", "history", id);
};
const asked = () => stage.model.requests.length;

test("a pause from the tray lets the next time pass, asks no model, and the page says so", async () => {
  quiet("");
  await app.run("location.hash = '/heartbeat'");
  await stage.doubles.choose("Pause 1 hour");
  await app.shows("Paused until", 5_000);
  const [from, before] = [Math.floor(Date.now() / 1000), asked()];
  const slot = await until("the next time to pass", () => slots().find((one) => one.slot > from && one.state === "missed"), 70_000);
  assert.equal(slot.why, "you paused the heartbeat");
  assert.equal(asked(), before);
  const { stdout } = spawnSync(hearth, ["heartbeat", "list", "--home", stage.home], { encoding: "utf8" });
  assert.match(stdout, /^The heartbeat is paused until /);
});

test("going on from the page lets it beat again", async () => {
  stage.model.reply(answer("Look again", "The tide is in."));
  await (await app.findText("button", "Go on")).click();
  await until("the page without a pause", async () => !(await app.text()).includes("Paused until"));
  const shown = await stage.doubles.notification("The tide is in.", 70_000);
  assert.match(shown.title, /Look again/);
  await until("the slot to be done", () => slots()[0].state === "ok");
});

/** A job that says what the model is told to say, when it is run. */
let letters;
async function tell(title, body) {
  letters ??= rows("cron", "add", "0 9 1 1 *", "say what came", "--action", "send_message")[0].id;
  stage.model.reply(answer(title, body));
  // Not in step: the model answers from this very process.
  const { stdout } = await promisify(execFile)(hearth, ["cron", "run", letters, "--json", "--home", stage.home]);
  return JSON.parse(stdout);
}

test("an older notification leads to its own message among long ones: in view, and marked", async () => {
  writeFileSync(join(stage.workspace, "HEARTBEAT.md"), "");
  await until("the file's block to be gone", () => !rows("cron", "list").some((job) => job.name === "Tide"));
  const lines = Array.from({ length: 40 }, (_, at) => `Line ${at + 1} of what it says.`).join("\n\n");
  for (const number of [1, 2, 3, 4, 5]) await tell(`Letter ${number}`, `Letter ${number} came.\n\n${lines}`);
  const older = await stage.doubles.notification("Letter 2 came.", 5_000);
  await stage.doubles.click(older.id);
  const place = () =>
    app.run(`
      const rows = [...document.querySelectorAll("article")];
      const row = rows.find((one) => one.textContent.includes("Letter 2 came."));
      if (!row) return null;
      const [frame, at] = [row.closest("section").getBoundingClientRect(), row.getBoundingClientRect()];
      return {
        inView: at.top >= frame.top - 1 && at.top < frame.bottom - 40,
        marked: getComputedStyle(row, "::before").width === "3px",
        others: rows.filter((one) => getComputedStyle(one, "::before").width === "3px").length - 1,
        letters: row.textContent.match(/Letter \\d came/g).length,
        time: row.querySelector("time")?.dateTime ?? "",
      };`);
  const found = await until("the message in view", async () => {
    const at = await place();
    return at?.inView && at.marked && at;
  }, 20_000);
  assert.deepEqual([found.others, found.letters], [0, 1]);
  assert.ok(Math.abs(Date.parse(found.time) - Date.now()) < 120_000, found.time);
  // What is drawn late does not push it out again.
  await new Promise((done) => setTimeout(done, 2_500));
  assert.ok((await place()).inView);
});

test("a notification that the desktop refuses, or never answers, is said to be not shown", async () => {
  // Who looks at the conversation gets no notification.
  await app.run("location.hash = '/heartbeat'");
  await until("the conversation to be out of sight", () => app.run("return !document.querySelector('article time')"));
  await stage.doubles.answer("refuse");
  assert.match((await tell("Parcel", "A parcel was refused.")).why, /could not be shown: .*refused it/);
  await app.shows("refused it", 5_000);
  await stage.doubles.answer("never");
  assert.match((await tell("Telegram", "A telegram got no answer.")).why, /could not be shown: no notification service answers/);
  await app.shows("no notification service answers", 5_000);
  await stage.doubles.answer("show");
  assert.equal((await tell("Card", "A card came.")).why, "it is time");
  await stage.doubles.notification("A card came.", 5_000);
  await until("the page without the fault", async () => !(await app.text()).includes("no notification service answers"));
});
