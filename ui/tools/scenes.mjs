// What the screenshots show: a page, a state of the in-memory world, and what is done there first.

/** @typedef {import("playwright-core").Page} Page */

/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {string} [page] Entry page; the main window without it.
 * @property {string} [path]
 * @property {string} [world] Scene of the in-memory world.
 * @property {{ width: number, height: number }} [size]
 * @property {(page: Page, language: string) => Promise<unknown>} [act]
 */

const main = "/chat/assistant:main";
const fresh = "/chat/assistant:chat-fresh0001";

/** Types a message and sends it. */
async function ask(page, text) {
  await page.locator("textarea").fill(text);
  await page.keyboard.press("Enter");
}

/** Waits for a section of the settings. */
const drawn = (page) => page.locator("main h3").first().waitFor();

const asked = (wait) => async (page, language) => {
  await ask(
    page,
    language === "en" ? "What do I need to know to moor at the inner quay?" : "停靠内港码头需要知道什么？",
  );
  await wait(page);
};

const ended = (page) => page.locator("article [aria-busy=false]").last().waitFor({ timeout: 250_000 });

/** Chooses a template from its dialog. */
const templates = (page, language) =>
  page.getByRole("button", { name: language === "en" ? "Templates" : "模板", exact: true }).click();

const lose = async (page) => {
  await page.waitForFunction(() => globalThis.lost);
  await page.getByRole("alert").waitFor({ timeout: 250_000 });
};

/** A step of the tour. */
const toured = (steps) => async (page, language) => {
  await page.getByRole("button", { name: language === "en" ? "Take the tour" : "开始导览" }).click();
  const next = page.getByRole("button", { name: language === "en" ? "Next" : "下一步", exact: true });
  for (let step = 0; step < steps; step += 1) {
    await next.click();
    await page.waitForTimeout(150);
  }
};

/** A page at twice the size in a small window. */
const zoomed = { width: 620, height: 410 };

/** @type {readonly Scene[]} */
export const scenes = [
  { name: "chat", path: main },
  { name: "chat-empty", path: fresh, world: "empty" },
  { name: "chat-reply", path: fresh, act: asked(ended) },
  { name: "chat-streaming", path: fresh, act: asked((page) => page.locator("article table").waitFor()) },
  {
    name: "chat-working",
    path: fresh,
    world: "working",
    act: asked((page) => page.getByText("search_files").waitFor()),
  },
  {
    name: "chat-waiting",
    path: fresh,
    world: "waiting",
    act: asked((page) => page.locator("article p[role=status]").waitFor()),
  },
  { name: "chat-switched", path: fresh, world: "switched", act: asked(ended) },
  { name: "chat-error", path: fresh, world: "error", act: asked(ended) },
  { name: "chat-no-model", path: fresh, world: "no-model", act: asked(ended) },
  { name: "chat-plan", path: fresh, world: "plan", act: asked((page) => page.getByText("run.sh").waitFor()) },
  { name: "chat-approval", path: fresh, world: "approval", act: asked((page) => page.getByText("index.py").waitFor()) },
  {
    name: "chat-question",
    path: fresh,
    world: "question",
    act: asked((page) => page.getByText("Ferry pier").waitFor()),
  },
  {
    name: "chat-subagent",
    path: fresh,
    world: "subagent",
    act: asked((page) => page.getByRole("button", { name: /Collect the depths/ }).click()),
  },
  { name: "chat-recovered", path: fresh, world: "recovered", act: asked(ended) },
  {
    name: "chat-compaction",
    path: main,
    world: "recovered",
    act: async (page, language) => {
      await asked(ended)(page, language);
      await page.getByRole("button", { name: language === "en" ? "Show originals" : "查看原文" }).click();
      await page.locator("aside ol li").first().waitFor();
    },
  },
  {
    name: "chat-memories",
    path: fresh,
    world: "recovered",
    act: async (page, language) => {
      await asked(ended)(page, language);
      await page.getByRole("button", { name: language === "en" ? "1 memory" : "1 条记忆" }).click();
      await page.locator("aside .prose").first().waitFor();
    },
  },
  {
    name: "chat-skills",
    path: fresh,
    world: "recovered",
    act: async (page, language) => {
      await asked(ended)(page, language);
      await page.getByRole("button", { name: "tide-tables" }).click();
    },
  },
  {
    name: "chat-context",
    path: main,
    act: async (page) => {
      await page.locator("article button:has-text('gpt-5-mini')").last().click();
      await page.locator("aside li button").first().click();
    },
  },
  {
    name: "chat-tool",
    path: main,
    act: (page) => page.getByText("list_files").click(),
  },
  {
    name: "chat-commands",
    path: main,
    act: async (page) => {
      await page.locator("textarea").fill("/");
      await page.keyboard.press("ArrowDown");
    },
  },
  {
    name: "chat-edit",
    path: main,
    act: async (page, language) => {
      await page.locator("article").first().hover();
      await page
        .getByRole("button", { name: language === "en" ? "Edit and send again" : "编辑并重新发送" })
        .first()
        .click();
    },
  },
  {
    name: "chat-menu",
    path: main,
    act: async (page) => {
      await page.locator("section li").nth(1).hover();
      await page.locator("section li").nth(1).locator("button").click();
    },
  },
  {
    name: "palette",
    path: main,
    act: async (page) => {
      await page.locator("article").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.locator("[role=option]").first().waitFor();
    },
  },
  {
    name: "palette-found",
    path: main,
    act: async (page) => {
      await page.locator("article").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("har");
      await page.keyboard.press("ArrowDown");
    },
  },
  {
    name: "shortcuts",
    path: main,
    act: async (page) => {
      await page.locator("article").first().waitFor();
      await page.keyboard.press("Control+/");
      await page.locator("[role=dialog] kbd").first().waitFor();
    },
  },
  { name: "quick", page: "quick.html", size: { width: 640, height: 420 } },
  {
    name: "quick-reply",
    page: "quick.html",
    size: { width: 640, height: 420 },
    act: asked((page) => page.locator("figure.code").waitFor()),
  },
  {
    name: "quick-error",
    page: "quick.html",
    world: "no-model",
    size: { width: 640, height: 420 },
    act: asked((page) => page.getByRole("alert").waitFor()),
  },
  { name: "chat-long", path: main, world: "long", size: { width: 900, height: 600 } },
  { name: "persona", path: "/persona/SOUL.md", act: (page) => page.locator(".cm-content").waitFor() },
  {
    name: "persona-missing",
    path: "/persona/TOOLS.md",
    world: "bare",
    act: (page) => page.locator(".cm-content").waitFor(),
  },
  {
    name: "persona-preview",
    path: "/persona/HEARTBEAT.md",
    act: async (page, language) => {
      await page.locator(".cm-content").waitFor();
      await page.getByRole("button", { name: language === "en" ? "Preview" : "预览", exact: true }).click();
    },
  },
  {
    name: "persona-find",
    path: "/persona/MEMORY.md",
    act: async (page) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+f");
      await page.keyboard.type("harbour");
    },
  },
  {
    name: "persona-history",
    path: "/persona/SOUL.md",
    act: async (page, language) => {
      await page.locator(".cm-content").waitFor();
      await page.getByRole("button", { name: language === "en" ? "History" : "历史", exact: true }).click();
      await page.locator("aside ol button").nth(1).click();
      await page.locator("aside .cm-content").waitFor();
    },
  },
  {
    name: "persona-conflict",
    path: "/persona/USER.md",
    world: "conflict",
    act: async (page, language) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("Prefers tea.");
      await page.getByRole("button", { name: language === "en" ? "Compare and choose…" : "比较并选择…" }).click();
      await page.locator(".cm-mergeView").waitFor();
    },
  },
  { name: "memory", path: "/memory/timeline", act: (page) => page.getByText("Likes metric units").waitFor() },
  {
    name: "memory-entry",
    path: "/memory/timeline/m_oslo",
    act: (page) => page.locator("aside h3").first().waitFor(),
  },
  { name: "memory-entries", path: "/memory/entries", act: (page) => page.getByText("Likes metric units").waitFor() },
  {
    name: "memory-search",
    path: "/memory/search",
    act: async (page, language) => {
      await page.locator("input[type=search]").fill(language === "en" ? "mooring tide" : "港口项目");
      await page.locator("article").first().waitFor();
    },
  },
  {
    name: "memory-search-start",
    path: "/memory/search",
    act: (page) => page.locator("input[type=search]").waitFor(),
  },
  {
    name: "memory-conflict",
    path: "/memory/timeline",
    world: "conflict-memory",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Settle" : "去确认" }).click();
    },
  },
  {
    name: "memory-index",
    path: "/memory/timeline",
    world: "indexing",
    size: { width: 900, height: 600 },
    act: (page, language) => page.getByRole("button", { name: language === "en" ? /^Indexing/ : /^正在索引/ }).click(),
  },
  { name: "memory-empty", path: "/memory/timeline", world: "empty", act: (page) => page.locator("main h2").waitFor() },
  { name: "skills", path: "/skills/list/tide-tables", act: (page) => page.locator("main .prose").waitFor() },
  {
    name: "skills-odd",
    path: "/skills/list/Pdf%20Forms",
    size: { width: 900, height: 900 },
    act: (page) => page.locator("main .prose").waitFor(),
  },
  { name: "skills-not-ready", path: "/skills/list/mail-triage", act: (page) => page.locator("main .prose").waitFor() },
  {
    name: "skills-many",
    path: "/skills/list",
    world: "many-skills",
    act: (page) => page.locator("main .prose").waitFor(),
  },
  { name: "skills-empty", path: "/skills/list", world: "empty", act: (page) => page.locator("main h2").waitFor() },
  { name: "skills-try", path: "/skills/try", act: (page) => page.locator("main h2").waitFor() },
  {
    name: "skills-try-ranked",
    path: "/skills/try",
    act: async (page, language) => {
      await page
        .locator("main textarea")
        .fill(language === "en" ? "Turn these meeting notes into to-dos with a date" : "把这份会议记录整理成待办");
      await page.locator("main ol li").first().waitFor();
    },
  },
  {
    name: "skills-turns",
    path: fresh,
    world: "recovered",
    size: { width: 1240, height: 1500 },
    act: async (page, language) => {
      await asked(ended)(page, language);
      await page.evaluate(() => window.location.assign("#/skills/turns/assistant:chat-fresh0001"));
      await page.locator("main article").first().waitFor();
    },
  },
  { name: "skills-turns-none", path: "/skills/turns", act: (page) => page.locator("main h2").waitFor() },
  {
    name: "skills-install",
    path: "/skills/list",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Install…" : "安装…" }).click();
      await page.locator("[role=dialog] input").fill("/home/ada/Downloads/tides.zip");
      await page.keyboard.press("Enter");
      await page.locator("[role=dialog] article").waitFor();
    },
  },
  {
    name: "skills-install-refused",
    path: "/skills/list",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Install…" : "安装…" }).click();
      await page.locator("[role=dialog] input").fill("/home/ada/Downloads/bad.zip");
      await page.keyboard.press("Enter");
      await page.locator("[role=dialog] [role=alert]").waitFor();
    },
  },
  {
    name: "heartbeat",
    path: "/heartbeat/items",
    size: { width: 1240, height: 1100 },
    act: async (page) => {
      await page
        .getByRole("button", { name: /good morning/ })
        .first()
        .click();
      await page.waitForTimeout(100);
    },
  },
  {
    name: "heartbeat-problems",
    path: "/heartbeat/items",
    world: "problems",
    size: { width: 900, height: 900 },
    act: (page) => page.locator("main li").first().waitFor(),
  },
  {
    name: "heartbeat-empty",
    path: "/heartbeat/items",
    world: "empty",
    act: (page) => page.locator("main h3").first().waitFor(),
  },
  {
    name: "heartbeat-dry",
    path: "/heartbeat/items",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Dry run" : "试运行" }).click();
      await page.locator("[role=dialog] div[role=status] p").nth(2).waitFor();
    },
  },
  {
    name: "heartbeat-run",
    path: "/heartbeat/items",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Run now" : "立即运行" }).click();
      await page.locator("[role=dialog] .prose").waitFor();
    },
  },
  { name: "heartbeat-jobs", path: "/heartbeat/jobs", act: (page) => page.locator("main ol li").first().waitFor() },
  {
    name: "heartbeat-jobs-empty",
    path: "/heartbeat/jobs",
    world: "empty",
    act: (page) => page.locator("main h2").waitFor(),
  },
  {
    name: "heartbeat-job",
    path: "/heartbeat/jobs",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Add a job" : "添加任务" }).click();
      await page
        .getByLabel(language === "en" ? "Text" : "文字")
        .fill(language === "en" ? "Water the basil" : "给罗勒浇水");
      await page.getByLabel(language === "en" ? "When" : "时间", { exact: true }).fill("every 2h");
      await page.locator("[role=dialog] ol li").first().waitFor();
    },
  },
  {
    name: "heartbeat-log",
    path: "/heartbeat/log",
    act: (page) => page.locator("main ol li button").nth(1).click(),
  },
  { name: "heartbeat-inbox", path: "/heartbeat/inbox", act: (page) => page.locator("main article").first().waitFor() },
  {
    name: "heartbeat-inbox-empty",
    path: "/heartbeat/inbox",
    world: "empty",
    act: (page) => page.locator("main h2").waitFor(),
  },
  { name: "activity", path: "/activity", act: (page) => page.getByText("ls -la harbour").waitFor() },
  {
    name: "activity-write",
    path: "/activity",
    world: "write",
    act: (page) => page.locator("main ins").first().waitFor(),
  },
  { name: "activity-usage", path: "/activity/usage", act: (page) => page.locator("table").waitFor() },
  {
    name: "activity-audit",
    path: "/activity/audit",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Verify" : "校验" }).click();
      await page.getByRole("button", { name: /memory\/2026/ }).click();
    },
  },
  { name: "activity-running-none", path: "/activity/running", act: (page) => page.locator("main h2").waitFor() },
  {
    name: "activity-running",
    path: fresh,
    world: "working",
    act: async (page, language) => {
      await asked(() => page.getByText("search_files").waitFor())(page, language);
      await page.evaluate(() => window.location.assign("#/activity/running"));
      await page.locator("main li").first().waitFor();
    },
  },
  { name: "activity-logs", path: "/activity/logs", act: (page) => page.locator("main ol li").first().waitFor() },
  {
    name: "chat-take-back",
    path: main,
    act: (page, language) => page.getByRole("button", { name: language === "en" ? /^Take back/ : /^撤回/ }).click(),
  },
  {
    name: "chat-taken-back",
    path: main,
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? /^Take back/ : /^撤回/ }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: language === "en" ? "Take back" : "撤回" })
        .click();
      await page.locator("[role=dialog] li a").first().waitFor();
    },
  },
  {
    name: "settings-mcp",
    path: "/settings/mcp",
    act: async (page, language) => {
      await page
        .getByRole("button", { name: language === "en" ? "4 tools" : "4 个工具" })
        .first()
        .click();
    },
  },
  {
    name: "settings-mcp-empty",
    path: "/settings/mcp",
    world: "empty",
    act: (page) => page.locator("main h4").waitFor(),
  },
  {
    name: "settings-mcp-review",
    path: "/settings/mcp",
    act: (page, language) => page.getByRole("button", { name: language === "en" ? "Review…" : "查看…" }).click(),
  },
  {
    name: "settings-mcp-edit",
    path: "/settings/mcp",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Actions for charts" : "charts 的操作" }).click();
      await page.getByRole("menuitem").first().click();
      await page.getByRole("button", { name: language === "en" ? "Save and test" : "保存并测试" }).click();
      await page.locator("[role=dialog] [role=status]").waitFor();
    },
  },
  {
    name: "settings-guard",
    path: "/settings/guard",
    size: { width: 1240, height: 1500 },
    act: async (page, language) => {
      await page
        .getByRole("textbox", { name: language === "en" ? "Command" : "命令", exact: true })
        .fill("git push origin main");
      await page.keyboard.press("Enter");
      await page.locator("main [role=status]").waitFor();
    },
  },
  { name: "settings-guard-closed", path: "/settings/guard", world: "problems", act: drawn },
  {
    name: "settings-models",
    path: "/settings/models",
    act: (page) => page.getByText("Ollama", { exact: true }).waitFor(),
  },
  {
    name: "settings-download",
    path: "/settings/models",
    world: "no-model",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? /^Download/ : /^下载/ }).click();
      await page.waitForTimeout(900);
    },
  },
  {
    name: "settings-provider",
    path: "/settings/models",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Actions for work" : "work 的操作" }).click();
      await page.getByRole("menuitem").first().click();
      await page.getByRole("button", { name: language === "en" ? "Save and test" : "保存并测试" }).click();
      await page.locator("[role=dialog] [role=status]").waitFor();
    },
  },
  { name: "settings-general", path: "/settings/general", act: drawn },
  { name: "settings-privacy", path: "/settings/privacy", act: drawn },
  {
    name: "settings-problems",
    path: "/settings/general",
    world: "problems",
    size: { width: 900, height: 600 },
    act: drawn,
  },
  { name: "settings-budget", path: "/settings/budget", act: drawn },
  { name: "settings-storage", path: "/settings/storage", world: "locked", act: drawn },
  { name: "settings-transfer", path: "/settings/transfer", act: drawn },
  {
    name: "settings-import",
    path: "/settings/transfer",
    world: "picks",
    size: { width: 1240, height: 1100 },
    act: async (page, language) => {
      await page.getByRole("button", { name: "ChatGPT" }).click();
      await page.getByRole("button", { name: language === "en" ? "Choose a file…" : "选择文件…" }).click();
      await page.locator("main dl").waitFor();
    },
  },
  {
    name: "settings-backup",
    path: "/settings/transfer",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Make a backup…" : "制作备份…" }).click();
      await page.locator("[role=dialog] input").first().fill("short");
    },
  },
  { name: "settings-about", path: "/settings/about", act: drawn },
  { name: "first-start", world: "first", act: (page) => page.getByText("Ollama", { exact: true }).waitFor() },
  {
    name: "first-start-meet",
    world: "first",
    act: (page, language) => page.getByRole("button", { name: language === "en" ? "Skip" : "跳过" }).click(),
  },
  {
    name: "first-start-begin",
    world: "first",
    act: async (page, language) => {
      const skip = page.getByRole("button", { name: language === "en" ? "Skip" : "跳过" });
      await skip.click();
      await skip.click();
    },
  },
  { name: "tour", path: "/settings/about", act: toured(1) },
  { name: "tour-last", path: "/settings/about", act: toured(6) },
  {
    name: "tour-offer",
    world: "first",
    act: async (page, language) => {
      const skip = page.getByRole("button", { name: language === "en" ? "Skip" : "跳过" });
      await skip.click();
      await skip.click();
      await page.getByRole("button", { name: language === "en" ? "Open Hearth" : "打开 Hearth" }).click();
      await page.locator("textarea").waitFor();
    },
  },
  { name: "lost", path: main, world: "lost", act: lose },
  {
    name: "persona-templates",
    path: "/persona/SOUL.md",
    act: async (page, language) => {
      await templates(page, language);
      await page.locator("[role=dialog] section").waitFor();
    },
  },
  {
    name: "persona-blank",
    path: "/persona/TOOLS.md",
    world: "bare",
    act: (page) => page.locator("main [role=status]").waitFor(),
  },
  {
    name: "persona-try",
    path: "/persona/SOUL.md",
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Try it" : "试一试" }).click();
      await page.locator("aside ul button").first().click();
      await page.locator("aside article .prose").waitFor();
    },
  },
  {
    name: "persona-try-start",
    path: "/persona/SOUL.md",
    act: (page, language) => page.getByRole("button", { name: language === "en" ? "Try it" : "试一试" }).click(),
  },
  {
    name: "chat-approval-why",
    path: fresh,
    world: "approval",
    act: async (page, language) => {
      await asked(() => page.getByText("index.py").waitFor())(page, language);
      await page.getByRole("button", { name: language === "en" ? "Why was this asked?" : "为什么要问我？" }).click();
      await page.getByText(language === "en" ? "Rule:" : "规则：").waitFor();
    },
  },
  {
    name: "odd-chat",
    path: main,
    world: "odd",
    act: async (page) => {
      await page.locator("article").nth(1).waitFor();
      const text = page.getByText("والرياح من الجنوب الغربي");
      const left = await text.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().left - element.getBoundingClientRect().left;
      });
      if (left < 50) throw new Error("a text from the right begins on the left");
    },
  },
  {
    name: "odd-turn",
    path: fresh,
    world: "odd",
    size: { width: 1240, height: 1100 },
    act: async (page, language) => {
      await asked(() => page.getByRole("button", { name: /exec/ }).click())(page, language);
      await page.getByRole("button", { name: language === "en" ? /^Sub-agent/ : /^子助手/ }).click();
      await page.getByText("No", { exact: true }).waitFor();
    },
  },
  {
    name: "odd-audit",
    path: "/activity/audit",
    world: "odd",
    act: (page) => page.locator("main ol button").first().click(),
  },
  {
    name: "odd-mcp",
    path: "/settings/mcp",
    world: "odd",
    act: (page, language) => page.getByRole("button", { name: language === "en" ? "Review…" : "查看…" }).click(),
  },
  { name: "odd-wide", path: main, world: "wide", act: (page) => page.locator("article table").waitFor() },
  { name: "odd-huge", path: main, world: "huge", act: (page) => page.locator("article").nth(1).waitFor() },
  { name: "odd-endless", path: main, world: "endless", act: (page) => page.locator("article").first().waitFor() },
  {
    name: "odd-persona",
    path: "/persona/SOUL.md",
    world: "odd",
    act: async (page, language) => {
      await page.locator(".cm-content").waitFor();
      await page.getByRole("button", { name: language === "en" ? "Preview" : "预览", exact: true }).click();
    },
  },
  {
    name: "odd-memory",
    path: "/memory/entries",
    world: "odd",
    act: (page) => page.locator("main li").first().waitFor(),
  },
  { name: "odd-skills", path: "/skills/list", world: "odd", act: (page) => page.locator("main h2").first().waitFor() },
  {
    name: "odd-log",
    path: "/heartbeat/log",
    world: "odd",
    act: (page) => page.locator("main ol li button").first().click(),
  },
  {
    name: "odd-inbox",
    path: "/heartbeat/inbox",
    world: "odd",
    act: (page) => page.locator("main article").first().waitFor(),
  },
  { name: "odd-approval", path: "/activity", world: "odd", act: (page) => page.locator("main pre").first().waitFor() },
  {
    name: "odd-many",
    path: "/memory/entries",
    world: "many",
    act: (page) => page.locator("main li").first().waitFor(),
  },
  { name: "zoom-chat", path: main, size: zoomed, act: (page) => page.locator("article").first().waitFor() },
  {
    name: "zoom-memory",
    path: "/memory/timeline",
    size: zoomed,
    act: (page) => page.locator("main li").first().waitFor(),
  },
  {
    name: "zoom-persona",
    path: "/persona/SOUL.md",
    size: zoomed,
    act: (page) => page.locator(".cm-content").waitFor(),
  },
  { name: "zoom-skills", path: "/skills/list", size: zoomed, act: (page) => page.locator("main h2").first().waitFor() },
  { name: "zoom-heartbeat", path: "/heartbeat/items", size: zoomed, act: drawn },
  { name: "zoom-activity", path: "/activity/usage", size: zoomed, act: (page) => page.locator("main table").waitFor() },
  { name: "zoom-settings", path: "/settings/general", size: zoomed, act: drawn },
  { name: "zoom-first", world: "first", size: zoomed, act: (page) => page.locator("main h1").waitFor() },
  {
    name: "zoom-dialog",
    path: "/heartbeat/jobs",
    size: zoomed,
    act: async (page, language) => {
      await page.getByRole("button", { name: language === "en" ? "Add a job" : "添加任务" }).click();
      await page.locator("[role=dialog]").waitFor();
    },
  },
  { name: "zoom-tour", path: "/settings/about", size: zoomed, act: toured(4) },
];
