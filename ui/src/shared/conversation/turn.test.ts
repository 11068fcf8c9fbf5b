// Turns: what each event does, live and from the store.

import { expect, test } from "vitest";
import type { EventBody } from "@/bindings/EventBody";
import type { Transcript } from "@/bindings/Transcript";
import { emptyWorld, eventOf, mockShell, type World } from "@/bridge/mock";
import { replies, sampleReply } from "@/bridge/mock/replies";
import { turnOf } from "./transcript";
import { applyEvent, type Block, keyOf, newTurn, replyOf, type Turn } from "./turn";
import { joined } from "./useConversation";

const session = "assistant:main";

function run(bodies: EventBody[], from = 1, start = newTurn("t1", session)): Turn {
  return bodies.reduce(
    (turn, body, place) => applyEvent(turn, eventOf(body, { seq: from + place, turn: "t1", session, at: 1 })),
    start,
  );
}

/** Blocks as short lines. */
const outline = (blocks: readonly Block[]) =>
  blocks.map((block) => {
    if (block.kind === "text" || block.kind === "reasoning" || block.kind === "steered")
      return `${block.kind} ${block.text}`;
    if (block.kind === "tool")
      return `tool ${block.tool} ${block.ended ? `${block.ended.ok} ${block.ended.result}` : `… ${block.output}`}`;
    return block.kind;
  });

const text = (words: string): EventBody => ({ event: "text", text: words });
const start: EventBody = { event: "tool_start", call: "c1", tool: "read_file", arguments: { path: "a.md" } };
const used: EventBody = {
  event: "usage",
  model: "local/qwen",
  input: 10,
  cached: 0,
  output: 5,
  usd: 0,
  purpose: "turn",
};
const done: EventBody = { event: "done", reply: "", stop: "finished", steps: 1 };

test("deltas join, tools stand where they were called", () => {
  const turn = run([
    { event: "started" },
    { event: "reasoning", text: "Hm" },
    { event: "reasoning", text: "m" },
    text("Let me "),
    text("look."),
    used,
    start,
    { event: "tool_output", call: "c1", text: "lin" },
    { event: "tool_output", call: "c1", text: "es" },
    { event: "tool_end", call: "c1", ok: true, result: "lines", ms: 5 },
    text("Found."),
    used,
    done,
  ]);
  expect(outline(turn.blocks)).toEqual([
    "reasoning Hmm",
    "text Let me look.",
    "tool read_file true lines",
    "text Found.",
  ]);
  expect(replyOf(turn)).toBe("Let me look.\n\nFound.");
  expect(turn).toMatchObject({
    running: false,
    files: [],
    stop: "finished",
    whole: true,
    usage: [{ output: 5 }, { output: 5 }],
  });
});

test("an event that came before changes nothing; a hole makes the turn not whole", () => {
  const once = run([{ event: "started" }, text("a")]);
  expect(run([text("a")], 2, once)).toBe(once);
  expect(run([text("c")], 4, once)).toMatchObject({ whole: false, seq: 4 });
  expect(run([text("late")], 7).whole).toBe(false);
});

test("waiting for the server is shown until something comes; a switch of models stays", () => {
  const provider = (state: "waiting" | "retrying" | "switched"): EventBody => ({
    event: "provider",
    state,
    model: "a/b",
    seconds: 3,
    why: "busy",
  });
  const waiting = run([{ event: "started" }, provider("waiting"), provider("retrying")]);
  expect(waiting.blocks).toMatchObject([{ kind: "provider", state: "retrying" }]);
  const answered = run([provider("switched"), text("Hi")], 4, waiting);
  expect(outline(answered.blocks)).toEqual(["provider", "text Hi"]);
});

test("a stop ends the tool that ran", () => {
  const turn = run([
    { event: "started" },
    start,
    { event: "tool_output", call: "c1", text: "half" },
    { ...done, stop: "cancelled" } as EventBody,
  ]);
  expect(outline(turn.blocks)).toEqual(["tool read_file false half"]);
  expect(turn.stop).toBe("cancelled");
});

test("an approval is one block from the question to the decision", () => {
  const approval = (verdict: "asked" | "allowed" | "expired", reason: string): EventBody => ({
    event: "approval",
    id: "a1",
    tool: "exec",
    arguments: { command: "ls" },
    verdict,
    reason,
  });
  const asked = run([{ event: "started" }, approval("asked", "asks first")]);
  expect(asked.blocks).toMatchObject([{ kind: "approval", verdict: "asked", arguments: { command: "ls" } }]);
  const allowed = run([approval("allowed", "allowed once")], 3, asked);
  expect(allowed.blocks).toMatchObject([{ kind: "approval", verdict: "allowed", reason: "allowed once" }]);
  expect(run([done], 3, asked).blocks).toMatchObject([{ kind: "approval", verdict: "expired" }]);
});

test("a question stands in the place of its call, and holds the answer", () => {
  const call: EventBody = { event: "tool_start", call: "c1", tool: "ask_user", arguments: { text: "Which?" } };
  const question: EventBody = { event: "question", id: "q1", text: "Which?", choices: ["A", "B"] };
  const asked = run([{ event: "started" }, call, question]);
  expect(asked.blocks).toMatchObject([{ kind: "question", call: "c1", open: true, answer: null }]);
  const end = (ok: boolean): EventBody => ({ event: "tool_end", call: "c1", ok, result: "B", ms: 1 });
  expect(run([end(true)], 4, asked).blocks).toMatchObject([{ kind: "question", open: false, answer: "B" }]);
  expect(run([end(false)], 4, asked).blocks).toMatchObject([{ kind: "question", open: false, answer: null }]);
  expect(run([{ event: "started" }, question, done]).blocks).toMatchObject([{ call: null, open: false }]);
});

test("sub-agents that run side by side keep their own task and result", () => {
  const spawn = (call: string, task: string): EventBody => ({
    event: "tool_start",
    call,
    tool: "spawn_agent",
    arguments: { task },
  });
  const state = (id: string, word: "started" | "finished" | "failed"): EventBody => ({
    event: "subagent",
    id,
    state: word,
    result: null,
  });
  const turn = run([
    { event: "started" },
    spawn("c1", "One"),
    state("k1", "started"),
    spawn("c2", "Two"),
    state("k2", "started"),
    state("k2", "failed"),
    { event: "tool_end", call: "c2", ok: false, result: "too long", ms: 9 },
    { event: "tool_end", call: "c1", ok: true, result: "found", ms: 5 },
  ]);
  expect(turn.blocks).toMatchObject([
    { kind: "subagent", id: "k1", task: "One", state: "finished", result: "found", ms: 5 },
    { kind: "subagent", id: "k2", task: "Two", state: "failed", result: "too long", ms: 9 },
  ]);
});

test("memories and skills are told beside the reply", () => {
  const where = { id: "m1", path: "MEMORY.md", from: 3, to: 4, why: "said" };
  const turn = run([
    { event: "started" },
    { event: "memory", kind: "recalled", ...where },
    { event: "skill", name: "tides", state: "activated", reason: "fits", score: 0.8, tokens: 640 },
    text("Hi"),
  ]);
  expect(turn.memories).toEqual([{ kind: "recalled", ...where }]);
  expect(turn.skills).toMatchObject([{ name: "tides", state: "activated", tokens: 640, at: 1 }]);
  expect(outline(turn.blocks)).toEqual(["text Hi"]);
});

test("a flush's and a compaction's usage are not the reply's", () => {
  const turn = run([
    { event: "started" },
    { ...used, purpose: "flush" } as EventBody,
    { ...used, purpose: "compaction" } as EventBody,
  ]);
  expect(turn.usage).toEqual([]);
});

async function played(world: World): Promise<{ live: Turn; transcript: Transcript }> {
  const shell = mockShell(world);
  let live: Turn | undefined;
  const ended = new Promise<void>((resolve) => {
    world.hear(({ signal }) => {
      if (signal.type !== "turn") return;
      live = applyEvent(live ?? newTurn(signal.data.turn, session), signal.data);
      if (signal.data.event === "done") resolve();
    });
  });
  const request = {
    session,
    text: "Hello",
    origin: "window" as const,
    message_id: "m",
    attachments: [],
    model: null,
    yes_to: [],
  };
  await shell.call("chat_submit", { request });
  await ended;
  if (!live) throw new Error("no turn");
  return { live, transcript: await shell.call("sessions_open", { session }) };
}

test.each(["sample", "switched", "error", "no-model", "recovered"])(
  "stored and live are the same: %s",
  async (scene) => {
    const world = emptyWorld();
    world.reply = scene === "sample" ? sampleReply(world) : (replies[scene] ?? world.reply);
    const { live, transcript } = await played(world);
    const stored = transcript.turns.map((view) => turnOf(view, session));
    expect(stored).toHaveLength(1);
    expect(stored[0]?.user).toMatchObject({ text: "Hello" });
    expect(outline(stored[0]?.blocks ?? [])).toEqual(outline(live.blocks));
    expect(stored[0]?.usage).toEqual(live.usage);
    expect(stored[0]).toMatchObject({ running: false, files: [], stop: live.stop, seq: live.seq });
  },
);

test("a stored call without its events is shown from the messages; imported turns have no end", () => {
  const at = 1;
  const part = { type: "text" as const, text: "Old" };
  const turn = turnOf(
    {
      turn: null,
      running: false,
      files: [],
      events: [],
      messages: [
        { id: "m1", role: "user", parts: [part], at },
        { id: "m2", role: "assistant", parts: [{ type: "tool_call", id: "c", name: "exec", arguments: "ls" }], at },
        { id: "m3", role: "tool", parts: [{ type: "tool_result", call: "c", ok: false, text: "interrupted" }], at },
      ],
    },
    session,
  );
  expect(outline(turn.blocks)).toEqual(["tool exec false interrupted"]);
  expect(turn).toMatchObject({ id: null, stop: null, running: false, files: [], user: { id: "m1", text: "Old" } });
});

test("what no turn made has a name and a time of its own", () => {
  const parts = [{ type: "text" as const, text: "Tea" }];
  const view = { turn: null, running: false, files: [], events: [] };
  const one = { ...view, messages: [{ id: "m1", role: "assistant" as const, parts, at: 60 }] };
  const turn = turnOf(one, session);
  expect([keyOf(turn), turn.loose, turn.user]).toEqual(["m1", { id: "m1", at: 60 }, null]);
  const made = turnOf({ ...one, turn: "t1" }, session);
  expect([keyOf(made), made.loose]).toEqual(["t1", null]);
});

test("a stream is laid over the stored turn only where it is whole", () => {
  const view = {
    turn: "t1",
    running: true,
    files: [],
    events: [],
    messages: [{ id: "m1", role: "user" as const, parts: [], at: 1 }],
  };
  const info = {
    key: session,
    title: "",
    turns: 1,
    updated_at: 1,
    pinned: false,
    archived: false,
    running: true,
    files: [],
    model: null,
  };
  const transcript = { session: info, turns: [view] };
  const whole = run([{ event: "started" }, text("All")]);
  const late = run([text("end")], 9);
  const shown = (live: Turn) => joined(session, transcript, { t1: live }, [], []).turns[0];
  expect(shown(whole)).toMatchObject({ user: { id: "m1" }, blocks: [{ text: "All" }] });
  expect(shown(whole)).toBe(shown(whole));
  expect(shown(late)).toMatchObject({ blocks: [{ text: "end", id: "live-text-0" }] });
});

test("files given along are named, their text is not part of what was said", () => {
  const file = { type: "text" as const, text: "\n\nnotes.md:\n```\n# Notes\n```\n" };
  const image = { type: "image" as const, media_type: "image/png", data: "" };
  const messages = [
    { id: "m1", role: "user" as const, at: 1, parts: [{ type: "text" as const, text: "Read" }, file, image] },
  ];
  const { user } = turnOf({ turn: "t1", running: true, files: [], events: [], messages }, session);
  expect(user).toMatchObject({ text: "Read", attachments: [{ name: "notes.md" }, { name: "image/png" }] });
});
