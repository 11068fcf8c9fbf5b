// What may leave this machine, by the settings as they are. Pure.

import type { McpRow } from "@/bindings/McpRow";
import type { ProviderRow } from "@/bindings/ProviderRow";
import type { SessionInfo } from "@/bindings/SessionInfo";
import type { SettingsView } from "@/bindings/SettingsView";

const web = "group:web";

/** Whether a server's address is on this machine. */
export function isHere(address: string): boolean {
  try {
    const { hostname } = new URL(address);
    return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
  } catch {
    return false;
  }
}

/** Where a model runs: null for this machine, else the name of its server. */
export function serverOf(model: string, providers: readonly ProviderRow[]): string | null {
  const [id] = model.split("/");
  if (id === "local") return null;
  const provider = providers.find((row) => row.id === id);
  if (!provider?.base_url) return id ?? null;
  return isHere(provider.base_url) ? null : new URL(provider.base_url).hostname;
}

export interface Leaving {
  /** Models in use that run elsewhere, with their servers. */
  models: { model: string; server: string }[];
  /** Conversations with a model of their own that runs elsewhere. */
  sessions: SessionInfo[];
  /** Pages and searches are fetched. */
  web: boolean;
  /** Servers of tools elsewhere. */
  servers: string[];
}

export function leaving(settings: SettingsView, sessions: readonly SessionInfo[], mcp: readonly McpRow[]): Leaving {
  const { providers, model_default, model_fallback, guard } = settings;
  const models = [model_default, ...model_fallback].flatMap((model) => {
    const server = model ? serverOf(model, providers) : null;
    return server === null ? [] : [{ model, server }];
  });
  return {
    models,
    sessions: sessions.filter(({ model }) => model !== null && model !== "" && serverOf(model, providers) !== null),
    web: !guard.deny_tools.includes(web),
    servers: mcp.flatMap(({ server: { enabled, url } }) =>
      enabled && url && !isHere(url) ? [new URL(url).hostname] : [],
    ),
  };
}

export const isNothing = ({ models, sessions, web: pages, servers }: Leaving): boolean =>
  !pages && models.length + sessions.length + servers.length === 0;

/** What has to be set so that nothing leaves, as keys of `hearth.toml` with their values. */
export function keepingHere(settings: SettingsView, local: string): [key: string, value: string | string[]][] {
  const { providers, model_default, model_fallback, guard } = settings;
  const kept = model_fallback.filter((model) => serverOf(model, providers) === null);
  return [
    ...(model_default && serverOf(model_default, providers) === null
      ? []
      : [["model.default", local] as [string, string]]),
    ...(kept.length === model_fallback.length ? [] : [["model.fallback", kept] as [string, string[]]]),
    ...(guard.deny_tools.includes(web) ? [] : [["guard.deny_tools", [...guard.deny_tools, web]] as [string, string[]]]),
  ];
}

export const withWeb = (denied: readonly string[]): string[] => denied.filter((entry) => entry !== web);
