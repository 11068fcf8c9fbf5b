// Draws a part of the window on the in-memory shell, as `app/start` does.

import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { followSignals } from "@/app/signals";
import type { EventBody } from "@/bindings/EventBody";
import { type Args, type CommandName, connect, type Result, type Shell } from "@/bridge";
import { emptyWorld, eventOf, mockShell, type World } from "@/bridge/mock";
import { Toasts } from "@/shared/components/Toasts";
import { followTurns, forgetConversations } from "@/shared/conversation/store";
import { queries } from "@/shared/queries";

export type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

interface Call {
  command: CommandName;
  args: unknown;
}

export interface Stage {
  world: World;
  calls: Call[];
  /** Calls of one command. */
  called: (command: CommandName) => unknown[];
  /** Sends events of a turn, numbered from `from`. */
  tell: (turn: string, bodies: EventBody[], from?: number, session?: string) => Promise<void>;
  container: HTMLElement;
}

let unfollow: (() => void) | undefined;

/** Connects a fresh window to a world and draws. */
export async function stage(
  content: ReactNode,
  { world = emptyWorld(), handlers = {} as Handlers } = {},
): Promise<Stage> {
  unfollow?.();
  queries.clear();
  forgetConversations();
  const calls: Call[] = [];
  const shell = mockShell(world, handlers);
  const spied: Shell = {
    ...shell,
    call: (command, args) => {
      calls.push({ command, args });
      return shell.call(command, args);
    },
  };
  await connect(spied);
  const both = [followSignals(), followTurns()];
  unfollow = () => {
    for (const end of both) end();
  };
  const { container } = await act(async () =>
    render(
      <QueryClientProvider client={queries}>
        <Tooltip.Provider>
          <Toasts>{content}</Toasts>
        </Tooltip.Provider>
      </QueryClientProvider>,
    ),
  );
  return {
    world,
    calls,
    called: (command) => calls.filter((made) => made.command === command).map(({ args }) => args),
    tell: async (turn, bodies, from = 1, session = "assistant:main") => {
      for (const [place, body] of bodies.entries())
        world.emit({ type: "turn", data: eventOf(body, { seq: from + place, turn, session, at: 1_700_000_000 }) });
      await frame();
    },
    container,
  };
}

/** Lets the window draw its next frame, and what follows from it. */
export const frame = () => act(() => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
