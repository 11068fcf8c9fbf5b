// The tour: offered once after the first start, walked with the keyboard, taken again from the settings and the palette.

import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { App } from "@/app/App";
import { browserWorld } from "@/bridge/mock/furnish";
import { endTour, offerTour, useTour } from "@/shared/tour";
import { stage } from "./harness";

afterEach(() => useTour.setState({ at: "off" }));

test("it is offered after the first start, and not again once it was declined", async () => {
  await stage(<App />, { world: browserWorld("first") });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Open Hearth" }));
  // The first message can be written meanwhile.
  expect(await screen.findByRole("region", { name: "Look around?" })).toBeVisible();
  expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus();
  await user.click(screen.getByRole("button", { name: "Not now" }));
  expect(screen.queryByRole("region", { name: "Look around?" })).toBeNull();
  offerTour();
  expect(useTour.getState().at).toBe("off");
});

test("it walks through the pages with the keyboard and ends in the conversation", async () => {
  await stage(<App />, { world: browserWorld() });
  const user = userEvent.setup();
  offerTour();
  await user.click(await screen.findByRole("button", { name: "Show me" }));
  const next = await screen.findByRole("button", { name: "Next" });
  await waitFor(() => expect(next).toHaveFocus());
  expect(screen.getByRole("dialog", { name: "Talk" })).toHaveAccessibleDescription(/type \/ for commands/);
  const pages = ["memory", "persona", "skills", "heartbeat", "activity"];
  for (const page of pages) {
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(window.location.hash).toBe(`#/${page}`));
    await waitFor(() => expect(screen.getByRole("button", { name: "Next" })).toHaveFocus());
  }
  await user.keyboard("{ArrowLeft}");
  await waitFor(() => expect(window.location.hash).toBe("#/heartbeat"));
  await waitFor(() => expect(screen.getByRole("button", { name: "Next" })).toHaveFocus());
  await user.keyboard("{ArrowRight}");
  await waitFor(() => expect(screen.getByRole("dialog", { name: "What is going on" })).toBeVisible());
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(await screen.findByText("Ask from anywhere")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Done" }));
  await waitFor(() => expect(window.location.hash).toBe("#/chat"));
  expect(localStorage.getItem("hearth.tour")).toBe("seen");
});

test("it is taken again from the settings and the palette, and left with Escape", async () => {
  window.location.hash = "/settings/about";
  endTour();
  await stage(<App />, { world: browserWorld() });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Take the tour" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Next" })).toHaveFocus());
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog", { name: "Talk" })).toBeNull();
  await user.keyboard("{Control>}k{/Control}");
  await user.keyboard("take the tour{Enter}");
  expect(await screen.findByRole("dialog", { name: "Talk" })).toBeVisible();
});
