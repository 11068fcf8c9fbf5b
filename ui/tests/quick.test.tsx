// The quick prompt on the in-memory shell.

import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { emptyWorld, wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { QuickPrompt } from "@/features/quick/QuickPrompt";
import { frame, stage } from "./harness";

const field = () => screen.findByRole("textbox", { name: "Quick prompt" });

test("the answer streams in place, in a session of its own", async () => {
  const { called, tell } = await stage(<QuickPrompt />, {
    handlers: { chat_submit: () => ({ outcome: "turn", turn: "t1" }) },
  });
  await userEvent.type(await field(), "Tide?{Enter}");
  expect(called("chat_submit")).toMatchObject([
    { request: { session: "assistant:quick", origin: "quick", text: "Tide?" } },
  ]);
  await tell("t1", [{ event: "started" }, { event: "text", text: "High at **07" }], 1, "assistant:quick");
  expect(screen.getByRole("region", { name: "Answer" })).toHaveTextContent("Tide?High at 07");
  await tell("t1", [{ event: "text", text: ":42**." }], 3, "assistant:quick");
  expect(await screen.findByText("07:42")).toBeVisible();
});

test("Ctrl+Enter asks and goes on in the main window; Escape outside the field hides", async () => {
  const { called } = await stage(<QuickPrompt />);
  const user = userEvent.setup();
  await user.type(await field(), "Longer{Control>}{Enter}{/Control}");
  expect(called("chat_submit")).toMatchObject([{ request: { text: "Longer" } }]);
  expect(called("window_continue")).toEqual([{ path: "/chat/assistant:quick" }]);
  await user.click(screen.getByRole("button", { name: /Continue in the main window/ }));
  await user.keyboard("{Escape}");
  expect(called("window_hide_quick")).toHaveLength(1);
});

test("an answer of the past is not in the way", async () => {
  const world = emptyWorld();
  const info = {
    key: "assistant:quick",
    title: "Old",
    turns: 1,
    updated_at: 1,
    pinned: false,
    archived: false,
    running: false,
    files: [],
    model: null,
  };
  const messages = [
    { id: "m", role: "user" as const, parts: [{ type: "text" as const, text: "Old question" }], at: 1 },
  ];
  world.sessions.set(info.key, { info, turns: [{ turn: "t0", messages, events: [], running: false, files: [] }] });
  await stage(<QuickPrompt />, { world });
  await frame();
  expect(screen.queryByText("Old question")).toBeNull();
});

test("what cannot be sent says why", async () => {
  const handlers = {
    chat_submit: () => {
      throw wireError("home_busy", "Process 7 owns the home.");
    },
  };
  await stage(<QuickPrompt />, { handlers });
  await userEvent.type(await field(), "Tide?{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("Process 7 owns the home.");
});

test("a call that needs a word is said, and decided in the main window", async () => {
  const { called } = await stage(<QuickPrompt />, { world: browserWorld("approval") });
  const user = userEvent.setup();
  await user.type(await screen.findByRole("textbox"), "Index the charts{Enter}");
  const needs = await screen.findByText("It needs your word: continue in the main window.");
  expect(needs.parentElement).toHaveTextContent("exec python3 tools/index.py --force charts/");
  await user.click(screen.getByRole("button", { name: /Continue/ }));
  expect(called("window_continue")).toEqual([{ path: "/chat/assistant:quick" }]);
});
