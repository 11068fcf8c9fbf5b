// A context manifest of the in-memory shell: the sections a real call has, with texts of a believable size.

import type { ContextManifest } from "@/bindings/ContextManifest";
import type { ManifestSection } from "@/bindings/ManifestSection";
import type { World } from "./world";

export function manifestOf(world: World, session: string): ContextManifest {
  const history = (world.sessions.get(session)?.turns ?? []).flatMap(({ messages }) => messages);
  const said = history.flatMap(({ role, parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [`${role}: ${part.text}`] : [])),
  );
  const message = said.at(-1) ?? "";
  const rows: [name: string, source: string, reason: string, text: string][] = [
    ["identity", "IDENTITY.md", "persona file, in every run of this kind", file(world, "IDENTITY.md")],
    ["soul", "SOUL.md", "persona file, in every run of this kind", file(world, "SOUL.md")],
    ["agents", "AGENTS.md", "persona file, in every run of this kind", file(world, "AGENTS.md")],
    [
      "tools",
      "Hearth",
      "offered with the request, beside the prompt",
      "read_file, write_file, edit_file, list_files, search_files\n".repeat(12),
    ],
    ["user", "USER.md", "who the user is, in private sessions", file(world, "USER.md")],
    ["memory", "MEMORY.md", "long-term memory, in private sessions", file(world, "MEMORY.md")],
    ["history", "conversation", "all 2 earlier turns", said.slice(0, -1).join("\n\n")],
    ["message", "conversation", "what is being answered", message],
  ];
  const sections = rows
    .filter(([, , , text]) => text !== "")
    .map(([name, source, reason, text], at) => section(at, name, source, reason, text));
  const total_tokens = sections.reduce((sum, { tokens }) => sum + tokens, 0);
  return { sections, total_tokens, window: 32_768, model: "local/qwen", mode: "full", exact: true };
}

const file = (world: World, path: string) => world.files.get(path)?.text ?? "";

function section(at: number, name: string, source: string, reason: string, text: string): ManifestSection {
  const chars = [...text].length;
  const tokens = Math.max(1, Math.round(chars / 3.6));
  return { name, source, chars, raw_chars: chars, tokens, reason, truncated: false, cached_part: at < 5, text };
}
