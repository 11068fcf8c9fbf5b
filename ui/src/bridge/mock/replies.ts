// What the in-memory model says: a reply with everything in it, and one for each state of a turn.

import type { EventBody } from "@/bindings/EventBody";
import { approvals, question } from "./asking";
import { harmful } from "./odd";
import type { Reply, World } from "./world";

export const shortReply = `High water at **07:42**, 2.9 m above chart datum; low water at **13:51**, 0.6 m.

The wind is from the south-west, so expect another *10 to 20 cm* at the inner quay.`;

const long = `Here is the plan, with the numbers behind it.

## Depths along the quay

| mark | charted | with tide | note |
|---|---:|---:|---|
| A | 3.2 m | 5.1 m | sand |
| B | 2.4 m | 4.3 m | **rock** on the north side |
| C | 6.0 m | 7.9 m | 泥底，锚抓力好 |

The under-keel clearance is $c = h + t - d$, and with a safety margin

$$
c_{\\min} = 0.2\\,d + \\frac{H_s}{2}
$$

it must stay above **0.9 m**. The berth costs $40 a night, $35 from the third.

\`\`\`rust
/// Clearance under the keel in metres.
fn clearance(charted: f64, tide: f64, draught: f64) -> f64 {
    charted + tide - draught
}
\`\`\`

- [x] Read the tide table
- [ ] Ask the harbour office about mark B

> **注意：**“B 标”附近有礁石，退潮后请不要靠近。

More on [the chart page](https://example.com/charts/svolvaer).`;

async function* stream(world: World, text: string, pause = 24): AsyncIterable<EventBody> {
  const pieces = text.match(/[\s\S]{1,6}/gu) ?? [];
  for (const piece of pieces) {
    yield { event: "text", text: piece };
    await world.pause(pause);
  }
}

const used = (input: number, output: number): EventBody => ({
  event: "usage",
  model: "local/qwen",
  input,
  cached: 1800,
  output,
  usd: 0,
  purpose: "turn",
});

const started = (call: string, tool: string, given: Record<string, string>): EventBody => ({
  event: "tool_start",
  call,
  tool,
  arguments: given,
});

/** Thinks, looks into a file, answers at length. */
export function sampleReply(world: World): Reply {
  return async function* () {
    await world.pause(500);
    for (const text of ["The person asks about the harbour. ", "The depths are in a file; ", "I read it first."]) {
      yield { event: "reasoning", text };
      await world.pause(200);
    }
    yield used(2410, 52);
    const call = world.nextId("c");
    yield { event: "tool_start", call, tool: "read_file", arguments: { path: "harbour/depths.csv", lines: 40 } };
    for (const text of ["mark,depth,bottom\n", "A,3.2,sand\n", "B,2.4,rock\n", "C,6.0,mud\n"]) {
      await world.pause(180);
      yield { event: "tool_output", call, text };
    }
    yield {
      event: "tool_end",
      call,
      ok: true,
      result: "mark,depth,bottom\nA,3.2,sand\nB,2.4,rock\nC,6.0,mud",
      ms: 742,
    };
    await world.pause(300);
    yield* stream(world, long);
    yield used(2980, 312);
  };
}

/** One reply for each scene that is about a turn. */
export const replies: Record<string, Reply | undefined> = {
  waiting: async function* (_, world) {
    yield {
      event: "provider",
      state: "waiting",
      model: "work/gpt-5-mini",
      seconds: 42,
      why: "api.example.com asks for a pause: too many requests (HTTP 429).",
    };
    await world.pause(60_000);
  },
  switched: async function* (_, world) {
    yield {
      event: "provider",
      state: "switched",
      model: "local/qwen",
      seconds: 0,
      why: "api.example.com is overloaded or failing (HTTP 529).",
    };
    yield* stream(world, shortReply);
    yield used(2310, 164);
  },
  error: async function* (_, world) {
    yield* stream(world, "High water at **07:42**");
    yield {
      event: "error",
      code: "bad_key",
      message: "api.example.com refused the key (HTTP 401).",
      hint: "Enter the key again in the settings, under Models.",
    };
  },
  "no-model": async function* () {
    yield {
      event: "error",
      code: "model_not_downloaded",
      message: "The built-in model local/qwen is not on this machine yet.",
      hint: "Fetch it with `hearth models pull local/qwen`, or add a provider in hearth.toml.",
    };
  },
  approval: async function* (request, world) {
    yield { event: "text", text: "I rebuild the chart index; that runs a program." };
    const command = "python3 tools/index.py --force charts/";
    const wanted = {
      tool: "exec",
      arguments: { command, cwd: "harbour", timeout_s: 120 },
      pinned: ["/usr/bin/python3"],
      reason: "python3 is not among the allowed programs",
    };
    const [allowed] = yield* approvals(world, request, [wanted]);
    if (!allowed) {
      yield { event: "text", text: "All right, I leave the index as it is." };
      return;
    }
    const call = world.nextId("c");
    yield { event: "tool_start", call, tool: "exec", arguments: wanted.arguments };
    yield { event: "tool_output", call, text: "charts/a.csv\ncharts/b.csv\n" };
    yield { event: "tool_end", call, ok: true, result: "2 charts indexed", ms: 1840 };
    yield { event: "text", text: "Done: two charts are in the index." };
    yield used(2310, 64);
  },
  plan: async function* (request, world) {
    yield { event: "text", text: "I fetch the new charts and index them; both run programs." };
    const command = (text: string) => ({ command: text, cwd: "harbour" });
    const reason = "git is not among the allowed programs";
    const wanted = [
      { tool: "exec", arguments: command("git -C charts pull --ff-only"), pinned: ["git is /usr/bin/git"], reason },
      { tool: "exec", arguments: command("git -C charts lfs pull"), pinned: ["git is /usr/bin/git"], reason },
      { tool: "write_file", arguments: { path: "tools/run.sh", content: "python3 index.py\n" }, pinned: [], reason },
    ];
    const allowed = yield* approvals(world, request, wanted);
    for (const [at, { tool, arguments: given }] of wanted.entries()) {
      const call = world.nextId("c");
      yield { event: "tool_start", call, tool, arguments: given };
      const result = allowed[at] ? "done" : "denied: the user said no";
      yield { event: "tool_end", call, ok: allowed[at] === true, result, ms: 320 };
    }
    yield { event: "text", text: `Of the plan, ${allowed.filter(Boolean).length} of 3 ran.` };
    yield used(2310, 64);
  },
  question: async function* (_, world) {
    const said = yield* question(world, "Which quay do you mean?", ["Inner quay", "Outer quay", "Ferry pier"]);
    yield { event: "text", text: `Then I look at the depths of ${said}.` };
    yield used(2310, 64);
  },
  subagent: async function* (_, world) {
    const [one, two] = [world.nextId("c"), world.nextId("c")];
    yield {
      event: "tool_start",
      call: one,
      tool: "spawn_agent",
      arguments: { task: "Collect the depths of all marks from harbour/*.csv." },
    };
    yield { event: "subagent", id: "k1", state: "started", result: null };
    yield {
      event: "tool_start",
      call: two,
      tool: "spawn_agent",
      arguments: { task: "Compare them with the chart of 2019." },
    };
    yield { event: "subagent", id: "k2", state: "started", result: null };
    const result = "Three marks: **A** 3.2 m, **B** 2.4 m, **C** 6.0 m.";
    yield { event: "subagent", id: "k1", state: "finished", result };
    yield { event: "tool_end", call: one, ok: true, result, ms: 6400 };
    await world.pause(60_000);
    yield { event: "subagent", id: "k2", state: "failed", result: "It took too long." };
    yield { event: "tool_end", call: two, ok: false, result: "It took too long.", ms: 60_000 };
  },
  recovered: async function* (_, world) {
    yield { event: "recovered", from: "crash" };
    yield { event: "compacted", from_tokens: 28_400, to_tokens: 6_100, strategy: "hybrid" };
    const where = { id: "m_harbour", path: "MEMORY.md", from: 4, to: 4 };
    yield { event: "memory", kind: "recalled", ...where, why: "words 100 %, meaning 0.71" };
    const skill = { name: "tide-tables", score: 0.81 };
    yield { event: "skill", ...skill, state: "considered", reason: "the word moor, meaning 0.74", tokens: 0 };
    yield { event: "skill", ...skill, state: "activated", reason: "the word moor, meaning 0.74", tokens: 640 };
    yield { event: "skill", ...skill, state: "reference", reason: "references/norway.md", tokens: 310 };
    yield { event: "skill", ...skill, state: "released", reason: "its task is done", tokens: 950 };
    yield* stream(world, shortReply);
    yield { event: "memory", kind: "created", ...where, from: 3, to: 3, why: "you asked for it" };
    yield used(2310, 164);
  },
  odd: async function* (_, world) {
    yield { event: "reasoning", text: harmful };
    const [call, task] = [world.nextId("c"), world.nextId("c")];
    yield started(call, "exec", { command: harmful });
    yield { event: "tool_output", call, text: harmful };
    yield { event: "tool_end", call, ok: false, result: harmful, ms: 12 };
    yield started(task, "spawn_agent", { task: harmful });
    yield { event: "subagent", id: "k1", state: "started", result: null };
    yield { event: "subagent", id: "k1", state: "finished", result: harmful };
    yield { event: "tool_end", call: task, ok: true, result: harmful, ms: 12 };
    yield { event: "notice", title: harmful, body: harmful };
    yield { event: "provider", state: "switched", model: "work/gpt-5-mini", seconds: 0, why: harmful };
    const said = yield* question(world, harmful, [harmful, "No"]);
    yield { event: "text", text: `You said: ${said}` };
  },
  working: async function* (_, world) {
    yield { event: "reasoning", text: "The depths are in a file; I read it first." };
    const call = world.nextId("c");
    yield { event: "tool_start", call, tool: "search_files", arguments: { pattern: "Svolvær", path: "harbour" } };
    yield { event: "tool_output", call, text: "harbour/notes/harbour.md:12: Svolvær, inner quay\n" };
    await world.pause(60_000);
  },
};
