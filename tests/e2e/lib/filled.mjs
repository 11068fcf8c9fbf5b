// A home with very much in it: endless conversations, memories by the thousand, skills by the hundred.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "./lived.mjs";

/** Puts a conversation into the home: question and answer by turn. Its key ends in `chat-NAME`. */
export async function talked(stage, name, talk, title = name) {
  const at = Math.floor(Date.now() / 1000) - 86_400;
  const session = { type: "session", format: 1, key: `assistant:chat-${name}`, title, named: true };
  const lines = [{ ...session, pinned: false, archived: false, model: null, created_at: at, updated_at: at }];
  for (const [index, pair] of talk.entries()) {
    const turn = `${name}-${index}`;
    lines.push({ type: "turn", id: turn, origin: "window", state: "done", stop: "finished", model: "work/scripted-1", steps: 1, queued_at: at, started_at: at, ended_at: at, replaced: false });
    for (const [side, text] of pair.entries())
      lines.push({ type: "message", id: `${turn}-${side}`, role: side === 0 ? "user" : "assistant", parts: [{ type: "text", text }], at, turn, replaced: false });
  }
  const file = join(stage.home, "talk.jsonl");
  writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
  await command(stage, "sessions", "import", file);
  rmSync(file);
}

/** So many facts, as bullets of daily logs of a year. */
export function remembered(stage, count) {
  const days = 250;
  const folder = join(stage.workspace, "memory");
  mkdirSync(folder, { recursive: true });
  for (let day = 0; day < days; day += 1) {
    const date = new Date(Date.now() - (day + 1) * 86_400_000).toISOString().slice(0, 10);
    const facts = Array.from({ length: count / days }, (_, at) => {
      const id = `m_${String(day * 1000 + at).padStart(10, "0")}`;
      return `- 10:${String(at % 60).padStart(2, "0")} fact: Mark ${day}-${at} lies ${at} m deep. <!-- id: ${id} -->`;
    });
    writeFileSync(join(folder, `${date}.md`), `# ${date}\n\n${facts.join("\n")}\n`);
  }
}

export function skilled(stage, count) {
  for (let at = 1; at <= count; at += 1) {
    const folder = join(stage.workspace, "skills", `task-${at}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), `---\nname: task-${at}\ndescription: Does the task number ${at} of five hundred, when it is asked for.\n---\n\n# Task ${at}\n\nDo it.\n`);
  }
}
