// Screenshots of every page of the real app, in both themes and both languages, the accessibility rules (axe) on each, and
// the guide's pictures anew: `npm run shots [FOLDER]`. Ends with status 1 on a violation.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { drawGuide } from "./guide.mjs";
import { setStage } from "./lib/stage.mjs";
import { KEY, settled, until } from "./lib/webdriver.mjs";

const folder = process.argv[2] ?? "ui/shots/app";
mkdirSync(folder, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let judged = 0;
let bad = 0;

const texts = {
  en: {
    quick: "Quick prompt",
    question: "Help me plan this week.",
    answer:
      "Here is a start:\n\n| day | what |\n|---|---|\n| Mon | write the **brief** |\n| Tue | call Ada about the quay |\n| Fri | *nothing*, on purpose |\n\nShall I remind you on Monday morning?",
  },
  "zh-CN": {
    quick: "快速提问",
    question: "帮我安排这一周。",
    answer: "先这样安排：\n\n1. 周一写**简报**\n2. 周二给张伟打电话\n3. 周五*什么都不排*\n\n> 周一早上要不要提醒你？",
  },
};

// What must be on the page before it is drawn.
const pages = [
  { name: "memory", path: "/memory/timeline", ready: "main h2, main li" },
  { name: "memory-search", path: "/memory/search", ready: "main input" },
  { name: "persona", path: "/persona/SOUL.md", ready: ".cm-content" },
  { name: "skills", path: "/skills/list", ready: "main .prose" },
  { name: "skills-try", path: "/skills/try", ready: "main textarea" },
  { name: "heartbeat", path: "/heartbeat/items", ready: "main h3" },
  { name: "heartbeat-jobs", path: "/heartbeat/jobs", ready: "main h2" },
  { name: "heartbeat-log", path: "/heartbeat/log", ready: "main h2, main li" },
  { name: "heartbeat-inbox", path: "/heartbeat/inbox", ready: "main h2, main article" },
  { name: "activity", path: "/activity/approvals", ready: "main h2" },
  { name: "activity-usage", path: "/activity/usage", ready: "main table" },
  { name: "activity-audit", path: "/activity/audit", ready: "main h2, main ol li" },
  { name: "activity-logs", path: "/activity/logs", ready: "main button" },
  { name: "settings-guard", path: "/settings/guard", ready: "main input" },
  { name: "settings-mcp", path: "/settings/mcp", ready: "main h4" },
  { name: "settings-models", path: "/settings/models", ready: "main button" },
  { name: "settings-general", path: "/settings/general", ready: "main button" },
  { name: "settings-budget", path: "/settings/budget", ready: "main input" },
  { name: "settings-storage", path: "/settings/storage", ready: "main" },
  { name: "settings-privacy", path: "/settings/privacy", ready: "main h3" },
  { name: "settings-transfer", path: "/settings/transfer", ready: "main h3" },
  { name: "settings-about", path: "/settings/about", ready: "main li, main button" },
  { name: "first-start", path: "/first-start", ready: "main button" },
];

for (const language of Object.keys(texts)) {
  for (const theme of ["light", "dark"]) await draw(language, theme);
}
console.log(`${judged} pages, ${bad} violations`);
await drawGuide();
process.exit(bad === 0 ? 0 : 1);

async function draw(language, theme) {
  const { quick, question, answer } = texts[language];
  const stage = await setStage({ language, theme });
  try {
    stage.model.reply(answer);
    const app = await stage.start();
    app.patience = 60_000;
    await app.switchToPage("index.html");
    const shot = async (name) => {
      await settled(app);
      const file = join(folder, `${name}-${theme}-${language}.png`);
      writeFileSync(file, await app.screenshot());
      console.log(file);
      await judge(app, `${name}-${theme}-${language}`);
    };
    await (await app.find("textarea")).type(question + KEY.enter);
    await app.shows(answer.slice(-5), 30_000);
    await shot("chat");
    for (const { name, path, ready } of pages) {
      await app.run("location.hash = arguments[0]", path);
      await app.find(ready);
      await shot(name);
    }
    await app.switchToPage("quick.html");
    await stage.doubles.tray();
    await stage.doubles.choose(quick);
    await until("the quick prompt", () => app.run("return document.visibilityState === 'visible'"));
    await shot("quick");
  } finally {
    await stage.end();
  }
}

/** The accessibility rules in the real window. */
async function judge(app, name) {
  await app.run(axe);
  const found = await app.runAsync(`const told = arguments[0];
    window.axe.run().then(({ violations }) => told(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join("\\n  "))),
      (error) => told([String(error)]));`);
  for (const one of found) console.log(`${name}: ${one}`);
  judged += 1;
  bad += found.length;
}
