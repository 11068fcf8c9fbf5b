// Texts to start a persona file from: the one that Hearth came with, and a few that go another way.

import { hasTemplates, type Purpose, type Templated } from "./files";

/** The names are keys of `persona:template`. */
const others = {
  SOUL: ["straight", "teacher", "critic"],
  AGENTS: ["careful", "brisk"],
  USER: ["work"],
  TOOLS: ["machine"],
  HEARTBEAT: ["day", "week", "watch"],
  IDENTITY: [],
} as const satisfies Record<Templated, readonly string[]>;

type File = Templated;
type TemplateName = "standard" | (typeof others)[File][number];

interface Template {
  name: TemplateName;
  text: string;
}

const own = import.meta.glob<string>("./templates/*/*.md", { query: "?raw", import: "default", eager: true });
const standard = import.meta.glob<string>("../../../../workspace/**/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Those of a file, in the person's language. */
export function templatesOf(purpose: Purpose, language: string): Template[] {
  if (!hasTemplates(purpose)) return [];
  const file: File = purpose;
  const folder = language.startsWith("zh") ? "zh-CN" : "en";
  const first = standard[`../../../../workspace/${folder === "en" ? "" : `${folder}/`}${file}.md`] ?? "";
  return [
    { name: "standard", text: first },
    ...others[file].map((name) => ({ name, text: own[`./templates/${folder}/${file}.${name}.md`] ?? "" })),
  ];
}
