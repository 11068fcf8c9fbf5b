// What may leave this machine: told from the settings, and kept here with one button.

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ProviderRow } from "@/bindings/ProviderRow";
import { browserWorld } from "@/bridge/mock/furnish";
import { isHere, serverOf } from "@/features/settings/leaving";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { stage } from "./harness";

const provider = (id: string, base_url: string): ProviderRow => ({
  ...{ id, base_url, kind: "openai", models: [], has_key: true, needs_key: true },
});

test.each([
  ["http://127.0.0.1:11434", true],
  ["http://localhost:8080/v1", true],
  ["http://[::1]:9000", true],
  ["https://api.example.com/v1", false],
  ["http://192.168.1.20:11434", false],
  ["http://127.0.0.1.evil.example", false],
  ["not an address", false],
])("%s is on this machine: %s", (address, here) => {
  expect(isHere(address)).toBe(here);
});

test("a model runs here, at its provider's server, or somewhere that nobody knows", () => {
  const providers = [provider("work", "https://api.example.com/v1"), provider("mine", "http://127.0.0.1:8080")];
  expect(serverOf("local/qwen", providers)).toBeNull();
  expect(serverOf("mine/llama", providers)).toBeNull();
  expect(serverOf("work/gpt-5-mini", providers)).toBe("api.example.com");
  expect(serverOf("gone/model", providers)).toBe("gone");
});

test("what leaves is named with its server, and one button keeps all of it here", async () => {
  const world = browserWorld();
  Object.assign(world.settings, {
    model_default: "work/gpt-5-mini",
    model_fallback: ["work/gpt-5-mini", "local/qwen"],
  });
  const [own] = world.sessions.values();
  if (own) own.info.model = "work/gpt-5-mini";
  window.location.hash = "/settings/privacy";
  const user = userEvent.setup();
  const { called } = await stage(<SettingsPage />, { world });
  const state = await screen.findByRole("region", { name: "How it stands" });
  expect(state).toHaveTextContent("Some of it leaves this machine");
  expect(screen.getAllByText(/^work\/gpt-5-mini runs at api\.example\.com/).length).toBeGreaterThan(0);
  expect(await screen.findByText("1 conversation has a model of its own elsewhere.")).toBeVisible();
  await user.click(within(state).getByRole("button", { name: "Keep everything here" }));
  await user.click(await screen.findByRole("button", { name: "Keep it here" }));
  await waitFor(() => expect(state).toHaveTextContent("Everything stays on this machine"));
  expect(world.settings).toMatchObject({ model_default: "local/qwen", model_fallback: ["local/qwen"] });
  expect(world.settings.guard.deny_tools).toEqual(["group:web"]);
  expect(called("sessions_change")).toHaveLength(1);
  expect(world.mcp.filter(({ server }) => server.enabled && server.url)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Allow the web" }));
  await waitFor(() => expect(world.settings.guard.deny_tools).toEqual([]));
});
