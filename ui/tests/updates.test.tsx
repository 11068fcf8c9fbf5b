// New versions in the settings: a build that asks nobody, the steps to a newer one, and what goes wrong on the way.

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { afterEach, expect, test } from "vitest";
import type { UpdateView } from "@/bindings/UpdateView";
import { emptyWorld } from "@/bridge/mock";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { type Handlers, stage } from "./harness";

afterEach(() => i18next.changeLanguage("en"));

async function opened(update: Partial<UpdateView>, handlers: Handlers = {}, section = "about") {
  window.location.hash = `/settings/${section}`;
  const world = emptyWorld();
  Object.assign(world.update, update);
  return stage(<SettingsPage />, { world, handlers: { doctor_run: () => [], ...handlers } });
}

const group = () => screen.findByRole("region", { name: "Updates" });
const served = { kind: "appimage", server: "updates.example.org" } as const;

test.each([
  ["deb", "Install a newer .deb package over it"],
  ["appimage", "Put a newer AppImage in its place"],
  ["unpacked", "run npm start"],
] as const)(
  "a build without an address, from %s, says how it gets a newer version and asks nobody",
  async (kind, how) => {
    const { called } = await opened({ kind, version: "0.1.7" });
    expect(await screen.findByText("Version 0.1.7")).toBeVisible();
    expect(await group()).toHaveTextContent(how);
    expect(within(await group()).queryByRole("button")).toBeNull();
    expect(called("updates_check")).toEqual([]);
  },
);

test("nothing is asked before the button, then each step is the person's", async () => {
  const user = userEvent.setup();
  const { called } = await opened(served);
  expect(await screen.findByText(/^updates\.example\.org is asked when you press the button/)).toBeVisible();
  expect(called("updates_check")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Check for updates" }));
  expect(await screen.findByText("Version 0.2.0 is there")).toBeVisible();
  expect(screen.getByRole("region", { name: "What is new" })).toHaveTextContent("Replies come faster.");
  expect(called("updates_download")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect(await screen.findByText("Version 0.2.0 is here")).toBeVisible();
  expect(await group()).toHaveTextContent("It takes the place of the AppImage file");
  await user.click(screen.getByRole("button", { name: "Install and start again" }));
  await waitFor(() => expect(called("updates_install")).toHaveLength(1));
});

test("a download shows its numbers", async () => {
  const step = { step: "downloading", version: "0.2.0", done_bytes: 4_600_000, total_bytes: 18_400_000 } as const;
  await opened({ ...served, step });
  expect(await screen.findByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
  expect(screen.getByText(/^4\.6 MB of 18/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Check for updates" })).toBeDisabled();
});

test("what went wrong stands with what to do, in Chinese too, and can be tried again", async () => {
  const user = userEvent.setup();
  await i18next.changeLanguage("zh-CN");
  const problem = { fault: "away", detail: "Connection refused (os error 111)" } as const;
  const { called, world } = await opened(served, {
    updates_check: () => {
      world.update.problem = problem;
      return structuredClone(world.update);
    },
  });
  await user.click(await screen.findByRole("button", { name: "检查更新" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("服务器没有回应。请检查网络后再试。");
  expect(screen.getByRole("alert")).toHaveTextContent("Connection refused");
  await user.click(screen.getByRole("button", { name: "检查更新" }));
  expect(called("updates_check")).toHaveLength(2);
});

test("a file without the right signature leaves the offer as it was", async () => {
  const offer = { step: "available", version: "0.2.0", notes: null } as const;
  await opened({ ...served, step: offer, problem: { fault: "signature", detail: "Invalid signature" } });
  expect(await screen.findByRole("alert")).toHaveTextContent("does not carry the right signature");
  expect(screen.getByRole("button", { name: "Download" })).toBeEnabled();
});

test("Privacy says whom it asks, and when", async () => {
  await opened(served, {}, "privacy");
  expect(await screen.findByText(/When you press Check for updates, updates\.example\.org sees/)).toBeVisible();
});

test("Privacy of a build without an address says that it asks nobody", async () => {
  await opened({}, {}, "privacy");
  expect(await screen.findByText("This build asks nobody.")).toBeVisible();
});
