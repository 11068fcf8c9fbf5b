// Imports and backups of the in-memory shell: a small export with one of each outcome.

import type { ImportItem } from "@/bindings/ImportItem";
import type { Args, CommandName, Result } from "../commands";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

const item = (name: string, rest: Partial<ImportItem>): ImportItem => ({
  kind: "conversation",
  name,
  state: "added",
  reason: "new",
  detail: "",
  target: "",
  ...rest,
});

const export_: ImportItem[] = [
  item("Three days in Lisbon", { target: "assistant:import:chatgpt:1" }),
  item("冬天的菜园", { target: "assistant:import:chatgpt:2" }),
  item("A chart of the tides", { reason: "left_out", detail: "pictures: 2, results of tools: 1" }),
  item("Rye bread", { state: "already_there", reason: "grew", detail: "4", target: "assistant:import:chatgpt:4" }),
  item("Packing list", { state: "already_there", reason: "same" }),
  item("New chat", { state: "skipped", reason: "empty" }),
  item("conversations-003.json #17", {
    state: "failed",
    reason: "unreadable",
    detail: "it has no messages (`mapping`)",
  }),
];

export function transferHandlers(world: World): Handlers {
  const held = { sessions: 12, workspace_files: 34, skill_files: 3, secrets: 2 };
  return {
    imports_run: async ({ request: { source, dry_run, path } }) => {
      if (path.endsWith(".txt"))
        throw wireError(
          "invalid_request",
          `${path} is no data export of ChatGPT: it has no id. Ask for the export again, or choose another file.`,
        );
      for (const share of [0.3, 0.7]) {
        const data = { done_bytes: share * 52_000_000, total_bytes: 52_000_000, items: Math.round(share * 7) };
        world.emit({ type: "import", data });
        await world.pause(300);
      }
      const counts = { added: 3, already_there: 2, skipped: 1, failed: 1, messages: 86 };
      return { source, dry_run, counts, items: export_ };
    },
    backups_make: async ({ path, passphrase }) => {
      if (passphrase.length < 8) throw wireError("invalid_request", "a passphrase has at least 8 characters");
      await world.pause(600);
      const left_out = [{ name: "workspace/link.md", why: "it is a link or no file; links are not followed" }];
      return { path, bytes: 4_812_000, counts: held, left_out };
    },
    backups_prepare: async ({ passphrase }) => {
      await world.pause(600);
      if (passphrase === "wrong horse") throw wireError("invalid_request", "the passphrase does not open it");
      const made_at = world.now() - 86_400;
      return { made_at, counts: held, aside: "", secrets: "keyring", at_next_start: true };
    },
    window_restart: () => null,
  };
}
