// The small pure parts: languages, paths, keys, numbers, commands, files, the order of sessions.

import i18next from "i18next";
import { afterEach, expect, test } from "vitest";
import { skillRow } from "@/bridge/mock/skills";
import { attachmentOf, pastedPaths, withFiles } from "@/features/chat/attachments";
import { grouped } from "@/features/chat/sessions";
import { completed, fitting, isCommand, skillsFitting } from "@/features/chat/slash";
import { gist } from "@/shared/conversation/given";
import { bytes, count, duration, money, percent } from "@/shared/format";
import { languageFor } from "@/shared/i18n";
import { isKeys } from "@/shared/keys";
import { partsOf, pathOf } from "@/shared/route";

afterEach(() => i18next.changeLanguage("en"));

test.each([
  ["system", ["de", "zh-TW", "en"], "zh-CN"],
  ["system", ["de", "en-GB", "zh"], "en"],
  ["system", ["fr"], "en"],
  ["zh-CN", ["en"], "zh-CN"],
  ["nonsense", ["zh-Hans"], "zh-CN"],
])("language %s of %j", (setting, system, wanted) => {
  expect(languageFor(setting, system)).toBe(wanted);
});

test("paths keep colons and carry anything", () => {
  expect(pathOf("chat", "assistant:main")).toBe("/chat/assistant:main");
  expect(partsOf(pathOf("persona", "memory/2026 一.md"))).toEqual(["persona", "memory/2026 一.md"]);
  expect(partsOf("/chat/%zz")).toEqual(["chat", "%zz"]);
});

test("shortcuts are exact and never part of a composition", () => {
  const press = {
    key: "n",
    ctrlKey: true,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    isComposing: false,
    keyCode: 78,
  };
  expect(isKeys(press, "Mod+N")).toBe(true);
  expect(isKeys({ ...press, shiftKey: true }, "Mod+N")).toBe(false);
  expect(isKeys({ ...press, keyCode: 229 }, "Mod+N")).toBe(false);
});

test("numbers read as people write them, in both languages", async () => {
  const shown = () => [
    count(1234),
    count(32_768),
    money(0.00042),
    money(12),
    bytes(1_117_320_736),
    duration(320),
    duration(4210),
    percent(0.013),
  ];
  expect(shown()).toEqual(["1,234", "32.8K", "$0.0004", "$12.00", "1.1 GB", "320 ms", "4.2 sec", "1.3%"]);
  expect([bytes(0), bytes(1), bytes(735), bytes(12_400)]).toEqual(["0 bytes", "1 byte", "735 bytes", "12 kB"]);
  await i18next.changeLanguage("zh-CN");
  expect(count(32_768)).toBe("3.3万");
  expect(bytes(735)).toBe("735字节");
});

const commands = [
  { name: "stop", aliases: ["停止"], argument: "" },
  { name: "status", aliases: ["状态"], argument: "" },
  { name: "model", aliases: ["模型"], argument: "[ID]" },
];

test.each([
  ["/", 3],
  ["/st", 2],
  ["／停", 1],
  ["/stop", 0],
  ["/model x", 0],
  ["what / is", 0],
])("commands for %j: %i", (text, found) => {
  expect(fitting(text, commands)).toHaveLength(found);
});

test("after /skill the skills that can be called are completed", () => {
  const skills = [
    skillRow("tide-tables", "Tides"),
    skillRow("tidy", "Tidies", { enabled: false }),
    skillRow("tip", "Tips", { user_invocable: false }),
    skillRow("mail", "Mail"),
  ];
  const names = (text: string) => skillsFitting(text, skills).map(({ name }) => name);
  expect(names("/skill ti")).toEqual(["skill tide-tables"]);
  expect(names("／技能 ")).toEqual(["skill tide-tables", "skill mail"]);
  expect(names("/skill tide-tables")).toEqual([]);
  expect(names("/skill tide-tables when")).toEqual([]);
  expect(names("/ti")).toEqual([]);
  const [choice] = skillsFitting("/skill m", skills);
  expect(choice && [completed(choice, "en"), completed(choice, "zh-CN")]).toEqual(["/skill mail ", "/技能 mail "]);
});

test("a chosen command in the person's language, ready for its argument", () => {
  expect(commands.map((command) => completed(command, "zh-CN"))).toEqual(["/停止", "/状态", "/模型 "]);
  expect(commands.map((command) => completed(command, "en"))[2]).toBe("/model ");
  expect(isCommand("/停止 ", "stop", commands)).toBe(true);
  expect(isCommand("/stop it", "stop", commands)).toBe(false);
});

test("files: names, types, no file twice", () => {
  expect(attachmentOf("C:\\Users\\ada\\Bild.PNG")).toMatchObject({ name: "Bild.PNG", media_type: "image/png" });
  expect(withFiles([attachmentOf("/a.md")], ["/a.md", "/b"]).map(({ path }) => path)).toEqual(["/a.md", "/b"]);
  expect(pastedPaths("# copied\r\nfile:///home/a%20b.txt\r\nfile:///C:/x.md\r\nhttps://e.com/")).toEqual([
    "/home/a b.txt",
    "C:/x.md",
  ]);
});

test("what a tool is asked, in a word", () => {
  expect(gist({ timeout_s: 3, command: "ls" })).toBe("ls");
  expect(gist({ depth: 2 })).toBe("2");
  expect(gist("{broken")).toBe("{broken");
});

test("sessions stand pinned first, then by age; archived ones come with a search", () => {
  const now = new Date(2026, 10, 29, 12).getTime();
  const row = (title: string, hours: number, more = {}) => ({
    key: `assistant:${title}`,
    title,
    turns: 1,
    updated_at: now / 1000 - hours * 3600,
    pinned: false,
    archived: false,
    running: false,
    model: null,
    ...more,
  });
  const rows = [
    row("old", 900),
    row("today", 1),
    row("kept", 800, { pinned: true }),
    row("away", 2, { archived: true }),
    row("eve", 20),
  ];
  const shown = (query: string, archived = false) =>
    grouped(rows, query, archived, now).map(
      ({ group, rows: members }) => `${group}: ${members.map(({ title }) => title)}`,
    );
  expect(shown("")).toEqual(["pinned: kept", "today: today", "yesterday: eve", "older: old"]);
  expect(shown("AWAY")).toEqual(["archivedGroup: away"]);
  expect(shown("", true)).toContain("archivedGroup: away");
});
