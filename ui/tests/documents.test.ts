// Saving, merging and taking in of what others wrote, with a clock that the test turns.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FileSave } from "@/bindings/FileSave";
import type { FileSaved } from "@/bindings/FileSaved";
import { connect } from "@/bridge";
import { emptyWorld, mockShell, type World, writeFile } from "@/bridge/mock";
import {
  composing,
  followFiles,
  forgetDocuments,
  openDocument,
  restore,
  revert,
  save,
  settleConflict,
  typed,
  useDocuments,
} from "@/features/persona/documents";

const path = "SOUL.md";
const start = "# Soul\n\nfirst\n\nlast\n";
const soul = () => {
  const document = useDocuments.getState()[path];
  if (!document) throw new Error("not open");
  return document;
};

let stop = () => undefined as unknown;
let requests: FileSave[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
});
afterEach(() => {
  stop();
  forgetDocuments();
  vi.useRealTimers();
});

type Saver = (request: FileSave, plain: () => Promise<FileSaved>) => Promise<FileSaved>;

/** An open SOUL.md; `saver` may answer a save otherwise. */
async function opened(saver: Saver = (_, plain) => plain(), text = start): Promise<World> {
  const world = emptyWorld();
  writeFile(world, path, text, "template", true);
  const plain = mockShell(world);
  await connect(
    mockShell(world, {
      files_save: ({ request }) => {
        requests.push(request);
        return saver(request, () => plain.call("files_save", { request }));
      },
    }),
  );
  stop = followFiles();
  await openDocument(path);
  return world;
}

const pause = () => vi.advanceTimersByTimeAsync(800);
const onDisk = (world: World) => world.files.get(path)?.text;

describe("autosave", () => {
  test("waits for a pause in typing and carries the text it started from", async () => {
    const world = await opened();
    const { hash } = soul().base;
    typed(path, `${start}a`);
    await vi.advanceTimersByTimeAsync(700);
    typed(path, `${start}ab`);
    await vi.advanceTimersByTimeAsync(700);
    expect(requests).toEqual([]);
    expect(soul().phase).toBe("dirty");
    await vi.advanceTimersByTimeAsync(100);
    expect(requests).toEqual([{ path, text: `${start}ab`, base_hash: hash, base_text: start, confirmed: false }]);
    expect(onDisk(world)).toBe(`${start}ab`);
    expect(soul()).toMatchObject({ phase: "clean", note: null });
  });

  test("saves at once when the editor is left, and not again at the pause", async () => {
    await opened();
    typed(path, `${start}a`);
    await save(path);
    await pause();
    expect(requests).toHaveLength(1);
  });

  test("saves what is typed while a save runs, from the text that this save wrote", async () => {
    let release = () => undefined as unknown;
    const world = await opened((_, plain) =>
      requests.length === 1
        ? new Promise((done) => {
            release = () => done(plain());
          })
        : plain(),
    );
    typed(path, `${start}a`);
    await pause();
    typed(path, `${start}ab`);
    await pause();
    expect(requests).toHaveLength(1);
    release();
    await pause();
    expect(requests.map(({ text }) => text)).toEqual([`${start}a`, `${start}ab`]);
    expect(requests[1]?.base_text).toBe(`${start}a`);
    expect(onDisk(world)).toBe(`${start}ab`);
    expect(soul().phase).toBe("clean");
  });

  test("a failed save keeps the text and can be tried again", async () => {
    let fail = true;
    const world = await opened(async (_, plain) => {
      if (fail) throw { code: "storage", message: "The disk is full.", hint: "" };
      return plain();
    });
    typed(path, `${start}a`);
    await pause();
    expect(soul()).toMatchObject({ phase: "failed", text: `${start}a`, error: { code: "storage" } });
    fail = false;
    await save(path);
    expect(onDisk(world)).toBe(`${start}a`);
  });

  test("keeps the line ends of the file", async () => {
    const world = await opened(undefined, "one\r\ntwo\r\n");
    expect(soul().text).toBe("one\ntwo\n");
    typed(path, "one\ntwo\nthree\n");
    await pause();
    expect(requests[0]).toMatchObject({ text: "one\r\ntwo\r\nthree\r\n", base_text: "one\r\ntwo\r\n" });
    expect(onDisk(world)).toBe("one\r\ntwo\r\nthree\r\n");
  });
});

describe("input methods", () => {
  test("nothing is saved within a composition, and it is saved after its end", async () => {
    await opened();
    composing(path, true);
    typed(path, `${start}ni`);
    await pause();
    await save(path);
    expect(requests).toEqual([]);
    typed(path, `${start}你`);
    composing(path, false);
    await pause();
    expect(requests.map(({ text }) => text)).toEqual([`${start}你`]);
  });

  test("what the disk holds is not taken in within a composition", async () => {
    const world = await opened();
    composing(path, true);
    writeFile(world, path, start.replace("first", "FIRST"), "turn");
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().text).toBe(start);
    composing(path, false);
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().text).toBe(start.replace("first", "FIRST"));
  });

  test("a composition that begins while a save runs is not disturbed by its merge, nor lost", async () => {
    let release = () => undefined as unknown;
    await opened(
      ({ text }) =>
        new Promise((done) => {
          release = () => done({ outcome: "merged", text: text.replace("first", "FIRST"), hash: "m" });
        }),
    );
    typed(path, `${start}a`);
    await pause();
    composing(path, true);
    typed(path, `${start}a你`);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().text).toBe(`${start}a你`);
    composing(path, false);
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().text).toBe(`${start.replace("first", "FIRST")}a你`);
  });
});

describe("changes by others", () => {
  test("a clean text is replaced, with a note of who did it", async () => {
    const world = await opened();
    writeFile(world, path, `${start}by the assistant\n`, "turn");
    await vi.advanceTimersByTimeAsync(0);
    expect(soul()).toMatchObject({
      text: `${start}by the assistant\n`,
      phase: "clean",
      note: { kind: "changed", author: "turn" },
    });
    expect(requests).toEqual([]);
  });

  test("one's own save leaves no note", async () => {
    await opened();
    typed(path, `${start}a`);
    await pause();
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().note).toBeNull();
  });

  test("a text with edits is merged, and both are on the disk", async () => {
    const world = await opened();
    typed(path, start.replace("last", "LAST"));
    writeFile(world, path, start.replace("first", "FIRST"), "outside");
    await pause();
    const both = start.replace("last", "LAST").replace("first", "FIRST");
    expect(onDisk(world)).toBe(both);
    expect(soul()).toMatchObject({ text: both, phase: "clean", note: { kind: "merged" } });
  });

  test("a hole in the signals has open files read again", async () => {
    const world = await opened();
    world.emit = () => undefined;
    writeFile(world, path, `${start}missed\n`, "turn");
    await connect({
      ...mockShell(world),
      subscribe: async (hear) => {
        hear({ seq: 1, signal: { type: "sessions" } });
        hear({ seq: 5, signal: { type: "sessions" } });
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(soul().text).toBe(`${start}missed\n`);
  });
});

describe("conflicts", () => {
  const inConflict = async () => {
    const world = await opened();
    world.emit = () => undefined;
    writeFile(world, path, start.replace("first", "theirs"), "turn");
    typed(path, start.replace("first", "mine"));
    await pause();
    return world;
  };

  test("nothing is written, and typing on writes nothing either", async () => {
    const world = await inConflict();
    expect(soul()).toMatchObject({ phase: "conflict", text: start.replace("first", "mine") });
    expect(soul().conflict?.theirs.text).toBe(start.replace("first", "theirs"));
    typed(path, start.replace("first", "mine too"));
    await pause();
    await save(path);
    expect(requests).toHaveLength(1);
    expect(onDisk(world)).toBe(start.replace("first", "theirs"));
    expect(soul().text).toBe(start.replace("first", "mine too"));
  });

  test.each([
    ["mine", start.replace("first", "mine")],
    ["both", start.replace("first", "mine and theirs")],
  ])("settled with %s", async (_, chosen) => {
    const world = await inConflict();
    await settleConflict(path, chosen);
    expect(onDisk(world)).toBe(chosen);
    expect(soul()).toMatchObject({ phase: "clean", text: chosen, conflict: null });
  });

  test("settled with theirs: nothing needs to be written", async () => {
    await inConflict();
    await settleConflict(path, start.replace("first", "theirs"));
    expect(requests).toHaveLength(1);
    expect(soul()).toMatchObject({ phase: "clean", text: start.replace("first", "theirs") });
  });
});

describe("a text that shrinks by more than half", () => {
  const long = "x".repeat(400);

  test("is asked about, and not written meanwhile", async () => {
    const world = await opened(undefined, long);
    typed(path, "x");
    await pause();
    await save(path);
    expect(soul()).toMatchObject({ phase: "shrink", shrink: { from: 400, to: 1 } });
    expect(requests).toHaveLength(1);
    expect(onDisk(world)).toBe(long);
  });

  test("is written when confirmed", async () => {
    const world = await opened(undefined, long);
    typed(path, "x");
    await pause();
    await save(path, true);
    expect(requests.at(-1)?.confirmed).toBe(true);
    expect(onDisk(world)).toBe("x");
  });

  test("can be brought back", async () => {
    await opened(undefined, long);
    typed(path, "x");
    await pause();
    revert(path);
    expect(soul()).toMatchObject({ phase: "clean", text: long, shrink: null });
  });
});

test("restoring saves what was typed first, so that it is a version too", async () => {
  const world = await opened();
  const rev = world.files.get(path)?.revisions[0]?.row.rev ?? 0;
  typed(path, `${start}mine\n`);
  await restore(path, rev);
  expect(soul()).toMatchObject({ text: start, phase: "clean", note: null });
  expect(world.files.get(path)?.revisions.map(({ text }) => text)).toEqual([start, `${start}mine\n`, start]);
});
