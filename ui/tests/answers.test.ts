// What a command answered stands at the end of the chat until the next message.

import { expect, test, vi } from "vitest";

vi.mock("@/bridge", async (original) => ({
  ...(await original<object>()),
  call: (_: string, { request }: { request: { text: string } }) =>
    Promise.resolve(
      request.text.startsWith("/") ? { outcome: "command", text: "Stopped." } : { outcome: "turn", turn: "t1" },
    ),
}));

test("the answer to a command goes with the next message", async () => {
  const { send, useConversations } = await import("@/shared/conversation/store");
  const asked = () => useConversations.getState().answers.map(({ session, asked }) => `${session} ${asked}`);
  const session = "assistant:main";
  await send({ session: "assistant:other", text: "/status", origin: "window" });
  await send({ session, text: "/stop", origin: "window" });
  expect(asked()).toEqual(["assistant:other /status", "assistant:main /stop"]);
  await send({ session, text: "Go on", origin: "window" });
  expect(asked()).toEqual(["assistant:other /status"]);
});
