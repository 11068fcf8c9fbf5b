// The form of an MCP server: what is typed, whether it can be saved, and saving it. Secrets of its environment go to the
// sealed store under `mcp/ID/NAME`; the settings only name them.

import type { McpEdit } from "@/bindings/McpEdit";
import { call } from "@/bridge";
import { lineOf, type PastedServer, wordsOf } from "./commandLine";
import { saveServer } from "./mcp";

export interface Variable {
  name: string;
  value: string;
  secret: boolean;
  /** The secret that is stored already. */
  stored: string | null;
}

export interface Draft {
  id: string;
  way: "command" | "url";
  line: string;
  url: string;
  key: string;
  env: Variable[];
  timeout: string;
  enabled: boolean;
}

const reference = "secret:";

export function draftOf(server?: McpEdit): Draft {
  if (!server) return { id: "", way: "command", line: "", url: "", key: "", env: [], timeout: "60", enabled: true };
  const { id, url, command, env, timeout_s, enabled } = server;
  const variables = Object.entries(env).map(([name, value]) => {
    const stored = value.startsWith(reference) ? value.slice(reference.length) : null;
    return { name, value: stored ? "" : value, secret: stored !== null, stored };
  });
  const line = lineOf(command);
  return { id, way: url ? "url" : "command", line, url, key: "", env: variables, timeout: String(timeout_s), enabled };
}

/** Names that mostly hold secrets. */
export const looksSecret = (name: string) => /key|token|secret|passw|credential/i.test(name);

/** A draft with what was pasted from another program's settings. */
export function withPasted(draft: Draft, pasted: PastedServer): Draft {
  const env = Object.entries(pasted.env).map(([name, value]) => ({
    name,
    value,
    secret: looksSecret(name),
    stored: null,
  }));
  const id = draft.id || (pasted.name ?? "").replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 24);
  return { ...draft, id, way: pasted.url ? "url" : "command", line: lineOf(pasted.command), url: pasted.url, env };
}

type Wrong = "nameWrong" | "nameTaken" | "commandWrong" | "addressWrong";

/** What keeps it from being saved, by field; empty fields are not told, but keep it all the same. */
export function faultsOf(draft: Draft, taken: readonly string[]) {
  const { id, way, line, url } = draft;
  const name: Wrong | null = taken.includes(id)
    ? "nameTaken"
    : id !== "" && (!/^[A-Za-z0-9_-]{1,24}$/.test(id) || id.includes("__"))
      ? "nameWrong"
      : null;
  const command: Wrong | null = way === "command" && wordsOf(line) === null ? "commandWrong" : null;
  const address: Wrong | null =
    way === "url" && url !== "" && !/^https?:\/\/./.test(url.trim()) ? "addressWrong" : null;
  const lacks = id === "" || (way === "command" ? line.trim() === "" : url.trim() === "");
  return { name, command, address, ready: !lacks && !name && !command && !address };
}

/** Saves it; answers with the row. */
export async function store(draft: Draft) {
  const { id, way, line, url, key, timeout, enabled } = draft;
  const env: Record<string, string> = {};
  for (const { name, value, secret, stored } of way === "command" ? draft.env : []) {
    if (!name.trim()) continue;
    env[name.trim()] =
      secret && (value !== "" || stored) ? reference + (await sealed(id, name.trim(), value, stored)) : value;
  }
  const server: McpEdit = {
    id,
    command: way === "command" ? (wordsOf(line) ?? []) : [],
    url: way === "url" ? url.trim() : "",
    env,
    timeout_s: Math.max(1, Math.round(Number(timeout)) || 60),
    enabled,
  };
  return saveServer(server, way === "url" ? key.trim() : null);
}

async function sealed(id: string, variable: string, value: string, stored: string | null): Promise<string> {
  if (value === "" && stored) return stored;
  const name = `mcp/${id}/${variable}`;
  await call("secrets_set", { name, value });
  return name;
}
