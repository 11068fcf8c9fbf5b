// Colours for code. The highlighter and each grammar are fetched when a block first needs them; colours are CSS variables,
// so a change of theme costs nothing. Regular expressions run in JavaScript: the CSP allows no WebAssembly.

import type { HighlighterCore, LanguageRegistration, ThemedToken } from "shiki/core";

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

const grammars: Record<string, Grammar> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  dockerfile: () => import("shiki/langs/dockerfile.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  latex: () => import("shiki/langs/latex.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  r: () => import("shiki/langs/r.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const otherNames: Record<string, string> = {
  "c#": "csharp",
  "c++": "cpp",
  cs: "csharp",
  docker: "dockerfile",
  js: "javascript",
  kt: "kotlin",
  md: "markdown",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  tex: "latex",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** Longer code stays plain: colouring it would hold up the window. */
const limit = 40_000;

let highlighter: Promise<HighlighterCore> | undefined;

async function create(): Promise<HighlighterCore> {
  const [core, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  const theme = core.createCssVariablesTheme({ name: "hearth", variablePrefix: "--code-" });
  return core.createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

/** A language's own name for what stands after the fence. */
export function languageOf(info: string): string {
  const word =
    info
      .trim()
      .split(/[\s{,]/)[0]
      ?.toLowerCase() ?? "";
  return otherNames[word] ?? word;
}

/** Coloured lines, or `null` where the language is not known or the code is too long. */
export async function highlight(text: string, language: string): Promise<ThemedToken[][] | null> {
  const grammar = grammars[language];
  if (!grammar || text.length > limit) return null;
  highlighter ??= create();
  const ready = await highlighter;
  if (!ready.getLoadedLanguages().includes(language)) await ready.loadLanguage(await grammar());
  return ready.codeToTokensBase(text, { lang: language, theme: "hearth" });
}
