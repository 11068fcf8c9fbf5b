// A new version of the in-memory shell: the world says which step each click leads to.

import type { UpdateView } from "@/bindings/UpdateView";
import type { Args, CommandName, Result } from "../commands";
import type { World } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

const notes = "* Replies come faster.\n* 中文检索更准。";

export function updateHandlers({ update, pause }: World): Handlers {
  const to = (step: UpdateView["step"]): UpdateView => {
    Object.assign(update, { step, problem: null });
    return structuredClone(update);
  };
  const version = "0.2.0";
  return {
    updates_view: () => structuredClone(update),
    updates_check: async () => {
      to({ step: "checking" });
      await pause(800);
      return to({ step: "available", version, notes });
    },
    updates_download: async () => {
      for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
        to({ step: "downloading", version, done_bytes: share * 18_400_000, total_bytes: 18_400_000 });
        await pause(500);
      }
      return to({ step: "ready", version });
    },
    updates_install: () => to({ step: "installing", version }),
  };
}
