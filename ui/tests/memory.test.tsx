// The Memory page on the in-memory shell: timeline, entries, search, correcting and forgetting, conflicts, the index.

import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { emptyWorld, wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { entry, happened } from "@/bridge/mock/memory";
import { MemoryPage } from "@/features/memory/MemoryPage";
import { heatOf, joinedDays, rowsOf } from "@/features/memory/timeline";
import { InspectorSlot } from "@/shared/components/Inspector";
import { indexAt, offsetsOf } from "@/shared/components/offsets";
import { type Handlers, stage } from "./harness";

const page = (
  <>
    <MemoryPage />
    <InspectorSlot />
  </>
);

async function opened(path: string, { scene = "", handlers = {} as Handlers } = {}) {
  window.location.hash = path;
  return stage(page, { world: browserWorld(scene), handlers });
}

test("an empty memory says what it is for", async () => {
  await stage(page, { world: emptyWorld() });
  expect(await screen.findByText("Nothing to remember yet")).toBeVisible();
});

test("a timeline that cannot be read says so and can be tried again", async () => {
  let broken = true;
  const handlers: Handlers = {
    entries_timeline: () => {
      if (broken) throw wireError("storage", "The database is read-only.");
      return [];
    },
  };
  await stage(page, { world: emptyWorld(), handlers });
  const alert = await screen.findByRole("alert");
  expect(alert).toHaveTextContent("The database is read-only.");
  broken = false;
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Nothing to remember yet")).toBeVisible();
});

test("the timeline opens an entry with where it comes from and what happened to it", async () => {
  await opened("/memory/timeline");
  const user = userEvent.setup();
  await user.type(await screen.findByRole("searchbox", { name: "Filter by words" }), "Bergen");
  await user.click(await screen.findByRole("button", { name: /Replaced.*Lives in Bergen/ }));
  const side = await screen.findByRole("complementary", { name: "Entry" });
  expect(await within(side).findByText(/Another entry took its place/)).toBeVisible();
  expect(within(side).getByRole("region", { name: "History" })).toHaveTextContent("the conversation was written down");
  await user.click(within(side).getByRole("button", { name: "Open the other entry" }));
  expect(window.location.hash).toBe("#/memory/timeline/m_oslo");
  expect(await screen.findByRole("heading", { name: "Lives in Oslo" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Open the conversation" }));
  expect(window.location.hash).toBe("#/chat/assistant:main");
});

test("the timeline is narrowed by words", async () => {
  await opened("/memory/timeline");
  await userEvent.type(await screen.findByRole("searchbox", { name: "Filter by words" }), "walnuts");
  const list = await screen.findByRole("list", { name: "Timeline" });
  expect(within(list).getAllByRole("button")).toHaveLength(1);
  expect(list).toHaveTextContent("Allergic to walnuts");
});

test("ten thousand entries: a screenful is drawn, arrows move on, the end can be reached", async () => {
  const { container } = await opened("/memory/entries", { scene: "many" });
  const list = await screen.findByRole("list", { name: "Entries" });
  const rows = () => within(list).getAllByRole("button");
  expect(rows().length).toBeLessThan(60);
  expect(container.querySelector("[data-row='0']")).toHaveAttribute("aria-setsize", "10009");
  rows()[0]?.focus();
  fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
  await waitFor(() => expect(document.activeElement?.closest("[data-row]")).toHaveAttribute("data-row", "1"));
  fireEvent.keyDown(document.activeElement as Element, { key: "End" });
  await waitFor(() => expect(document.activeElement?.closest("[data-row]")).toHaveAttribute("data-row", "10008"));
  expect(rows().length).toBeLessThan(60);
});

test("search shows both scores, the layer, the place and why", async () => {
  const { called } = await opened("/memory/search");
  const user = userEvent.setup();
  await user.type(await screen.findByRole("searchbox"), "walnuts");
  const hit = await screen.findByRole("article");
  expect(hit).toHaveTextContent("Since childhood; hazelnuts are fine.");
  for (const text of ["Long-term", "Words", "1.00", "Meaning", "0.92", "MEMORY.md:19–21", "words 100 %"])
    expect(hit).toHaveTextContent(text);
  await user.click(await within(hit).findByRole("button", { name: "Open entry" }));
  const side = await screen.findByRole("complementary", { name: "Entry" });
  expect(await within(side).findByRole("heading", { name: "Allergic to walnuts" })).toBeVisible();
  expect(called("memory_search").at(-1)).toMatchObject({ query: { query: "walnuts", mode: "hybrid" } });
});

test("a quote of what holds no more says what holds now", async () => {
  const quote = {
    id: "msg1",
    docs: [],
    path: "conversation:assistant:main",
    from: 3,
    to: 3,
    layer: "L4" as const,
    score: 1,
    keyword: 1,
    vector: null,
    chars: 24,
    text: "User: I live in Bergen.",
    why: ["superseded by m_oslo"],
    superseded: { id: "m_oslo", text: "Lives in Oslo" },
  };
  const handlers: Handlers = {
    memory_search: ({ query }) => ({
      query: query.query,
      took_ms: 1,
      mode: "keyword",
      hits: [quote],
      nothing_found: false,
    }),
  };
  await opened("/memory/search", { handlers });
  await userEvent.type(await screen.findByRole("searchbox", { name: "Ask your memory" }), "Bergen");
  expect(await screen.findByText("No longer true. Now: Lives in Oslo")).toBeVisible();
});

test("nothing found, and search without the model for meaning, are said", async () => {
  await opened("/memory/search", { scene: "no-embedding" });
  const user = userEvent.setup();
  await user.type(await screen.findByRole("searchbox"), "tea");
  expect(await screen.findByText(/By words alone: the model for meaning is not here/)).toBeVisible();
  await user.clear(screen.getByRole("searchbox"));
  await user.type(screen.getByRole("searchbox"), "zeppelin");
  expect(await screen.findByText(/Nothing in memory answers this/)).toBeVisible();
});

test("an entry is edited, corrected, forgotten and brought back", async () => {
  const world = emptyWorld();
  const row = entry(world, "Tea", "Drinks green tea.");
  happened(world, row, "created", "you said so");
  window.location.hash = `/memory/entries/${row.id}`;
  const { called } = await stage(page, { world });
  const user = userEvent.setup();
  const side = await screen.findByRole("complementary", { name: "Entry" });
  const write = async (way: string, text: string) => {
    await user.click(await within(side).findByRole("button", { name: way }));
    const field = await within(side).findByRole("textbox", { name: "What it says" });
    await user.clear(field);
    await user.type(field, text);
    await user.click(within(side).getByRole("button", { name: "Save" }));
  };
  await write("Edit", "Drinks much green tea.");
  expect(called("entries_edit")).toEqual([{ request: { id: row.id, title: "Tea", text: "Drinks much green tea." } }]);
  await write("Correct", "Drinks black tea.");
  expect(called("entries_correct")).toEqual([{ id: row.id, text: "Drinks black tea." }]);
  expect(await within(side).findByText(/Another entry took its place/)).toBeVisible();
  const [other] = await within(side).findAllByRole("button", { name: "Open the other entry" });
  if (!other) throw new Error("no other entry");
  await user.click(other);
  await user.click(await screen.findByRole("button", { name: "Forget" }));
  expect(called("entries_forget")).toEqual([]);
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Forget" }));
  expect(await screen.findByText(/You can bring it back until/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Bring back" }));
  expect(await screen.findByRole("heading", { name: "Tea" })).toBeVisible();
});

test("something is remembered by hand", async () => {
  const { called } = await opened("/memory/entries");
  await userEvent.type(
    await screen.findByRole("textbox", { name: "Something to remember…" }),
    "The key is blue{Enter}",
  );
  expect(called("entries_add")).toEqual([{ request: { text: "The key is blue", title: null, kind: null } }]);
  expect(await screen.findByRole("button", { name: /The key is blue/ })).toBeVisible();
});

test("a conflict is settled by the person", async () => {
  const { called } = await opened("/memory/timeline", { scene: "conflict-memory" });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Settle" }));
  const side = await screen.findByRole("complementary", { name: "To settle" });
  expect(side).toHaveTextContent("I live in Tromsø now");
  await user.click(within(side).getByRole("button", { name: "Take the new one" }));
  expect(called("entries_settle")).toEqual([{ conflict: 1, take: "other" }]);
  expect(await within(side).findByText("Nothing to settle.")).toBeVisible();
});

test("the index shows its progress and is made anew", async () => {
  const { called } = await opened("/memory/timeline", { scene: "indexing" });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Indexing 502 of 1,204" }));
  const side = await screen.findByRole("complementary", { name: "Index" });
  expect(within(side).getByRole("progressbar")).toHaveAttribute("aria-valuenow", "42");
  await user.click(within(side).getByRole("button", { name: "Make it anew" }));
  expect(called("memory_reindex")).toHaveLength(1);
});

test("pages that share a day are joined, and the year is a grid of weeks", () => {
  const world = emptyWorld();
  const row = entry(world, "Tea", "Green.");
  for (const at of [1_700_000_000, 1_700_000_060, 1_700_100_000]) happened(world, row, "strengthened", "", { at });
  const [one, two, three] = world.memory.events;
  if (!one || !two || !three) throw new Error("three events");
  const days = joinedDays([
    [
      { day: three.day, events: [three] },
      { day: two.day, events: [two] },
    ],
    [{ day: two.day, events: [two, one] }],
  ]);
  expect(days.map(({ events }) => events.length)).toEqual([1, 2]);
  const filter = { change: "all", source: "all", text: "" } as const;
  expect(rowsOf(days, filter)).toHaveLength(5);
  expect(rowsOf(days, { ...filter, text: "nothing" })).toEqual([]);
  const weeks = heatOf(days, new Date(1_700_100_000_000));
  expect(weeks).toHaveLength(53);
  expect(weeks.flat().filter(({ count }) => count > 0)).toMatchObject([{ count: 2 }, { count: 1 }]);
  expect(weeks.at(-1)?.at(-1)?.day).toBe(three.day);
});

test("rows are found by their height", () => {
  const offsets = offsetsOf([10, 20, 30], (height) => height);
  expect(offsets).toEqual([0, 10, 30, 60]);
  expect([-5, 0, 9, 10, 29, 30, 59, 100].map((height) => indexAt(offsets, height))).toEqual([0, 0, 0, 1, 1, 2, 2, 2]);
  expect(
    indexAt(
      offsetsOf([], () => 1),
      10,
    ),
  ).toBe(0);
});
