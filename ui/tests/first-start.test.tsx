// The first start on the in-memory shell: each way on, skipping, and where it ends.

import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { App } from "@/app/App";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { FirstStart } from "@/features/first-start/FirstStart";
import { usePulls } from "@/shared/models/pulls";
import { stage } from "./harness";

afterEach(() => usePulls.setState({}, true));

test("a server that was found is added with one click and becomes the model", async () => {
  const user = userEvent.setup();
  const { called } = await stage(<FirstStart />, { world: browserWorld("first") });
  expect(screen.getByRole("button", { name: "Skip" })).toBeVisible();
  await user.click(await screen.findByRole("button", { name: "Add" }));
  await waitFor(() =>
    expect(called("settings_set")).toEqual([{ request: { key: "model.default", value: "ollama/qwen3:8b" } }]),
  );
});

test("a download can go on in the background", async () => {
  const user = userEvent.setup();
  await stage(<FirstStart />, {
    world: browserWorld("first"),
    handlers: { models_pull: () => new Promise(() => undefined) },
  });
  await user.click(await screen.findByRole("button", { name: "Download 1.1 GB" }));
  expect(await screen.findByText("You can go on; the download continues.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Continue" }));
  expect(screen.getByRole("heading", { name: "Introduce yourselves" })).toBeVisible();
});

test("what is said at the meeting is written, and the first message waits in the conversation", async () => {
  const user = userEvent.setup();
  const world = browserWorld("first");
  const { called } = await stage(<App />, { world });
  await user.click(await screen.findByRole("button", { name: "Skip" }));
  await user.type(screen.getByLabelText("What is your assistant called?"), "Ember");
  await user.type(screen.getByLabelText("What should it call you?"), "Ada");
  await user.click(screen.getByRole("button", { name: "Plain and precise" }));
  await user.click(screen.getByRole("button", { name: "Continue" }));
  const hello = await screen.findByRole("button", { name: /^Hello!/ });
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(called("settings_meet")).toEqual([
    { request: { assistant_name: "Ember", user_name: "Ada", tone: "Plain and precise", time_zone } },
  ]);
  await user.click(hello);
  expect(await screen.findByRole("textbox", { name: "Message" })).toHaveValue(hello.textContent);
  expect(world.settings.first_start_done).toBe(true);
});

test("every step can be skipped, and nothing is written then", async () => {
  const user = userEvent.setup();
  const world = browserWorld("first");
  const { called } = await stage(<App />, { world });
  await user.click(await screen.findByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Open Hearth" }));
  expect(await screen.findByRole("textbox", { name: "Message" })).toHaveValue("");
  expect(called("settings_meet")).toEqual([]);
  expect(called("settings_set")).toEqual([{ request: { key: "ui.first_start_done", value: true } }]);
});

test("settings that cannot be written do not lock the person out", async () => {
  const user = userEvent.setup();
  await stage(<App />, {
    world: browserWorld("first"),
    handlers: {
      settings_set: () => {
        throw wireError("storage", "The disk is full.");
      },
    },
  });
  await user.click(await screen.findByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Open Hearth" }));
  expect(await screen.findByRole("textbox", { name: "Message" })).toBeVisible();
});
