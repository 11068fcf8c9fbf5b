// Keeps the cache true: each signal marks the answers it makes old. A hole in the numbers makes all of them old.

import type { Signal } from "@/bindings/Signal";
import { onSignal } from "@/bridge";
import { keys, queries } from "@/shared/queries";
import { go } from "@/shared/route";

/** Where everything arrives that Hearth says by itself. */
const conversation = "assistant:heartbeat";

const stale = (queryKey: readonly unknown[]) => void queries.invalidateQueries({ queryKey });

function apply(signal: Signal): void {
  switch (signal.type) {
    case "sessions":
      stale(keys.sessions);
      return;
    case "settings":
      for (const key of [
        keys.settings,
        keys.shortcut,
        keys.models,
        keys.localModels,
        keys.mcp,
        keys.skills,
        keys.heartbeat,
      ])
        stale(key);
      return;
    case "file":
      stale(keys.files);
      stale(keys.file(signal.data.path));
      // The plan follows a moment later, with a signal of its own; what the page says must not wait for it.
      if (signal.data.path === "HEARTBEAT.md") stale(keys.heartbeat);
      stale(keys.memory);
      if (/(^|\/)skills\//.test(signal.data.path)) stale(keys.skills);
      return;
    case "pull":
      if (signal.data.state === "ready" || signal.data.state === "failed") {
        stale(keys.models);
        stale(keys.localModels);
      }
      return;
    case "heartbeat":
      stale(keys.heartbeat);
      return;
    case "notices":
      stale(keys.notices);
      // What is noticed was written into its conversation before.
      stale(keys.transcript(conversation));
      stale(keys.heartbeat);
      return;
    case "navigate":
      go(signal.data);
      return;
    case "import":
      // The settings show it.
      return;
    case "reading":
      // The conversation shows it.
      return;
    case "turn":
      if (signal.data.event === "approval") stale(keys.approvals);
      if (signal.data.event === "memory") stale(keys.memory);
      if (signal.data.event === "skill" || signal.data.event === "done") stale(keys.skills);
      // The chat's own store follows turns.
      return;
  }
}

export function followSignals(): () => void {
  return onSignal((signal) => {
    if (signal === null) void queries.invalidateQueries();
    else apply(signal);
  });
}
