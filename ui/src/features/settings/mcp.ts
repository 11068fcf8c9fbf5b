// MCP servers as the window knows them: the query, the commands that change one, and what became of its tools.

import { useQuery } from "@tanstack/react-query";
import type { McpEdit } from "@/bindings/McpEdit";
import type { McpRow } from "@/bindings/McpRow";
import type { McpToolRow } from "@/bindings/McpToolRow";
import { call } from "@/bridge";
import { keys, queries } from "@/shared/queries";

export function useServers() {
  return useQuery({ queryKey: keys.mcp, queryFn: () => call("mcp_list") });
}

/** Puts a fresh row in the place of the old one, or at the end. */
function put(row: McpRow): McpRow {
  queries.setQueryData<McpRow[]>(keys.mcp, (rows = []) =>
    rows.some(({ server }) => server.id === row.server.id)
      ? rows.map((old) => (old.server.id === row.server.id ? row : old))
      : [...rows, row],
  );
  return row;
}

export const saveServer = async (server: McpEdit, key: string | null) =>
  put(await call("mcp_save", { server, key: key || null }));
export const testServer = async (id: string) => put(await call("mcp_test", { id }));
export const allowServer = async (id: string) => put(await call("mcp_allow", { id }));

export async function removeServer(id: string): Promise<void> {
  await call("mcp_remove", { id });
  queries.setQueryData<McpRow[]>(keys.mcp, (rows = []) => rows.filter(({ server }) => server.id !== id));
}

/** Tools that are not as they were allowed, and so not offered. */
export const toReview = ({ tools }: McpRow): McpToolRow[] =>
  tools.filter(({ state }) => state === "changed" || state === "new");
