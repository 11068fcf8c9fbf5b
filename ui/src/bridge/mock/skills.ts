// Skills of the in-memory shell: a list, a ranking by words in common, what a turn used, installing.

import type { SkillActivity } from "@/bindings/SkillActivity";
import type { SkillInstall } from "@/bindings/SkillInstall";
import type { SkillMatch } from "@/bindings/SkillMatch";
import type { SkillRow } from "@/bindings/SkillRow";
import type { Args, CommandName, Result } from "../commands";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

const threshold = 0.5;

export function skillRow(name: string, description: string, more: Partial<SkillRow> = {}): SkillRow {
  return {
    name,
    description,
    path: `/usr/lib/hearth/skills/${name}/SKILL.md`,
    source: "bundled",
    eligible: true,
    reason: "",
    tokens: 820,
    emoji: null,
    version: "1.0.0",
    enabled: true,
    user_invocable: true,
    model_invocable: true,
    triggers: [],
    requires: { bins: [], anyBins: [], env: [], config: [], os: [] },
    allowed_tools: null,
    scripts: [],
    references: [],
    uses: [],
    problems: [],
    installed: null,
    ...more,
  };
}

const wordsIn = (text: string) =>
  new Set(
    [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text.toLowerCase())]
      .filter(({ isWordLike, segment }) => isWordLike && segment.length > 1)
      .map(({ segment }) => segment),
  );

function decide(world: World, text: string): SkillMatch {
  const words = wordsIn(text);
  const ranked = world.skills
    .filter(({ enabled, eligible, model_invocable }) => enabled && eligible && model_invocable)
    .map(({ name, description, triggers }) => {
      const trigger = triggers.find((said) => text.toLowerCase().includes(said.toLowerCase()));
      const common = [...wordsIn(`${name} ${description}`)].filter((word) => words.has(word));
      const score = trigger ? 1 : Math.min(0.95, common.length * 0.23);
      const why = trigger ? `its trigger "${trigger}"` : `the word ${common[0]}`;
      return { name, score, why };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 5);
  const activated = ranked.filter(({ score }) => score >= threshold).map(({ name }) => name);
  return { text, ranked, activated: activated.slice(0, 1), threshold, by_meaning: true };
}

export function skillHandlers(world: World): Handlers {
  const aside = new Map<string, { row: SkillRow; at: number }>();
  const found = (name: string) => {
    const row = world.skills.find((skill) => skill.name === name);
    if (!row) throw wireError("not_found", `there is no skill ${name}`);
    return row;
  };
  return {
    skills_list: () => structuredClone(world.skills),
    skills_show: ({ name }) => ({
      row: structuredClone(found(name)),
      body: `# ${name}\n\n${found(name).description}\n\n${bodyText}`,
      self_check: ["Every claim has a source", "Open points are named", "It is as short as it can be"],
      license: "Apache-2.0",
      homepage: null,
      hints: (found(name).requires.bins ?? []).map((bin) => `brew install ${bin}`),
      primary_env: null,
    }),
    skills_change: ({ change: { name, enabled } }) => {
      const row = found(name);
      row.enabled = enabled;
      return structuredClone(row);
    },
    skills_match: async ({ text }) => {
      await world.pause(120);
      return decide(world, text);
    },
    skills_activity: ({ turn }) => activityOf(world, turn),
    skills_install_preview: async ({ path }) => {
      await world.pause(500);
      if (!/\.zip$|^https?:|\//.test(path))
        throw wireError(
          "not_found",
          `\`${path}\` is neither a folder, nor a .zip file, nor a git address (https://, ssh://, git@host:path). Check the spelling.`,
        );
      return preview(path);
    },
    skills_install: ({ path, hash }) => {
      if (hash !== preview(path).hash)
        throw wireError("conflict", "It is no longer what was shown. Look at it again before it is installed.");
      const rows = preview(path).skills.map(({ name, description, scripts }) =>
        skillRow(name, description, {
          source: "home",
          scripts: scripts.map((script) => script.path),
          installed: { from: path, hash, at: world.now(), changed: false },
        }),
      );
      world.skills = [...world.skills.filter(({ name }) => !rows.some((row) => row.name === name)), ...rows];
      return rows;
    },
    skills_remove: ({ name }) => {
      const gone = found(name);
      world.skills = world.skills.filter((skill) => skill !== gone);
      aside.set(name, { row: gone, at: world.now() });
      return null;
    },
    skills_removed: () => [...aside].map(([name, { at }]) => ({ name, at })),
    skills_restore: ({ name }) => {
      const kept = aside.get(name);
      if (!kept)
        throw wireError(
          "not_found",
          `There is no installed skill \`${name}\`. \`hearth skills list\` shows those that are there.`,
        );
      aside.delete(name);
      world.skills.push(kept.row);
      return null;
    },
    skills_update_preview: ({ name }) => {
      const from = found(name).installed?.from ?? "";
      const [skill] = preview(from).skills;
      return { ...preview(from), skills: skill ? [{ ...skill, name, rival: null }] : [] };
    },
    skills_update: ({ name }) => {
      const row = found(name);
      if (row.installed) row.installed = { ...row.installed, changed: false, at: world.now() };
      return [row];
    },
  };
}

const bodyText = `## How

1. Read what was given, whole.
2. Ask at most **one** question if something is missing.
3. Write the result; name what stays open.

| part | rule |
|---|---|
| sources | link each claim |
| 语言 | 用对方的语言回答 |

<script>alert("inert")</script>
`;

function preview(path: string): SkillInstall {
  const refused = path.includes("bad")
    ? "`config` is a link. Nothing was installed: a link could lead anywhere. Replace it by the file itself."
    : null;
  const skills = refused
    ? []
    : [
        {
          name: "tide-tables",
          description: "Reads tide tables of Norwegian harbours and says when it is safe to moor.",
          files: 7,
          bytes: 48_200,
          scripts: [
            { path: "scripts/fetch_tides.py", runs_with: "python3", bytes: 6120 },
            { path: "scripts/plot", runs_with: "native", bytes: 31_000 },
          ],
          hosts: ["api.kartverket.no"],
          requires: { bins: ["python3"], anyBins: [], env: ["KARTVERKET_KEY"], config: [], os: ["linux", "darwin"] },
          allowed_tools: ["exec", "read_file", "web_fetch"],
          problems: ["name-mismatch"],
          replaces: "0.9",
          changes: [
            { path: "SKILL.md", change: "changed" as const },
            { path: "scripts/fetch_tides.py", change: "added" as const },
            { path: "references/old.md", change: "removed" as const },
          ],
          rival: { source: "bundled" as const, path: "/usr/lib/hearth/skills/tide-tables/SKILL.md", wins: false },
        },
      ];
  return { path, hash: "c0ffee", skills, refused };
}

/** What skills did in a turn, by its events; nothing for a turn without any. */
function activityOf(world: World, turn: string): SkillActivity | null {
  const view = [...world.sessions.values()].flatMap(({ turns }) => turns).find((each) => each.turn === turn);
  const steps = view?.events.flatMap((event) => (event.event === "skill" ? [event] : [])) ?? [];
  const used = steps.find(({ state }) => state === "activated");
  if (!view || !used) return null;
  const asked = view.messages[0]?.parts[0];
  const released = steps.find(({ state }) => state === "released");
  const references = steps
    .filter(({ state }) => state === "reference")
    .map(({ reason, tokens, at }) => ({ path: reason, tokens, at }));
  const added = steps
    .filter(({ state }) => state === "activated" || state === "reference")
    .reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    turn,
    decision: {
      text: asked?.type === "text" ? asked.text : "",
      activated: [used.name],
      ranked: [
        { name: used.name, score: used.score, why: "the word moor, meaning 0.74" },
        { name: "research", score: 0.31, why: "the word know" },
        { name: "daily-brief", score: 0.12, why: "weakly related" },
      ],
      threshold,
      by_meaning: true,
    },
    active: [
      {
        name: used.name,
        reason: used.reason,
        score: used.score,
        since: turn,
        at: used.at,
        tokens: added,
        by: null,
        references,
        self_check: [
          { text: "High and low water of the day are named", ticked: true, evidence: "“High water at 07:42, 2.9 m”" },
          { text: "The wind's effect is added", ticked: true, evidence: "“another 10 to 20 cm”" },
          { text: "The source of the table is linked", ticked: false, evidence: "" },
        ],
        released_at: released?.at ?? null,
        released_why: released?.reason ?? "",
      },
    ],
    timeline: steps.map(({ at, name, state, reason, score, tokens }) => ({ at, name, state, reason, score, tokens })),
    index_tokens: 184,
    added,
    freed: released?.tokens ?? 0,
    all_tokens: world.skills.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** What the browser's world has of them. */
export function furnishSkills(world: World, scene: string): void {
  const needs = (more: Partial<SkillRow["requires"]>) => ({
    ...{ bins: [], anyBins: [], env: [], config: [], os: [] },
    ...more,
  });
  world.skills = [
    skillRow("tide-tables", "Reads tide tables of Norwegian harbours and says when it is safe to moor at a quay.", {
      emoji: "🌊",
      source: "workspace",
      path: "/home/ada/.local/share/hearth/workspace/skills/tide-tables/SKILL.md",
      triggers: ["tides", "潮汐"],
      references: ["references/norway.md"],
      scripts: ["scripts/fetch_tides.py"],
      requires: needs({ bins: ["python3"], env: ["KARTVERKET_KEY"] }),
      allowed_tools: ["exec", "read_file", "web_fetch"],
      tokens: 640,
    }),
    skillRow("meeting-notes", "Turns meeting notes into decisions and to-dos with owner and date.", {
      emoji: "📝",
      triggers: ["meeting notes", "会议记录", "会议纪要"],
      tokens: 910,
    }),
    skillRow("mail-triage", "Reads new mails and writes a short brief of what needs an answer today.", {
      emoji: "📬",
      eligible: false,
      reason: "MAIL_HOST is not set; store it as the secret skills/MAIL_HOST",
      requires: needs({ bins: ["python3"], env: ["MAIL_HOST", "MAIL_PASSWORD"] }),
      scripts: ["scripts/read_mail.py"],
      tokens: 1180,
    }),
    skillRow("daily-brief", "Gathers the day: calendar, weather, deadlines, in eight lines.", {
      emoji: "☀️",
      tokens: 730,
    }),
    skillRow("research", "Answers a question from several sources, each claim with its link.", {
      emoji: "🔭",
      uses: ["daily-brief"],
      tokens: 1490,
    }),
    skillRow("flash-cards", "Makes flash cards from a text and asks them at growing distances.", {
      emoji: "🃏",
      enabled: false,
      tokens: 690,
    }),
    skillRow("weekly-review", "Looks back on a week: done, open, learned.", { model_invocable: false, tokens: 560 }),
    skillRow("Pdf Forms", "Fills PDF forms.", {
      source: "home",
      path: "/home/ada/.local/share/hearth/skills/pdf/SKILL.md",
      problems: ["name-mismatch", "name-charset", "description-short", "reference-missing"],
      installed: { from: "/home/ada/Downloads/pdf.zip", hash: "ab12", at: world.now() - 86_400, changed: true },
      requires: needs({ anyBins: ["pdftk", "qpdf"], os: ["linux", "darwin"] }),
      version: null,
      tokens: 2310,
    }),
    skillRow("feishu-documents", "读取和整理飞书文档，生成摘要和待办。", {
      emoji: "📄",
      eligible: false,
      reason: "the program lark-cli is not installed",
      requires: needs({ bins: ["lark-cli"] }),
      tokens: 870,
    }),
  ];
  if (scene === "many-skills")
    for (let at = 0; at < 500; at += 1)
      world.skills.push(skillRow(`skill-${at + 1}`, `Does the task number ${at + 1}.`));
}
