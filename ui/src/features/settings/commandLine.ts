// A program and its arguments as one line, and back. No shell is involved: quotation marks keep words together, and a
// backslash is a backslash, as in a path on Windows.

/** The words of a line; null where a quotation mark is not closed. */
export function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let word = "";
  let begun = false;
  let quote = "";
  for (const sign of line) {
    if (quote) {
      if (sign === quote) quote = "";
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      begun = true;
    } else if (/\s/.test(sign)) {
      if (begun) words.push(word);
      word = "";
      begun = false;
    } else {
      word += sign;
      begun = true;
    }
  }
  if (quote) return null;
  return begun ? [...words, word] : words;
}

/** A line that has these words. */
export function lineOf(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (word !== "" && !/[\s"']/.test(word)) return word;
  if (!word.includes('"')) return `"${word}"`;
  if (!word.includes("'")) return `'${word}'`;
  return word.replace(/[^']+|'+/g, (part) => (part.startsWith("'") ? `"${part}"` : `'${part}'`));
}

export interface PastedServer {
  name: string | null;
  command: string[];
  url: string;
  env: Record<string, string>;
}

/** A server as other programs write it in JSON (`mcpServers` with a name, or an entry alone); null where it is none. */
export function pastedServer(text: string): PastedServer | null {
  if (!text.trim().startsWith("{") && !/^\s*"[^"]+"\s*:\s*\{/.test(text)) return null;
  const found = read(text) ?? read(`{${text.trim().replace(/,$/, "")}}`);
  if (!isTable(found)) return null;
  const servers = isTable(found.mcpServers) ? found.mcpServers : found;
  if (isEntry(servers)) return entryOf(null, servers);
  const named = Object.entries(servers).find(([, entry]) => isEntry(entry));
  return named ? entryOf(named[0], named[1] as Table) : null;
}

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isEntry = (value: unknown): value is Table =>
  isTable(value) && (typeof value.command === "string" || typeof value.url === "string");

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function entryOf(name: string | null, { command, args, url, env }: Table): PastedServer {
  const words = Array.isArray(args) ? args.map(String) : [];
  const variables = isTable(env) ? Object.entries(env).map(([key, value]) => [key, String(value)]) : [];
  return {
    name,
    command: typeof command === "string" ? [command, ...words] : [],
    url: typeof command === "string" ? "" : String(url),
    env: Object.fromEntries(variables),
  };
}
