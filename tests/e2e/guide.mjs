// The guide's pictures, from the real window over a home that was lived in: `npm run shots:guide [LANGUAGE]`, or with all
// others by `npm run shots`. English and Chinese, light, to docs/guide/images/NAME-LANGUAGE.png.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { command, lives, model, moveIn } from "./lib/lived.mjs";
import { setStage } from "./lib/stage.mjs";
import { KEY, settled, until } from "./lib/webdriver.mjs";

const root = new URL("../..", import.meta.url).pathname;
const folder = join(root, "docs", "guide", "images");
/** Milliseconds for what a busy machine takes long for. */
const PATIENCE = 30_000;

/** Draws all of them, of each language. */
export async function drawGuide(languages = Object.keys(lives)) {
  mkdirSync(folder, { recursive: true });
  for (const language of languages) {
    await firstStart(language);
    await livedIn(language);
  }
}

/** The words of the window, from its own files: what is pressed is what stands there. */
const words = (language, name) => JSON.parse(readFileSync(join(root, "ui/src/shared/i18n/locales", language, `${name}.json`), "utf8"));

async function firstStart(language) {
  const said = words(language, "firstStart");
  const { assistant, person } = lives[language];
  const stage = await setStage({ language, firstStartDone: false, provider: false });
  try {
    const app = await stage.start();
    app.patience = PATIENCE;
    await app.switchToPage("index.html");
    const at = { stage, app, language };
    await app.shows("Qwen");
    await shot(at, "first-start");
    await (await app.findText("button", said.skip)).click();
    await (await app.find("main input:not([autocomplete])")).type(assistant);
    await (await app.find('main input[autocomplete="given-name"]')).type(person);
    await shot(at, "first-start-meet");
  } finally {
    await stage.end();
  }
}

async function livedIn(language) {
  const stage = await setStage({ language });
  try {
    const ids = await moveIn(stage, language);
    const app = await stage.start();
    app.patience = PATIENCE;
    await app.switchToPage("index.html");
    await app.find("textarea");
    const at = { stage, app, language, life: lives[language], said: words(language, "chat"), ids };
    for (const part of [talking, approving, takingBack, reminding, beating, looking, quick]) await part(at);
  } finally {
    await stage.end();
  }
}

/** Says something in a new conversation. */
async function ask({ app, said }, text) {
  await (await app.find(`button[aria-label="${said.newSession}"]`)).click();
  await app.shows(said.greeting);
  // Another conversation brings another field.
  const field = `textarea[aria-label="${said.message}"]`;
  await until("a field to type in", async () => (await (await app.find(field)).type(text + KEY.enter)) === null);
}

const ended = (app, text) =>
  until(`the end of ${text}`, async () => (await app.text()).includes(text) && app.run(`return document.querySelector('main [aria-busy="true"]') === null`), PATIENCE);

/** A part of the reply that Markdown leaves as it is. */
const plain = (text) => text.split(/[`*\n]/).filter((piece) => piece.trim() !== "").at(-1).trim();

async function talking(at) {
  const { stage, app, life, language, said } = at;
  const [question, answer] = life.birthday;
  stage.model.reply(answer);
  await ask(at, question);
  await ended(app, plain(answer));
  await shot(at, "chat");
  await (await app.find("article button:has(svg.lucide-brain)")).click();
  await app.find("aside .prose");
  await shot(at, "chat-memories");
  await (await app.findText("article button", model)).click();
  await app.shows(said.sawTitle);
  await shot(at, "chat-saw");
  await (await app.find(`aside button[aria-label="${words(language, "common").close}"]`)).click();
  await (await app.find(`textarea[aria-label="${said.message}"]`)).type("/");
  await app.find("[role=option]");
  await shot(at, "chat-commands");
  await (await app.find(`textarea[aria-label="${said.message}"]`)).type(KEY.backspace);
}

async function approving(at) {
  const { stage, app, life, language } = at;
  const [question, line, answer] = life.invoice;
  stage.model.queue({ name: "exec", arguments: { command: line } }, answer);
  await ask(at, question);
  await app.shows(line);
  await shot(at, "approval");
  const said = words(language, "approvals");
  await (await app.findText("button", said.always)).click();
  await ended(app, plain(answer));
}

async function takingBack(at) {
  const { stage, app, life, language, said } = at;
  const [question, path, content, answer] = life.packing;
  stage.model.queue({ name: "write_file", arguments: { path, content } }, answer);
  await ask(at, question);
  await ended(app, plain(answer));
  await (await app.findText("article button", (said.takeBack_one ?? said.takeBack_other).replace("{{count}}", "1"))).click();
  await app.shows(said.takeBackTitle);
  await shot(at, "take-back");
  await (await app.findText('[role="alertdialog"] button, [role="dialog"] button', said.takeBackAction)).click();
  await app.shows(said.takenBack);
  await (await app.findText('[role="dialog"] button', words(language, "common").close)).click();
}

async function reminding(at) {
  const { stage, app, life } = at;
  const [question, prompt, answer] = life.reminder;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  stage.model.queue({ name: "cron", arguments: { action: "add", schedule: `at ${tomorrow} 09:00`, prompt } }, answer);
  await ask(at, question);
  await ended(app, plain(answer));
  await shot(at, "reminder");
}

async function beating(at) {
  const { stage, app, life } = at;
  stage.model.reply(JSON.stringify(life.beat));
  await command(stage, "heartbeat", "run");
  await open(app, "/heartbeat/items", "main table, main li");
  await shot(at, "heartbeat");
  await open(app, "/heartbeat/inbox", "main article, main li");
  await app.shows(life.beat.title);
  await shot(at, "heartbeat-inbox");
}

/** Pages that need nothing done but opening. */
async function looking(at) {
  const { stage, app, life, language, ids } = at;
  const said = words(language, "persona");
  await open(app, "/memory/timeline", "main h2");
  await shot(at, "memory");
  await open(app, `/memory/entries/${ids[1]}`, "aside");
  await shot(at, "memory-entry");
  await open(app, "/persona/SOUL.md", ".cm-content");
  await (await app.find(".cm-content")).click();
  await app.keys(KEY.control, KEY.end);
  await (await app.find(".cm-content")).type(KEY.enter + life.soul);
  await until("the file to be saved", () => readFileSync(join(stage.workspace, "SOUL.md"), "utf8").includes(life.soul), PATIENCE);
  await (await app.findText("button", said.history)).click();
  await until("two versions", () => app.run("return document.querySelectorAll('aside li button').length > 1"), PATIENCE);
  await shot(at, "persona");
  await open(app, "/skills/list/meeting-notes", "main .prose");
  await shot(at, "skills");
  await open(app, "/skills/try", "main textarea");
  await (await app.find("main textarea")).type(life.skill);
  await app.find("main ol li, main ul li, main table");
  await shot(at, "skills-try");
  await open(app, "/activity/approvals", "main button");
  await shot(at, "activity");
  for (const section of ["models", "general", "guard", "about"]) {
    await open(app, `/settings/${section}`, "main button");
    await shot(at, `settings-${section}`);
  }
  await open(app, "/chat/assistant:main", "textarea");
  await app.keys(KEY.control, "k");
  await (await app.find("[role=dialog] input")).type(life.find);
  await app.findText("[role=option]", life.find);
  await shot(at, "palette");
  await app.keys(KEY.escape);
}

async function quick(at) {
  const { stage, app, life } = at;
  const [question, answer] = life.quick;
  stage.model.reply(answer);
  await app.switchToPage("quick.html");
  await stage.doubles.tray();
  await stage.doubles.choose(life.tray);
  await until("the quick prompt", () => app.run("return document.visibilityState === 'visible'"), PATIENCE);
  await (await app.find("textarea, input")).type(question + KEY.enter);
  await app.shows(answer);
  await shot(at, "quick");
}

async function open(app, path, ready) {
  await app.run("location.hash = arguments[0]", path);
  await app.find(ready);
}

async function shot({ stage, app, language }, name) {
  await settled(app);
  await app.run(asAtHome, stage.home);
  const file = join(folder, `${name}-${language}.png`);
  writeFileSync(file, fewColours(await app.screenshot()));
  console.log(file);
}

/** The throw-away home stands where a home usually is. */
const asAtHome = `const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(arguments[0], "~/.local/share/hearth");`;

/** The same picture with a palette, a third of the size, where ImageMagick is there to make it. */
function fewColours(png) {
  const { status, stdout } = spawnSync("convert", ["png:-", "-strip", "+dither", "-colors", "160", "-define", "png:compression-level=9", "png8:-"], {
    input: png,
    maxBuffer: 1 << 26,
  });
  return status === 0 && stdout.length > 0 && stdout.length < png.length ? stdout : png;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await drawGuide(process.argv.length > 2 ? process.argv.slice(2) : undefined);
