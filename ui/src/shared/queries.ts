// One cache of what the engine answered. A query calls a command; signals say which answers are old (see `app/signals`).

import { QueryClient } from "@tanstack/react-query";

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

/** Keys of shared queries; a page adds its own beside them. */
export const keys = {
  settings: ["settings"] as const,
  /** Whether the wanted global shortcut is taken. */
  shortcut: ["shortcut"] as const,
  approvals: ["approvals"] as const,
  /** Everything of the Memory page stands below it. */
  memory: ["memory"] as const,
  sessions: ["sessions"] as const,
  transcript: (session: string) => ["transcript", session] as const,
  commands: ["commands"] as const,
  models: ["models"] as const,
  localModels: ["localModels"] as const,
  mcp: ["mcp"] as const,
  /** Everything of the Skills page stands below it. */
  skills: ["skills"] as const,
  /** Everything of the Heartbeat page but its inbox. */
  heartbeat: ["heartbeat"] as const,
  notices: ["notices"] as const,
  /** How a new version of the app stands. */
  updates: ["updates"] as const,
  files: ["files"] as const,
  file: (path: string) => ["file", path] as const,
};
