// A window whose shell does not answer: it says so, fails what was asked, and comes back by itself.

import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lost } from "@/app/Lost";
import type { Signal } from "@/bindings/Signal";
import { call, connect, contact, onSignal, type Shell } from "@/bridge";
import { emptyWorld, mockShell, type World, wireError } from "@/bridge/mock";
import { stage } from "./harness";

/** A shell that can be taken away: `silent` answers nothing, `broken` fails on the way. */
function frail(world: World) {
  const whole = mockShell(world);
  const at = { way: "well" as "well" | "silent" | "broken", subscribed: 0 };
  const reach = <Answer,>(answer: () => Promise<Answer>): Promise<Answer> => {
    if (at.way === "silent") return new Promise(() => undefined);
    return at.way === "broken" ? Promise.reject(new TypeError("Load failed")) : answer();
  };
  const shell: Shell = {
    ...whole,
    call: (command, args) => reach(() => whole.call(command, args)),
    subscribe: (hear) => {
      at.subscribed += 1;
      return reach(() => whole.subscribe(hear));
    },
  };
  return { at, shell };
}

const heard: (Signal | null)[] = [];
let unhear = () => {};
beforeEach(() => {
  heard.length = 0;
  unhear = onSignal((signal) => heard.push(signal));
});
afterEach(() => {
  unhear();
  vi.useRealTimers();
});

test("silence is noticed, what waits fails, and the thread is taken up again", async () => {
  vi.useFakeTimers();
  const world = emptyWorld();
  const { at, shell } = frail(world);
  await connect(shell);
  at.way = "silent";
  const asked = call("sessions_list").catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(14_900);
  expect(contact()).toBe("here");
  await vi.advanceTimersByTimeAsync(200);
  expect(contact()).toBe("lost");
  expect(await asked).toMatchObject({ code: "internal", message: "Hearth did not answer." });
  await expect(call("sessions_list")).rejects.toMatchObject({ message: "Hearth did not answer." });
  at.way = "well";
  await vi.advanceTimersByTimeAsync(8_000);
  expect(contact()).toBe("here");
  expect(heard).toEqual([null]);
  expect(at.subscribed).toBe(2);
  world.emit({ type: "sessions" });
  // Once, though the first channel still speaks.
  expect(heard).toEqual([null, { type: "sessions" }]);
});

test("work that takes long is no loss, and neither is an error of the engine", async () => {
  vi.useFakeTimers();
  const world = emptyWorld();
  let end = (_: string) => {};
  const shell = mockShell(world, {
    skills_remove: async () => {
      await new Promise<string>((done) => {
        end = done;
      });
      return null;
    },
    sessions_list: () => {
      throw wireError("storage", "The disk is full.");
    },
  });
  await connect(shell);
  const work = call("skills_remove", { name: "x" });
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(call("sessions_list")).rejects.toMatchObject({ code: "storage" });
  expect(contact()).toBe("here");
  end("");
  expect(await work).toBeNull();
});

test("the page says it, and that it is over", async () => {
  const { world } = await stage(<Lost />);
  const { at, shell } = frail(world);
  await act(() => connect(shell));
  at.way = "broken";
  await act(() => call("sessions_list").catch(() => undefined));
  expect(await screen.findByRole("alert")).toHaveTextContent("Hearth does not answer. What you have typed is kept.");
  at.way = "well";
  await userEvent.click(screen.getByRole("button", { name: "Try now" }));
  expect(await screen.findByText("Hearth answers again.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Try now" })).toBeNull();
});
