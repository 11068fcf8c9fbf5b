// Input that the real window should not stumble over: endless conversations, a megabyte, wide tables, HTML and script,
// texts from the right, ten thousand memories, five hundred skills, a small window at twice the size.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { remembered, skilled, talked } from "./lib/filled.mjs";
import { setStage } from "./lib/stage.mjs";
import { KEY, settled, until } from "./lib/webdriver.mjs";

const harmful = '<script>window.harm = 1</script><img src=x onerror="window.harm = 2"><b onclick="window.harm = 3">bold</b>';
const row = (name) => `| ${Array.from({ length: 200 }, (_, at) => `${name} ${at + 1}`).join(" | ")} |`;
const table = [row("mark"), `|${"---|".repeat(200)}`, row("1.5"), row("2.5")].join("\n");
const line = "A line of **Markdown** that goes on, `code` and 中文。\n\n";

/** Question and answer by session. */
const talks = {
  endless: Array.from({ length: 2500 }, (_, at) => [`Mark ${at + 1}?`, `It is ${at + 1}.5 m deep.`]),
  huge: [["And back?", line.repeat(Math.ceil(1_048_576 / Buffer.byteLength(line)))]],
  wide: [["All marks?", `Here they are:\n\n${table}\n\nThat is all.`]],
  harm: [
    [harmful, `Before ![a chart](data:image/png;base64,AAAA) ![far](https://example.com/p.png)\n\n${harmful}\n\n[x](javascript:window.harm=4)\n\nThe end.`],
    ["عمق الرصيف؟", "عمق الرصيف الداخلي **3.2 متر** عند الجزر.\n\nThat was all."],
  ],
};

let stage;
let app;

before(async () => {
  stage = await setStage();
  for (const [name, talk] of Object.entries(talks)) await talked(stage, name, talk, name === "harm" ? harmful : name);
  remembered(stage, 10_000);
  skilled(stage, 500);
  app = await stage.start();
  app.patience = 60_000;
  await app.switchToPage("index.html");
  await app.find("textarea");
});
after(() => stage.end());

async function open(path, shown) {
  await app.run("location.hash = arguments[0]", path);
  await app.shows(shown);
}

/** Nothing stands out of the window to its right. */
const fits = () => app.run("return document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth");

test("five thousand messages open at the last one, and only some are drawn", async () => {
  await open("/chat/assistant:chat-endless", "It is 2500.5 m deep.");
  assert.ok((await app.run("return document.querySelectorAll('article').length")) <= 60);
  stage.model.reply("One more.");
  await (await app.find('textarea[aria-label="Message"]')).type(`And now?${KEY.enter}`);
  await app.shows("One more.");
});

test("a megabyte shows its beginning, and more when asked", async () => {
  await open("/chat/assistant:chat-huge", "Show more:");
  const length = () => app.run("return document.querySelector('main').innerText.length");
  const before = await length();
  assert.ok(before < 60_000, `${before}`);
  await app.run("[...document.querySelectorAll('article button')].find((one) => one.innerText.startsWith('Show more:')).click()");
  await until("more of it", async () => (await length()) > before);
});

test("a table of two hundred columns scrolls by itself", async () => {
  await open("/chat/assistant:chat-wide", "That is all.");
  assert.ok(await app.run("const box = document.querySelector('.tablebox'); return box.scrollWidth > box.clientWidth * 3 && box.tabIndex === 0"));
  assert.ok(await fits());
});

test("HTML and script are text, a broken picture is named, one from elsewhere is a link", async () => {
  await open("/chat/assistant:chat-harm", "The end.");
  await settled(app);
  const found = await app.run(`return [
    window.harm ?? null,
    document.querySelectorAll("main script, main iframe, [onerror], [onclick], main img[src^='http'], a[href^='javascript']").length,
    document.querySelector("article a[href='https://example.com/p.png']")?.innerText ?? null]`);
  assert.deepEqual(found, [null, 0, "far"]);
  await app.shows("a chart (cannot be shown)");
});

test("a text from the right begins on the right, an English one beside it on the left", async () => {
  const left = await app.run(`return [...document.querySelectorAll("article .prose p")].slice(-2).map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().left - element.getBoundingClientRect().left;
  })`);
  assert.ok(left[0] > 50 && left[1] < 2, `${left}`);
});

test("ten thousand memories: a screenful is drawn, the last one can be reached", async () => {
  await open("/memory/entries", "lies");
  await until("all of them", () => app.run("return Number(document.querySelector('[data-row]')?.getAttribute('aria-setsize')) >= 10000"), 240_000);
  const rows = () => app.run("return document.querySelectorAll('[data-row]').length");
  assert.ok((await rows()) < 80);
  await app.run("document.querySelector('[data-row] button').focus()");
  await app.keys(KEY.end);
  await until("the last one", () => app.run("return Number(document.activeElement.closest('[data-row]')?.dataset.row) >= 9999"));
  assert.ok((await rows()) < 80);
});

test("five hundred skills: one is found by its words", async () => {
  await open("/skills/list", "task-1");
  await (await app.find('input[aria-label="Search skills"], input[type="search"]')).type("number 487");
  await app.shows("1 skill");
  await app.shows("task-487");
});

test("each page fits a small window, and one of twice the size", async () => {
  const pages = ["/chat/assistant:chat-wide", "/memory/timeline", "/persona/SOUL.md", "/skills/list", "/heartbeat/items", "/activity/usage", "/settings/models"];
  for (const [width, height, zoom] of [[900, 600, 1], [1240, 780, 2]]) {
    await app.post("/window/rect", { width, height });
    await app.run("document.documentElement.style.zoom = arguments[0]", zoom);
    for (const page of pages) {
      await app.run("location.hash = arguments[0]", page);
      await app.find("main");
      await settled(app);
      assert.ok(await fits(), `${page} at ${width} × ${height}, ${zoom} times the size`);
    }
  }
});
