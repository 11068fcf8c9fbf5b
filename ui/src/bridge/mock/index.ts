// A shell in memory, with the engine's commands and the same stream of signals. Compiled into tests and the browser's
// development pages only.

import { call } from "..";
import type { Args, CommandName, Result, Shell } from "../commands";
import { askingHandlers } from "./asking";
import { chatHandlers } from "./chat";
import { manifestOf } from "./context";
import { fileHandlers } from "./files";
import { browserWorld, sceneHandlers } from "./furnish";
import { heartbeatHandlers } from "./heartbeat";
import { mcpHandlers } from "./mcp";
import { memoryHandlers } from "./memory";
import { skillHandlers } from "./skills";
import { systemHandlers } from "./system";
import { transferHandlers } from "./transfer";
import { updateHandlers } from "./updates";
import { type World, wireError } from "./world";

export { writeFile } from "./files";
export { emptyWorld, eventOf, type Reply, type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

/** A shell over a world; tests give the world they need, and `handlers` that fail or answer otherwise. */
export function mockShell(world: World, handlers: Handlers = {}): Shell {
  const all: Handlers = {
    ...chatHandlers(world),
    ...askingHandlers(world),
    ...fileHandlers(world),
    ...memoryHandlers(world),
    ...heartbeatHandlers(world),
    ...mcpHandlers(world),
    ...skillHandlers(world),
    ...systemHandlers(world),
    ...transferHandlers(world),
    ...updateHandlers(world),
    context_call: ({ session }) => manifestOf(world, session),
    ...handlers,
  };
  return {
    call: async <C extends CommandName>(command: C, args: Args<C>): Promise<Result<C>> => {
      const handle = all[command] as ((args: Args<C>) => Result<C> | Promise<Result<C>>) | undefined;
      if (!handle) throw wireError("invalid_request", `There is no command ${command}.`);
      return handle(args);
    },
    subscribe: async (hear) => world.hear(hear),
    onDrop: async () => () => undefined,
    openUrl: async (url) => {
      window.open(url, "_blank", "noopener");
    },
    pickFiles: async () => world.picks,
    pickPlace: async (name) => `/home/ada/${name}`,
  };
}

/** The shell of the browser's pages: a furnished world that answers at a model's pace. `?scene=NAME` chooses another one. */
export function browserShell(): Shell {
  const scene = new URLSearchParams(window.location.search);
  const world = browserWorld(scene.get("scene") ?? "");
  world.pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const [language, theme] = [scene.get("language"), scene.get("theme")];
  if (language) world.settings.language = language;
  if (theme) world.settings.theme = theme;
  const shell = mockShell(world, sceneHandlers(scene.get("scene") ?? ""));
  return scene.get("scene") === "lost" ? leaving(shell) : shell;
}

/** Answers at first, and then no more. */
function leaving(shell: Shell): Shell {
  let gone = false;
  setTimeout(() => {
    gone = true;
    Object.assign(window, { lost: true });
    // The page asks for something, as it does now and then.
    void call("sessions_list").catch(() => undefined);
  }, 1500);
  return {
    ...shell,
    call: (command, args) => (gone ? Promise.reject(new TypeError("Load failed")) : shell.call(command, args)),
  };
}
