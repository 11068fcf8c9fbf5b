// What the browser's world remembers: a year with gaps, a correction, something forgotten, something to settle.

import { entry, happened } from "./memory";
import type { World } from "./world";

const day = 86_400;

const facts: [age: number, title: string, text: string, kind: string][] = [
  [0.1, "Meeting at the harbour office", "On **Thursday at 10:00** with Ingrid, about the berth for spring.", "event"],
  [0.4, "Likes metric units", "Depths in metres, distances in kilometres.", "preference"],
  [1.2, "港口项目", "港口地图项目在三月底结束，预算还剩两成。", "fact"],
  [3, "Never sends mail unasked", "Drafts are fine; sending needs a yes each time.", "decision"],
  [9, "Allergic to walnuts", "Since childhood; hazelnuts are fine.", "fact"],
  [24, "Check the tide before mooring", "The inner quay falls dry below 0.4 m at mark B.", "lesson"],
  [40, "喜欢的茶", "早上喝龙井，下午不喝咖啡。", "preference"],
  [75, "Sister's birthday", "Signe, 14 February. Likes books about birds.", "event"],
];

export function remember(world: World, scene: string): void {
  const now = world.now();
  const talk = { session: "assistant:main", turn: "t000001", author: "turn" as const };
  for (const [age, title, text, kind] of facts) {
    const at = Math.floor(now - age * day);
    happened(world, entry(world, title, text, { kind, at }), "created", "the conversation was written down", {
      at,
      ...talk,
    });
  }
  const old = entry(world, "Lives in Bergen", "Moved there in 2019.", {
    at: Math.floor(now - 200 * day),
    status: "superseded by m_oslo",
  });
  happened(world, old, "created", "the conversation was written down", { at: Math.floor(now - 200 * day), ...talk });
  happened(world, old, "superseded", "the conversation was written down", {
    at: Math.floor(now - 30 * day),
    other: "m_oslo",
    ...talk,
  });
  const oslo = entry(world, "Lives in Oslo", "Since September, near the fjord.", {
    id: "m_oslo",
    at: Math.floor(now - 30 * day),
  });
  happened(world, oslo, "created", "the conversation was written down", {
    at: Math.floor(now - 30 * day),
    other: old.id,
    ...talk,
  });
  happened(world, oslo, "strengthened", "the conversation was written down", {
    at: Math.floor(now - 2 * day),
    ...talk,
  });
  happened(world, { ...oslo, id: "m_gone", title: "", text: "" }, "forgotten", "you asked for it", {
    at: Math.floor(now - 5 * day),
  });
  for (let age = 12; age < 330; age += 1 + ((age * 7) % 9))
    for (let times = 0; times <= (age * 5) % 4; times += 1)
      happened(world, oslo, "strengthened", "the conversation was written down", {
        at: Math.floor(now - age * day - times * 3600),
        ...talk,
      });
  if (scene === "many") many(world, now);
  if (scene === "conflict-memory")
    world.memory.conflicts.push({
      conflict: 1,
      held: oslo,
      text: "I live in Tromsø now, since last week.",
      at: Math.floor(now - 0.2 * day),
      why: "only the assistant said it",
    });
  Object.assign(world.memory.status, {
    files: 41,
    chunks: 1204,
    model: scene === "no-embedding" ? null : "multilingual-e5-small",
    dims: scene === "no-embedding" ? 0 : 384,
    embed_per_s: 31.4,
    note: scene === "no-embedding" ? "The model for meaning is not on this machine: search goes by words alone." : "",
  });
  if (scene === "indexing") Object.assign(world.memory.status, { stale: 702, progress: { done: 502, total: 1204 } });
}

/** Ten thousand entries over a year. */
function many(world: World, now: number): void {
  for (let at = 0; at < 10_000; at += 1) {
    const seconds = Math.floor(now - (at * 365 * day) / 10_000 - 600);
    const row = entry(world, `Depth at mark ${at + 1}`, `${(at % 97) / 10} m at low water.`, { at: seconds });
    happened(world, row, "created", "the conversation was written down", { at: seconds, author: "turn" });
  }
}
