// A home that somebody has lived in for two weeks, invented, in either language: what the guide's pictures show.
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { hearth } from "./stage.mjs";

const DAY = 86_400;

/** The model's name in the pictures. It is the scripted one that answers. */
export const model = "gpt-5-mini";

/** What is said, remembered and watched, by language. */
export const lives = {
  en: {
    locale: "en_GB.UTF-8",
    assistant: "Ember",
    person: "Nora",
    user: "# My person\n\n- **Name:** Nora Lindqvist\n- **Call them:** Nora\n- **Language:** English\n- **Home and time zone:** Bergen\n- **Work:** translator, mostly from home\n- **Likes answers:** short, with the answer first\n",
    identity: "# Identity\n\n- **Name:** Ember\n- **Role:** personal assistant\n- **Emoji:** 🔥\n- **Avatar:**\n",
    heartbeat:
      "# Heartbeat\n\n- [ ] Is anything due today that has not been started?\n- [ ] Does anybody still wait for an answer from me?\n\n## Morning\ntrigger: 0 8 * * 1-5\naction: send_message\nprompt: Tell me in three lines what today holds.\n\n## Look back at the week\ntrigger: 0 16 * * 5\naction: run_turn\nprompt: Look through this week's log. What was finished, what was left?\n",
    // Kind, days ago, title, text.
    memories: [
      ["preference", 13, "Answers", "Nora wants the answer first and the reasons after it."],
      ["fact", 12, "Ada's birthday", "Ada, Nora's sister, has her birthday on 9 March. She likes smoky tea and old maps."],
      ["fact", 11, "The boat", "The boat is called Fulmar and lies at the inner quay."],
      ["decision", 6, "Summer", "They go to Bergen by train, not by plane."],
      ["event", 4, "Dentist", "The dentist moved the appointment to Thursday at 14:30."],
      ["lesson", 2, "Invoices", "Invoices go out on the last working day, not on the first."],
      ["fact", 1, "Spare key", "The spare key hangs behind the barometer."],
    ],
    correction: [6, "The spare key hangs in the boat shed."],
    forgotten: ["event", 3, "Old code", "The code of the old bicycle lock."],
    sessions: [
      [1, "A letter to the landlord", "Help me write to the landlord about the heating.", "Here is a draft: short, friendly, with a date."],
      [2, "Soup for six", "What soup can I make for six with leeks?", "Leek and potato: 45 minutes, one pot."],
      [5, "Train or plane?", "Compare the train and the plane to Bergen.", "The train takes longer door to door, but you can work on it."],
      [9, "Words for the contract", "What does indemnity mean here?", "That one side pays if the other is sued."],
    ],
    birthday: [
      "What could I give Ada for her birthday?",
      "Two ideas that fit her:\n\n1. **Lapsang souchong** from a small garden: the smoky tea she likes\n2. **A print of an old map** of the coast around Bergen\n\nThe map is the nicer surprise. Shall I remind you a week before 9 March?",
    ],
    invoice: ["Make a folder for this year's invoices.", "mkdir -p invoices/2026", "The folder `invoices/2026` is there."],
    packing: [
      "What do I pack for the weekend? Save it as a list.",
      "weekend.md",
      "# Weekend\n\n- rain jacket\n- charger\n- book\n- the good thermos\n",
      "Saved as `weekend.md`: four things, the rain jacket first.",
    ],
    reminder: ["Remind me tomorrow at nine to call the dentist.", "Call the dentist", "Set: tomorrow at 9:00, “Call the dentist”."],
    beat: {
      notify: true,
      title: "The invoice for November",
      body: "It is the last working day and the invoice for November has not gone out yet.",
      why: "Invoices go out on the last working day, and today's log does not mention one.",
    },
    soul: "- **Curious.** You ask back when something is missing, one question at a time.",
    find: "birthday",
    skill: "Turn these meeting notes into to-dos",
    quick: ["How long do I boil an egg?", "Six minutes for a soft yolk, nine for a firm one."],
    tray: "Quick prompt",
  },
  "zh-CN": {
    locale: "zh_CN.UTF-8",
    assistant: "小炉",
    person: "林悦",
    user: "# 我的主人\n\n- **名字：** 林悦\n- **怎么称呼：** 小悦\n- **语言：** 中文\n- **住处与时区：** 杭州\n- **工作：** 翻译，多半在家\n- **喜欢怎样的回答：** 简短，先说结论\n",
    identity: "# 身份\n\n- **名字：** 小炉\n- **角色：** 私人助理\n- **表情：** 🔥\n- **头像：**\n",
    heartbeat:
      "# 心跳\n\n- [ ] 今天到期的事，有没有还没动手的？\n- [ ] 有没有人还在等我回话？\n\n## 早上好\ntrigger: 0 8 * * 1-5\naction: send_message\nprompt: 用三行话告诉我今天的安排。\n\n## 回顾一周\ntrigger: 0 16 * * 5\naction: run_turn\nprompt: 看看这周的日志：做完了什么，还剩什么？\n",
    memories: [
      ["preference", 13, "回答方式", "小悦喜欢先听结论，再听理由。"],
      ["fact", 12, "张薇的生日", "表姐张薇的生日是三月九日，她喜欢岩茶和老地图。"],
      ["fact", 11, "自行车", "蓝色那辆自行车停在东门车棚。"],
      ["decision", 6, "暑假", "今年去青岛，坐高铁，不坐飞机。"],
      ["event", 4, "牙医", "牙医改约到周四下午两点半。"],
      ["lesson", 2, "开发票", "发票要在月底最后一个工作日开，不是月初。"],
      ["fact", 1, "备用钥匙", "备用钥匙挂在气压计后面。"],
    ],
    correction: [6, "备用钥匙放在车库的铁盒里。"],
    forgotten: ["event", 3, "旧密码锁", "旧自行车锁的密码。"],
    sessions: [
      [1, "给房东的信", "帮我给房东写封信，说说暖气的事。", "草稿写好了：简短、客气，也写明了日期。"],
      [2, "六个人的汤", "家里有大葱，六个人喝什么汤好？", "葱香土豆浓汤：一口锅，四十五分钟。"],
      [5, "高铁还是飞机", "去青岛坐高铁还是飞机？", "高铁慢一点，但路上能干活。"],
      [9, "合同里的词", "这里的“赔偿责任”是什么意思？", "就是一方被追责时由另一方来赔。"],
    ],
    birthday: [
      "张薇的生日是哪天？她喜欢什么？",
      "三月九日。她喜欢岩茶和老地图，可以送：\n\n1. **一罐武夷岩茶**，找一家小茶园的\n2. **一幅老杭州地图**的复刻版，可以装框\n\n地图更让人惊喜。要不要在三月九日前一周提醒你？",
    ],
    invoice: ["给今年的发票建一个文件夹。", "mkdir -p 发票/2026", "`发票/2026` 已经建好了。"],
    packing: [
      "周末出门要带什么？给我列个清单。",
      "周末行李.md",
      "# 周末行李\n\n- 雨衣\n- 充电器\n- 一本书\n- 保温杯\n",
      "列好了，存在 `周末行李.md`：一共四样，雨衣排第一。",
    ],
    reminder: ["明天早上九点提醒我给牙医打电话。", "给牙医打电话", "记下了：明天 9:00，“给牙医打电话”。"],
    beat: {
      notify: true,
      title: "十一月的发票",
      body: "今天是最后一个工作日，十一月的发票还没有开。",
      why: "发票要在月底最后一个工作日开，而今天的日志里没有提到。",
    },
    soul: "- **好奇。** 缺了什么就追问，一次只问一件。",
    find: "生日",
    skill: "把这份会议记录整理成待办",
    quick: ["鸡蛋要煮多久？", "溏心六分钟，全熟九分钟。"],
    tray: "快速提问",
  },
};

const run = promisify(execFile);

/** One command on the stage's home; its JSON lines. Never waits in this thread: the scripted model answers from it. */
export async function command(stage, ...words) {
  const env = { ...process.env, LANG: stage.locale };
  const { stdout } = await run(hearth, [...words, "--json", "--home", stage.home], { timeout: 60_000, env });
  return stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** Fills the stage's home before the app starts. Returns the ids of the memories, in order. */
export async function moveIn(stage, language) {
  const life = lives[language];
  stage.locale = life.locale;
  writeFileSync(join(stage.home, "hearth.toml"), settings(stage.model.url, language));
  // The first command copies the templates, in the language of the system.
  const ids = await remember(stage, life);
  rmSync(join(stage.workspace, "BOOTSTRAP.md"));
  for (const name of ["user", "identity", "heartbeat"]) writeFileSync(join(stage.workspace, `${name.toUpperCase()}.md`), life[name]);
  return ids;
}

// By words alone: a debug build takes minutes to read even this little for meaning.
function settings(url, language) {
  return [
    "[ui]",
    `language = "${language}"`,
    'theme = "light"',
    "first_start_done = true",
    "[memory]",
    'embedding = "off"',
    "[model]",
    `default = "work/${model}"`,
    "[budget]",
    "daily_usd = 2.0",
    "[[providers]]",
    'id = "work"',
    'kind = "openai"',
    `base_url = "${url}"`,
    `models = [{ id = "${model}", window = 128000, input_usd = 0.25, output_usd = 2.0 }]`,
    "",
  ].join("\n");
}

async function remember(stage, life) {
  const now = Math.floor(Date.now() / 1000);
  const ages = {};
  const ids = [];
  for (const [kind, days, title, text] of [...life.memories, life.forgotten]) {
    const [{ id }] = await command(stage, "memory", "add", text, "--title", title, "--kind", kind);
    ages[id] = now - days * DAY;
    ids.push(id);
  }
  for (const session of life.sessions) await talkedBefore(stage, now, session);
  await age(stage, ages);
  await command(stage, "memory", "correct", ids[life.correction[0]], life.correction[1]);
  await command(stage, "memory", "forget", ids.pop());
  return ids;
}

/** Moves what was just remembered back to its day, in the file and in what happened to it; earlier talk counts as written down. */
async function age(stage, ages) {
  const path = join(stage.workspace, "MEMORY.md");
  const dated = readFileSync(path, "utf8").replace(/(<!-- id: (\w+);.*? time: )[^;]+/g, (all, before, id) =>
    id in ages ? before + new Date(ages[id] * 1000).toISOString().replace(/\.\d+Z/, "+00:00") : all);
  writeFileSync(path, dated);
  const script = `import json, sqlite3, sys
ledger = sqlite3.connect(sys.argv[1])
for entry, at in json.loads(sys.argv[2]).items():
    ledger.execute("UPDATE entry_events SET at = ?, day = date(?, 'unixepoch', 'localtime') WHERE entry = ?", (at, at, entry))
ledger.execute("INSERT INTO flushed (session, message, at) SELECT session, id, at FROM messages WHERE role = 'assistant'")
ledger.commit()`;
  await run("python3", ["-c", script, join(stage.home, "hearth.db"), JSON.stringify(ages)]);
}

async function talkedBefore(stage, now, [days, title, question, answer]) {
  const at = now - days * DAY;
  const turn = `turn-${days}`;
  const line = (role, text) => ({ type: "message", id: `${role}-${days}`, role, parts: [{ type: "text", text }], at, turn, replaced: false });
  const named = { title, named: true, pinned: false, archived: false, model: null, created_at: at, updated_at: at };
  const times = { queued_at: at, started_at: at, ended_at: at, replaced: false };
  const lines = [
    { type: "session", format: 1, key: `assistant:chat-before-${days}`, ...named },
    { type: "turn", id: turn, origin: "window", state: "done", stop: "finished", model: `work/${model}`, steps: 1, ...times },
    line("user", question),
    line("assistant", answer),
  ];
  const file = join(stage.home, "before.jsonl");
  writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
  await command(stage, "sessions", "import", file);
  rmSync(file);
}
