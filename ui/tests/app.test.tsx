// The main window around its pages: one that fails, while it stands or while it is left, takes nothing else with it.

import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { expect, test, vi } from "vitest";
import { App } from "@/app/App";
import { emptyWorld } from "@/bridge/mock";
import { stage } from "./harness";

const at = vi.hoisted(() => ({ broken: true }));

function Fails() {
  if (at.broken) throw new Error("The chart is torn.");
  return <main>The chart is whole.</main>;
}

function FailsWhenLeft() {
  useEffect(
    () => () => {
      throw new Error("It would not go.");
    },
    [],
  );
  return <main>Still here.</main>;
}

vi.mock("@/app/pages", () => ({
  fetchPagesWhenIdle: () => undefined,
  pages: [
    { id: "chat", icon: null, Content: () => <main>The chat.</main> },
    { id: "memory", icon: null, Content: Fails },
    { id: "skills", icon: null, Content: FailsWhenLeft },
  ],
}));

async function opened(path: string) {
  // React tells what a boundary held.
  vi.spyOn(console, "error").mockReturnValue(undefined);
  window.location.hash = path;
  const world = emptyWorld();
  world.settings.first_start_done = true;
  return stage(<App />, { world });
}

const go = (path: string) =>
  act(async () => {
    window.location.hash = path;
  });

test("a page that fails says so, the rail stays, and it can be tried again", async () => {
  at.broken = true;
  await opened("/memory");
  expect(await screen.findByText("The chart is torn.")).toBeVisible();
  expect(screen.getByRole("navigation", { name: "Pages" })).toBeVisible();
  at.broken = false;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("The chart is whole.")).toBeVisible();
});

test("a page that fails while it is left does not take the window with it", async () => {
  await opened("/skills");
  expect(await screen.findByText("Still here.")).toBeVisible();
  await go("/chat");
  expect(await screen.findByText("It would not go.")).toBeVisible();
  expect(screen.getByRole("navigation", { name: "Pages" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("The chat.")).toBeVisible();
});
