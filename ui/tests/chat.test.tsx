// The chat page on the in-memory shell: sending, streaming, what can be done with a message, sessions.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { EventBody } from "@/bindings/EventBody";
import { emptyWorld, type World, wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { ChatPage } from "@/features/chat/ChatPage";
import { InspectorSlot } from "@/shared/components/Inspector";
import { frame, type Handlers, stage } from "./harness";

const page = (
  <>
    <ChatPage />
    <InspectorSlot />
  </>
);
const field = () => screen.findByRole("textbox", { name: "Message" });
const never: World["reply"] = async function* () {
  yield { event: "text", text: "Working on " };
  await new Promise(() => undefined);
};

async function ask(text: string) {
  const user = userEvent.setup();
  await user.type(await field(), `${text}{Enter}`);
  await frame();
  return user;
}

test("a message is shown at once, its answer streams, and the end brings tokens and actions", async () => {
  const { called } = await stage(page);
  await ask("Hello");
  expect(await screen.findByText("Hello", { selector: "p" })).toBeVisible();
  expect(await screen.findByText("OK")).toBeVisible();
  expect(called("chat_submit")).toMatchObject([
    { request: { session: "assistant:main", text: "Hello", origin: "window" } },
  ]);
  expect(await screen.findByRole("button", { name: "Answer again" })).toBeVisible();
  expect(await field()).toHaveProperty("value", "");
});

test("what cannot be sent stays, with the reason, and can be sent again under the same id", async () => {
  let refuse = true;
  const handlers: Handlers = {
    chat_submit: () => {
      if (refuse) throw wireError("home_busy", "Process 7 owns the home.", "Close it.");
      return { outcome: "turn", turn: "t9" };
    },
  };
  const { called } = await stage(page, { handlers });
  const user = await ask("Hello");
  expect(await screen.findByRole("alert")).toHaveTextContent(
    "Another Hearth is using this home folder. Process 7 owns the home. Close it.",
  );
  refuse = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  const [first, second] = called("chat_submit") as { request: { message_id: string } }[];
  expect(second?.request.message_id).toBe(first?.request.message_id);
});

test("a running reply can be stopped by its button and by Escape", async () => {
  const world = emptyWorld();
  world.reply = never;
  const { called } = await stage(page, { world });
  const user = await ask("Hello");
  await user.click(await screen.findByRole("button", { name: "Stop" }));
  await user.type(await field(), "{Escape}");
  expect(called("chat_stop")).toEqual([{ session: "assistant:main" }, { session: "assistant:main" }]);
});

test("the built-in model shows how far it has read, until its first word", async () => {
  const { tell, world } = await stage(page);
  await tell("t1", [{ event: "started" }]);
  const reads = (done: number) =>
    act(async () => world.emit({ type: "reading", data: { turn: "t1", done, total: 1000 } }));
  await reads(420);
  expect(await screen.findByText("Reading, 42%")).toBeVisible();
  await reads(1000);
  expect(screen.queryByText(/Reading/)).toBeNull();
  expect(screen.getByRole("status", { name: "Thinking" })).toBeVisible();
  await reads(500);
  await tell("t1", [{ event: "text", text: "Hi" }], 2);
  expect(screen.queryByText(/Reading/)).toBeNull();
});

test("a message into a running turn says that it waits for the next step", async () => {
  const handlers: Handlers = { chat_submit: () => ({ outcome: "steered", turn: "t1" }) };
  const { tell } = await stage(page, { handlers });
  await tell("t1", [{ event: "started" }, { event: "text", text: "Busy" }]);
  await ask("Also this");
  expect(await screen.findByText("It will see this at its next step.")).toBeVisible();
  await tell("t1", [{ event: "steered", text: "Also this" }], 3);
  expect(screen.queryByText("It will see this at its next step.")).toBeNull();
  expect(screen.getAllByText("Also this")).toHaveLength(1);
});

test("the answer to a command is shown and can be put away; /new makes a session", async () => {
  const { called } = await stage(page);
  const user = await ask("/status");
  const card = await screen.findByRole("region", { name: "/status" });
  expect(card).toHaveTextContent("local/qwen");
  await user.click(within(card).getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("region", { name: "/status" })).toBeNull();
  await ask("/new ");
  expect(called("sessions_create")).toHaveLength(1);
  expect(window.location.hash).toMatch(/^#\/chat\/assistant:chat-/);
});

test("commands are completed by arrow and Enter, and sent by a second Enter", async () => {
  const { called } = await stage(page);
  const user = userEvent.setup();
  await user.type(await field(), "/");
  expect(await screen.findAllByRole("option")).not.toHaveLength(0);
  await user.type(await field(), "st{ArrowDown}{Enter}");
  expect(await field()).toHaveProperty("value", "/status");
  expect(screen.queryByRole("listbox")).toBeNull();
  await user.type(await field(), "{Enter}");
  expect(called("chat_submit")).toMatchObject([{ request: { text: "/status" } }]);
});

const errors: [EventBody & { event: "error" }, string, string | null][] = [
  [{ event: "error", code: "bad_key", message: "401", hint: "" }, "Open settings", "#/settings/models"],
  [{ event: "error", code: "model_not_downloaded", message: "", hint: "" }, "Get the model", "#/settings/models"],
  [{ event: "error", code: "budget", message: "", hint: "" }, "Change the budget", "#/settings/budget"],
  [{ event: "error", code: "provider_unavailable", message: "", hint: "" }, "Try again", null],
];

test.each(errors)("an error leads to what mends it: %o", async (error, button, hash) => {
  const world = emptyWorld();
  world.reply = async function* () {
    yield error;
  };
  const { called } = await stage(page, { world });
  const user = await ask("Hello");
  await user.click(await screen.findByRole("button", { name: button }));
  if (hash) expect(window.location.hash).toBe(hash);
  else expect(called("chat_rewind")).toMatchObject([{ request: { text: null, branch: false } }]);
});

test("retry, edit and branch go on from the stored message", async () => {
  const { called } = await stage(page);
  const user = await ask("First");
  await user.click(await screen.findByRole("button", { name: "Answer again" }));
  await user.click(await screen.findByRole("button", { name: "Edit and send again" }));
  const editor = await screen.findByRole("textbox", { name: "Edit and send again" });
  await user.clear(editor);
  await user.type(editor, "Second{Enter}");
  expect(await screen.findByText("Second", { selector: "p" })).toBeVisible();
  expect(screen.queryByText("First", { selector: "p" })).toBeNull();
  await user.click(await screen.findByRole("button", { name: /^Branch/ }));
  await frame();
  const requests = (called("chat_rewind") as { request: { text: string | null; branch: boolean } }[]).map(
    ({ request }) => request,
  );
  expect(requests).toMatchObject([
    { text: null, branch: false },
    { text: "Second", branch: false },
    { text: null, branch: true },
  ]);
  expect(window.location.hash).toMatch(/^#\/chat\/assistant:chat-/);
});

test("a hole in the numbers: the transcript is read again and shown", async () => {
  const world = emptyWorld();
  const { called, tell } = await stage(page, { world });
  await tell("t1", [{ event: "started" }, { event: "text", text: "half" }]);
  const before = called("sessions_open").length;
  await tell("t1", [{ event: "done", reply: "", stop: "finished", steps: 1 }], 9);
  expect(called("sessions_open").length).toBeGreaterThan(before);
});

test("a draft stays with its session", async () => {
  await stage(page);
  await userEvent.type(await field(), "half a thought");
  await act(async () => {
    window.location.hash = "#/chat/assistant:other";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(await field()).toHaveProperty("value", "");
  await act(async () => {
    window.location.hash = "#/chat/assistant:main";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(await field()).toHaveProperty("value", "half a thought");
});

test("pasted files become attachments and go with the message", async () => {
  const { called } = await stage(page);
  const clipboardData = {
    getData: (type: string) => (type === "text/uri-list" ? "file:///home/ada/My%20notes.md\r\n" : ""),
    files: [],
  };
  fireEvent.paste(await field(), { clipboardData });
  expect(await screen.findByText("My notes.md")).toBeVisible();
  await ask("Read it");
  const attachments = [{ name: "My notes.md", path: "/home/ada/My notes.md", media_type: "text/markdown" }];
  expect(called("chat_submit")).toMatchObject([{ request: { attachments } }]);
});

test("a pasted picture is kept and goes with the message; a text's own picture does not", async () => {
  const { called } = await stage(page);
  const picture = new File(["PNG"], "image.png", { type: "image/png" });
  const paste = async (text: string, files: File[]) => {
    const getData = (type: string) => (type === "text/plain" ? text : "");
    fireEvent.paste(await field(), { clipboardData: { getData, files } });
  };
  await paste("A cell of a table", [picture]);
  expect(called("files_attach")).toEqual([]);
  await paste("", [picture]);
  expect(await screen.findByText("image.png")).toBeVisible();
  expect(called("files_attach")).toEqual([{ name: "image.png", mediaType: "image/png", data: btoa("PNG") }]);
  await ask("What is this?");
  expect(called("chat_submit")).toMatchObject([
    { request: { attachments: [{ name: "image.png", media_type: "image/png" }] } },
  ]);
});

test("a picture that is too large is refused in words", async () => {
  const { called } = await stage(page);
  const picture = new File([], "huge.png", { type: "image/png" });
  Object.defineProperty(picture, "size", { value: 10_000_001 });
  fireEvent.paste(await field(), { clipboardData: { getData: () => "", files: [picture] } });
  expect(await screen.findAllByText(/huge.png is larger than 10 MB/)).not.toHaveLength(0);
  expect(called("files_attach")).toEqual([]);
});

test.each([
  ["Allow once", { decision: "allow", scope: "once" }, "Done: two charts are in the index."],
  ["In this conversation", { decision: "allow", scope: "session" }, "Done: two charts are in the index."],
  ["Always exactly this", { decision: "allow", scope: "always" }, "Done: two charts are in the index."],
  ["Deny", { decision: "deny", scope: "once" }, "All right, I leave the index as it is."],
])("a call that waits shows what exactly runs; %s", async (button, request, reply) => {
  const { called } = await stage(page, { world: browserWorld("approval") });
  const user = await ask("Index the charts");
  const card = await screen.findByRole("region", { name: "May exec run?" });
  expect(card).toHaveTextContent("command: python3 tools/index.py --force charts/");
  expect(card).toHaveTextContent("/usr/bin/python3");
  expect(card).toHaveTextContent("expires in 30 minutes");
  await user.click(within(card).getByRole("button", { name: button }));
  expect(called("approvals_decide")).toMatchObject([{ request }]);
  expect(await screen.findByText(reply)).toBeVisible();
  expect(screen.queryByRole("region", { name: "May exec run?" })).toBeNull();
});

test("calls of one reply that wait together are answered one by one, or all that are left", async () => {
  const { called, world } = await stage(page, { world: browserWorld("plan") });
  const user = await ask("Bring the charts up to date");
  const bar = await screen.findByRole("region", { name: "3 calls of this reply wait together" });
  const cards = screen.getAllByRole("region", { name: /^(May|Write|Change) / });
  expect(cards).toHaveLength(3);
  expect(cards[0]).toHaveTextContent("git -C charts pull --ff-only");
  expect(cards[2]).toHaveTextContent("python3 index.py");
  expect(bar.compareDocumentPosition(cards[0] as Node) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  await user.click(within(cards[1] as HTMLElement).getByRole("button", { name: "Deny" }));
  const left = await screen.findByRole("region", { name: "2 calls of this reply wait together" });
  await user.click(within(left).getByRole("button", { name: "Allow all once" }));
  expect(await screen.findByText("Of the plan, 2 of 3 ran.")).toBeVisible();
  expect(called("approvals_decide")).toMatchObject([{ request: { decision: "deny" } }]);
  expect(called("approvals_decide_all")).toMatchObject([{ request: { decision: "allow" } }]);
  expect(screen.queryByRole("region", { name: /wait together|^(May|Write|Change) / })).toBeNull();
  expect(world.approvals.filter(({ batch }) => batch)).toEqual([]);
});

test("one no for a whole plan", async () => {
  const { called } = await stage(page, { world: browserWorld("plan") });
  const user = await ask("Bring the charts up to date");
  await user.click(await screen.findByRole("button", { name: "Deny all" }));
  expect(await screen.findByText("Of the plan, 0 of 3 ran.")).toBeVisible();
  expect(screen.getAllByText(/^Did not run/)).toHaveLength(3);
  expect(called("approvals_decide_all")).toMatchObject([{ request: { decision: "deny" } }]);
});

test("a question is answered by a choice or in one's own words", async () => {
  const { called } = await stage(page, { world: browserWorld("question") });
  const user = await ask("How deep is it?");
  const card = await screen.findByRole("region", { name: "Question" });
  await user.click(within(card).getByRole("button", { name: "Outer quay" }));
  expect(await screen.findByText("You answered: Outer quay")).toBeVisible();
  await ask("And there?");
  const [, second] = await screen.findAllByRole("region", { name: "Question" });
  if (!second) throw new Error("no second question");
  await user.type(within(second).getByRole("textbox"), "The slipway{Enter}");
  expect(await screen.findByText("Then I look at the depths of The slipway.")).toBeVisible();
  expect(called("questions_answer")).toMatchObject([{ text: "Outer quay" }, { text: "The slipway" }]);
});

test("a sub-agent shows its task while it runs and its result after", async () => {
  await stage(page, { world: browserWorld("subagent") });
  const user = await ask("Compare the depths");
  await user.click(await screen.findByRole("button", { name: /Collect the depths/ }));
  expect(await screen.findByText(/Three marks/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "See what it did" }));
  expect(window.location.hash).toBe("#/chat/assistant:subagent:k1");
});

test("memories and skills of a reply open beside it", async () => {
  await stage(page, { world: browserWorld("recovered") });
  const user = await ask("How do I moor?");
  expect(await screen.findByText("Taken up again after Hearth ended unexpectedly")).toBeVisible();
  await user.click(await screen.findByRole("button", { name: "1 memory" }));
  const memories = await screen.findByRole("complementary", { name: "Memories of this reply" });
  expect(await within(memories).findByText("2026-11-14 The harbour project ends in March.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "tide-tables" }));
  const skills = await screen.findByRole("complementary", { name: "Skills of this reply" });
  expect(skills).toHaveTextContent("the word moor, meaning 0.74");
});

test("a compaction opens the summary and the messages as they were", async () => {
  await stage(page, { world: browserWorld("recovered") });
  const user = await ask("How do I moor?");
  await user.click(await screen.findByRole("button", { name: "Show originals" }));
  const side = await screen.findByRole("complementary", { name: "What was summarised" });
  expect(await within(side).findByText("6 messages, as they were")).toBeVisible();
  expect(side).toHaveTextContent("Written by the model");
  expect(side).toHaveTextContent("Which files do I have for the harbour?");
  expect(side).toHaveTextContent("list_files harbour");
});

test("while the models are looked for, nothing says that there is none", async () => {
  const handlers: Handlers = { models_list: () => new Promise(() => undefined) };
  await stage(page, { handlers });
  expect(await screen.findByRole("status", { name: "Looking for models" })).toBeVisible();
  expect(screen.queryByText("No model")).toBeNull();
});

test("tokens open what the call was given, section by section", async () => {
  await stage(page, { world: browserWorld() });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: /gpt-5-mini/, hidden: true }));
  const inspector = await screen.findByRole("complementary", { name: "What did it see?" });
  await user.click(await within(inspector).findByRole("button", { name: /Soul/ }));
  expect(inspector).toHaveTextContent("You are **Ember**");
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("complementary")).toBeNull();
});

test("sessions: search, pin, archive with undo, delete after asking", async () => {
  const { called } = await stage(page, { world: browserWorld() });
  const user = userEvent.setup();
  await user.type(await screen.findByRole("searchbox"), "rye");
  expect(screen.queryByText("去京都的三天行程")).toBeNull();
  const menu = async (item: string) => {
    await user.click(screen.getByRole("button", { name: /^Actions for Rye bread/ }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
  };
  await menu("Pin");
  await menu("Archive");
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await menu("Delete");
  expect(called("sessions_delete")).toEqual([]);
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(called("sessions_delete")).toEqual([{ session: "assistant:chat-bread0003" }]));
  const key = { session: "assistant:chat-bread0003" };
  const change = { title: null, pinned: null, archived: null, model: null };
  expect(called("sessions_change")).toEqual([
    { ...key, change: { ...change, pinned: true } },
    { ...key, change: { ...change, archived: true } },
    { ...key, change: { ...change, archived: false } },
  ]);
});

test("replies that cannot be read say so and can be tried again", async () => {
  let broken = true;
  const world = emptyWorld();
  const handlers: Handlers = {
    sessions_list: () => {
      if (broken) throw wireError("storage", "The database is read-only.");
      return [];
    },
  };
  await stage(page, { world, handlers });
  const alert = await screen.findByRole("alert");
  expect(alert).toHaveTextContent("The database is read-only.");
  broken = false;
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

test("a countdown while the server asks to wait", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
  const { tell } = await stage(page);
  const waiting: EventBody = {
    event: "provider",
    state: "waiting",
    model: "work/gpt",
    seconds: 42,
    why: "Too many requests.",
  };
  await tell("t1", [{ event: "started" }, waiting]);
  expect(screen.getByText(/gpt asks to wait 42 seconds/)).toBeVisible();
  vi.useRealTimers();
});

test("a reply that changed files offers to take that back, and says what became of each", async () => {
  const user = userEvent.setup();
  window.location.hash = "/chat/assistant:main";
  const { called } = await stage(page, { world: browserWorld() });
  const offers = await screen.findAllByRole("button", { name: "Take back its changes of 3 files" });
  expect(offers).toHaveLength(1);
  await user.click(offers[0] as HTMLElement);
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByText("memory/2026-11-28.md")).toBeVisible();
  expect(called("turns_undo")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Take back" }));
  expect(await within(dialog).findByText("As it was before")).toBeVisible();
  expect(within(dialog).getByText("Removed: it was not there before")).toBeVisible();
  expect(within(dialog).getByText("Left as it is: it was changed since in the same place")).toBeVisible();
});

test("the path may name a message: its turn is drawn, marked and brought into view", async () => {
  const brought = vi.fn();
  Element.prototype.scrollIntoView = brought;
  const world = browserWorld("long");
  const message = world.sessions.get("assistant:main")?.turns[4]?.messages[1]?.id ?? "";
  window.location.hash = `/chat/assistant:main/${message}`;
  await stage(page, { world });
  expect(await screen.findByText("Question 5: how deep is the harbour at mark 5?")).toBeVisible();
  await waitFor(() => expect(brought).toHaveBeenCalledOnce());
  const row = screen.getByText("Question 5: how deep is the harbour at mark 5?").closest("article");
  expect(brought.mock.instances[0]).toBe(row);
});

test("a message of no turn is a piece of its own with its time, and the path leads to it", async () => {
  const brought = vi.fn();
  Element.prototype.scrollIntoView = brought;
  const world = browserWorld();
  const session = "assistant:heartbeat";
  const alert = (id: string, text: string, at: number) => ({
    turn: null,
    running: false,
    files: [],
    events: [],
    messages: [{ id, role: "assistant" as const, at, parts: [{ type: "text" as const, text }] }],
  });
  const main = world.sessions.get("assistant:main");
  if (!main) throw new Error("the sample has a conversation");
  const turns = [alert("m1", "The disk is full.", 1_780_000_000), alert("m2", "Tea is ready.", 1_780_003_600)];
  world.sessions.set(session, { info: { ...main.info, key: session, title: "Hearth" }, turns });
  window.location.hash = `/chat/${session}/m1`;
  await stage(page, { world });
  const row = (await screen.findByText("The disk is full.")).closest("article");
  expect(row).not.toBe(screen.getByText("Tea is ready.").closest("article"));
  expect(row?.querySelector("time")?.dateTime).toBe("2026-05-28T20:26:40.000Z");
  await waitFor(() => expect(brought).toHaveBeenCalledOnce());
  expect(brought.mock.instances[0]).toBe(row);
  expect(row?.className).toContain("before:bg-ember");
});
