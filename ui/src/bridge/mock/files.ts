// Workspace files of the in-memory shell: compare-and-swap, a simple three-way merge, versions.

import type { Author } from "@/bindings/Author";
import type { FileSave } from "@/bindings/FileSave";
import type { FileSaved } from "@/bindings/FileSaved";
import type { Undone } from "@/bindings/Undone";
import type { Args, CommandName, Result } from "../commands";
import { type StoredFile, type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

/** FNV-1a: enough to tell texts apart. */
export function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Writes a file as anybody might, and tells the window. */
export function writeFile(world: World, path: string, text: string, author: Author, persona = false): StoredFile {
  const old = world.files.get(path);
  const row = {
    rev: [...world.files.values()].reduce((sum, { revisions }) => sum + revisions.length, 1),
    path,
    at: world.now(),
    author,
    turn: null,
    bytes: new TextEncoder().encode(text).length,
    hash: hashOf(text),
    deleted: false,
  };
  const file: StoredFile = {
    path,
    text,
    hash: row.hash,
    exists: true,
    cap_chars: 20_000,
    problems: [],
    persona: old?.persona ?? persona,
    at: row.at,
    revisions: [...(old?.revisions ?? []), { row, text }],
  };
  world.files.set(path, file);
  world.emit({ type: "file", data: { path, author, hash: row.hash } });
  return file;
}

export function fileHandlers(world: World): Handlers {
  const fileAt = (path: string): StoredFile => {
    const file = world.files.get(path);
    if (!file) throw wireError("not_found", `\`${path}\` does not exist.`);
    return file;
  };
  const version = (path: string, rev: number) => {
    const found = fileAt(path).revisions.find(({ row }) => row.rev === rev);
    if (!found) throw wireError("not_found", `${path} has no version ${rev}`);
    return found;
  };
  return {
    files_attach: ({ name, mediaType }) => ({
      name,
      media_type: mediaType,
      path: `${world.settings.home}/pasted/${world.nextId("p")}-${name}`,
    }),
    files_list: () =>
      [...world.files.values(), ...absent(world)].map(({ path, text, exists, persona, at }) => ({
        path,
        bytes: new TextEncoder().encode(text).length,
        chars: [...text].length,
        injected_chars: Math.min([...text].length, 20_000),
        tokens: Math.ceil([...text].length / 3.5),
        modified_at: exists ? at : null,
        exists,
        persona,
        problem: null,
      })),
    files_read: ({ path }) => {
      if (!world.files.has(path)) return { path, text: "", hash: "", exists: false, cap_chars: 20_000, problems: [] };
      const { text, hash, exists, cap_chars, problems } = fileAt(path);
      return { path, text, hash, exists, cap_chars, problems };
    },
    files_save: ({ request }) => save(world, request),
    files_history: ({ path }) => (world.files.get(path)?.revisions ?? []).map(({ row }) => ({ ...row })).reverse(),
    files_diff: ({ path, rev }) => {
      const before = version(path, rev).text;
      const after = fileAt(path).text;
      return { path, rev, before, after, unified: unified(path, before, after) };
    },
    turns_undo: ({ turn }) => {
      const view = [...world.sessions.values()].flatMap(({ turns }) => turns).find((each) => each.turn === turn);
      if (!view?.files.length) throw wireError("not_found", `turn ${turn} changed no file of the workspace`);
      return view.files.map((path) => ({ path, ...takenBack(world, path) }));
    },
    persona_try: async ({ request: { text } }) => {
      const stopped = new Promise<never>((_, reject) => {
        world.stops.set("persona_try", () => reject(wireError("provider_unavailable", "The call was stopped.")));
      });
      const name = /^You are (.+?)[,.]/m.exec(text)?.[1] ?? "";
      const reply = `I am ${name || "your assistant"}. I was given ${[...text].length} characters to go by.`;
      await Promise.race([world.pause(900), stopped]).finally(() => world.stops.delete("persona_try"));
      const usage = { model: "local/qwen", input: 1840, cached: 0, output: 21, usd: 0, purpose: "turn" as const };
      return { reply, usage };
    },
    persona_stop: () => {
      const stop = world.stops.get("persona_try");
      stop?.();
      return stop !== undefined;
    },
    files_restore: ({ path, rev }) => {
      const { hash } = writeFile(world, path, version(path, rev).text, "user");
      return { outcome: "written", hash };
    },
  };
}

const personaFiles = ["SOUL", "AGENTS", "IDENTITY", "USER", "TOOLS", "HEARTBEAT", "MEMORY"].map((name) => `${name}.md`);

/** Persona files that the workspace lacks. */
const absent = (world: World): StoredFile[] =>
  personaFiles
    .filter((path) => !world.files.has(path))
    .map((path) => ({
      path,
      text: "",
      hash: "",
      exists: false,
      cap_chars: 20_000,
      problems: [],
      persona: true,
      at: 0,
      revisions: [],
    }));

function save(world: World, request: FileSave): FileSaved {
  const now = world.files.get(request.path);
  const theirs = now?.exists ? now.text : "";
  const theirsHash = now?.exists ? now.hash : "";
  let text = request.text;
  if (request.base_hash !== theirsHash) {
    const merged = merge(request.base_text, request.text, theirs);
    if (merged === null) {
      const marked = `<<<<<<< yours\n${request.text}\n=======\n${theirs}\n>>>>>>> theirs\n`;
      return { outcome: "conflict", theirs, theirs_hash: theirsHash, marked };
    }
    text = merged;
  }
  const [from, to] = [[...theirs].length, [...text].length];
  if (!request.confirmed && from > 200 && to < from / 2)
    return { outcome: "confirm_shrink", from_chars: from, to_chars: to };
  const { hash } = writeFile(world, request.path, text, "user");
  return text === request.text ? { outcome: "written", hash } : { outcome: "merged", text, hash };
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

/** The one stretch of lines in which a text differs from its base. */
function edit(base: string[], text: string[]): Edit {
  let from = 0;
  while (from < base.length && from < text.length && base[from] === text[from]) from += 1;
  let tail = 0;
  while (tail < base.length - from && tail < text.length - from && base.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
  return { from, to: base.length - tail, text: text.slice(from, text.length - tail).join("\n") };
}

/** Both edits, when they touch different lines; else null. */
function merge(base: string, mine: string, theirs: string): string | null {
  const lines = base.split("\n");
  const edits = [edit(lines, mine.split("\n")), edit(lines, theirs.split("\n"))].sort((a, b) => a.from - b.from);
  const [first, second] = edits;
  if (!first || !second || first.to >= second.from) return mine === theirs ? mine : null;
  const apply = (text: string[], { from, to, text: put }: Edit) => [
    ...text.slice(0, from),
    ...(put === "" && to > from ? [] : put.split("\n")),
    ...text.slice(to),
  ];
  return apply(apply(lines, second), first).join("\n");
}

function unified(path: string, before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const { from, to } = edit(old, now);
  const added = now.slice(from, now.length - (old.length - to));
  const removed = old.slice(from, to);
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  const head = `@@ -${from + 1},${removed.length} +${from + 1},${added.length} @@`;
  return [`--- ${path}`, `+++ ${path}`, head, ...lines, ""].join("\n");
}

/** Back to the version before the last one, unless the person wrote since. */
function takenBack(world: World, path: string): Pick<Undone, "state" | "why"> {
  const revisions = world.files.get(path)?.revisions ?? [];
  const [last, before] = [revisions.at(-1), revisions.at(-2)];
  if (last?.row.author === "user") return { state: "conflict", why: "it was changed since in the same place" };
  if (before && last) writeFile(world, path, before.text, "user");
  else world.files.delete(path);
  return { state: before && last ? "restored" : "removed", why: "" };
}
