// What input methods really send, row by row: through the reducer, and through each field that listens to keys.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { act, createEvent, fireEvent, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { describe, expect, test } from "vitest";
import { emptyWorld } from "@/bridge/mock";
import { Composer } from "@/features/chat/Composer";
import { SessionList } from "@/features/chat/SessionList";
import { QuickPrompt } from "@/features/quick/QuickPrompt";
import { type ImeEvent, type Intent, ime, type Place, restingIme } from "@/shared/ime";
import { frame, stage } from "./harness";

interface Row {
  name: string;
  target: Place;
  events: ImeEvent[];
  expect: "none" | "send" | "newline" | "close" | "choose";
  times?: number;
}

const rows: Row[] = JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/ime_events.json"), "utf8"));

describe("the reducer", () => {
  test.each(rows)("$name", ({ events, target, expect: wanted, times = 1 }) => {
    const intents: Intent[] = [];
    let state = restingIme;
    for (const event of events) {
      const [next, intent] = ime(state, event, target);
      state = next;
      if (intent !== "none" && intent !== "next") intents.push(intent);
    }
    expect(intents).toEqual(wanted === "none" ? [] : Array(times).fill(wanted));
  });
});

const kinds = {
  keydown: fireEvent.keyDown,
  keyup: fireEvent.keyUp,
  compositionstart: fireEvent.compositionStart,
  compositionend: fireEvent.compositionEnd,
  blur: fireEvent.blur,
  focus: fireEvent.focus,
};

/** Plays the events on a field; answers with how many key presses were left to the browser. */
async function play(field: HTMLElement, events: readonly ImeEvent[]): Promise<number> {
  let untouched = 0;
  for (const { type, ...init } of events) {
    await act(async () => {
      const left = kinds[type as keyof typeof kinds](field, init);
      if (type === "keydown" && left) untouched += 1;
    });
  }
  return untouched;
}

const fields: Record<Place, { content: () => ReactElement; prepare: (text: string) => Promise<HTMLElement> }> = {
  chat: {
    content: () => (
      <Composer session="assistant:main" running={false} seed={{ text: "", count: 0 }} onSent={() => undefined} />
    ),
    prepare: () => typed("Message", "你好"),
  },
  menu: {
    content: () => (
      <Composer session="assistant:main" running={false} seed={{ text: "", count: 0 }} onSent={() => undefined} />
    ),
    prepare: () => typed("Message", "/"),
  },
  quick: { content: () => <QuickPrompt />, prepare: () => typed("Quick prompt", "你好") },
  rename: {
    content: () => <SessionList current="" />,
    prepare: async () => {
      fireEvent.doubleClick(await screen.findByText("Old name"));
      return typed("New name", "项目");
    },
  },
};

async function typed(label: string, text: string): Promise<HTMLElement> {
  const field = await screen.findByRole("textbox", { name: label });
  fireEvent.change(field, { target: { value: text } });
  await frame();
  return field;
}

function worldWithOne() {
  const world = emptyWorld();
  const info = {
    key: "assistant:main",
    title: "Old name",
    turns: 0,
    updated_at: 1,
    pinned: false,
    archived: false,
    running: false,
    model: null,
  };
  world.sessions.set(info.key, { info, turns: [] });
  return world;
}

describe("the fields", () => {
  test.each(rows)("$target: $name", async ({ events, target, expect: wanted, times = 1 }) => {
    const { called } = await stage(fields[target].content(), { world: worldWithOne() });
    const field = await fields[target].prepare("");
    const before = (field as HTMLTextAreaElement).value;
    const untouched = await play(field, events);
    const keydowns = events.filter(({ type }) => type === "keydown").length;
    const did = {
      send: called("chat_submit").length,
      close: called("window_hide_quick").length,
      choose: Number((field as HTMLTextAreaElement).value !== before) + called("sessions_change").length,
    };
    const nothing = { send: 0, close: 0, choose: 0 };
    if (wanted === "none" || wanted === "newline") {
      expect(did).toEqual(nothing);
      expect(untouched).toBe(keydowns);
    } else {
      const after = wanted === "send" ? { ...nothing, send: times, choose: 1 } : { ...nothing, [wanted]: 1 };
      expect(did).toEqual(after);
    }
  });

  test("a renamed conversation is stored once, on Enter", async () => {
    const { called } = await stage(<SessionList current="" />, { world: worldWithOne() });
    const field = await fields.rename.prepare("");
    await play(field, [{ type: "keydown", key: "Enter", keyCode: 13 }]);
    expect(called("sessions_change")).toEqual([
      { session: "assistant:main", change: { title: "项目", pinned: null, archived: null, model: null } },
    ]);
  });

  test("key codes reach the field as the engines send them", () => {
    const event = createEvent.keyDown(document.body, { key: "Enter", keyCode: 229, isComposing: true });
    expect(event).toMatchObject({ keyCode: 229, isComposing: true });
  });
});
