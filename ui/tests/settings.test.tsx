// The settings on the in-memory shell: language, download, providers, shortcut, keys that are locked.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { afterEach, expect, test } from "vitest";
import type { ProviderTest } from "@/bindings/ProviderTest";
import type { SettingsView } from "@/bindings/SettingsView";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { diagnostics } from "@/features/settings/diagnostics";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { combination } from "@/features/settings/shortcut";
import { setLanguage } from "@/shared/i18n";
import { usePulls } from "@/shared/models/pulls";
import { keys, queries } from "@/shared/queries";
import { spent } from "@/shared/usage/spent";
import { type Handlers, stage } from "./harness";

afterEach(async () => {
  usePulls.setState({}, true);
  await i18next.changeLanguage("en");
});

async function opened(section: string, scene = "", handlers: Handlers = {}) {
  window.location.hash = `/settings/${section}`;
  return stage(<SettingsPage />, { world: browserWorld(scene), handlers });
}

/** As `app/start` does it. */
const followLanguage = () =>
  queries.getQueryCache().subscribe(({ query }) => {
    const data = query.state.data as SettingsView | undefined;
    if (query.queryKey[0] === keys.settings[0] && data) setLanguage(data.language);
  });

test("the language switches without a restart", async () => {
  const user = userEvent.setup();
  const { called } = await opened("general");
  const stop = followLanguage();
  await user.click(await screen.findByRole("combobox", { name: "Language" }));
  await user.click(await screen.findByRole("option", { name: "简体中文" }));
  expect(await screen.findByRole("combobox", { name: "语言" })).toBeVisible();
  expect(document.documentElement.lang).toBe("zh-CN");
  expect(called("settings_set")).toEqual([{ request: { key: "ui.language", value: "zh-CN" } }]);
  stop();
});

test("a download shows its numbers, can be stopped and taken up again, and ends ready", async () => {
  const user = userEvent.setup();
  const { world, called } = await opened("models", "no-model", { models_pull: () => new Promise(() => undefined) });
  const tell = (done_bytes: number, state = "fetching") =>
    act(async () =>
      world.emit({
        type: "pull",
        data: {
          ...{ id: "local/qwen", source: "hub", file: "model.gguf", done_bytes, state, problem: null },
          total_bytes: 1_100_000_000,
          bytes_per_s: 10_000_000,
        },
      }),
    );
  await user.click(await screen.findByRole("button", { name: "Download 1.1 GB" }));
  await tell(550_000_000);
  expect(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "50");
  expect(screen.getByText("550 MB of 1.1 GB · 10 MB/s · 55 sec left")).toBeVisible();
  const row = world.localModels[0];
  if (row) row.have_bytes = 550_000_000;
  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(called("models_cancel")).toEqual([{ id: "local/qwen" }]);
  await tell(0, "failed");
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(await screen.findByRole("button", { name: "Resume" }));
  await tell(1_100_000_000, "checking");
  expect(screen.getByText("Checking the files")).toBeVisible();
  if (row) row.ready = true;
  await tell(1_100_000_000, "ready");
  expect(await screen.findByText("Ready")).toBeVisible();
});

test("a download that fails says why", async () => {
  const user = userEvent.setup();
  await opened("models", "no-model", {
    models_pull: () => {
      throw wireError("storage", "The disk has no room.", "Free 1.1 GB.");
    },
  });
  await user.click(await screen.findByRole("button", { name: "Download 1.1 GB" }));
  expect(await screen.findByText("The disk has no room. Free 1.1 GB.")).toBeVisible();
});

test("a provider is added and tested; its key goes out once and is not kept in the window", async () => {
  const user = userEvent.setup();
  const answers: ProviderTest[] = [
    { ok: false, message: "The key is refused.", hint: "Copy it again.", models: [] },
    { ok: true, message: "It answers.", hint: "", models: ["claude-1"] },
  ];
  const { called, container } = await opened("models", "", {
    providers_test: () => answers.shift() ?? Promise.reject(new Error("asked too often")),
  });
  const providers = await screen.findByRole("region", { name: "Providers" });
  await user.click(within(providers).getByRole("button", { name: "Add" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("combobox", { name: "Kind" }));
  await user.click(await screen.findByRole("option", { name: "Anthropic" }));
  expect(within(dialog).getByLabelText("Name")).toHaveValue("anthropic");
  fireEvent.change(within(dialog).getByLabelText("Key"), { target: { value: "sk-secret" } });
  await user.click(within(dialog).getByRole("button", { name: "Save and test" }));
  expect(await within(dialog).findByText("The key is refused.")).toBeVisible();
  expect(within(dialog).getByText("Copy it again.")).toBeVisible();
  expect(within(dialog).getByLabelText("Key")).toHaveValue("");
  await user.click(within(dialog).getByRole("button", { name: "Save and test" }));
  await user.click(await within(dialog).findByRole("button", { name: "Add claude-1" }));
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const provider = { id: "anthropic", kind: "anthropic", base_url: "" };
  const model = { id: "claude-1", window: 0, input_usd: 0, output_usd: 0 };
  expect(called("providers_save")).toEqual([
    { provider: { ...provider, models: [] }, key: "sk-secret" },
    { provider: { ...provider, models: [] }, key: null },
    { provider: { ...provider, models: [model] }, key: null },
  ]);
  expect(container.ownerDocument.body.innerHTML).not.toContain("sk-secret");
});

test("a wrong line of hearth.toml is shown", async () => {
  await opened("general", "problems");
  expect(await screen.findByText("2 lines of hearth.toml could not be used. The rest holds.")).toBeVisible();
  expect(screen.getByText("budget.dayly_usd")).toBeVisible();
});

test("a wrong passphrase is said; the field is emptied either way", async () => {
  const user = userEvent.setup();
  await opened("storage", "locked", {
    settings_unlock: () => {
      throw wireError("secrets_locked", "That is not the passphrase.");
    },
  });
  const field = await screen.findByLabelText("Passphrase");
  await user.type(field, "wrong");
  await user.click(screen.getByRole("button", { name: "Unlock" }));
  expect(await screen.findByText(/That is not the passphrase/)).toBeVisible();
  expect(field).toHaveValue("");
});

test("a shortcut is recorded by the keys' places, and a key alone is none", async () => {
  const user = userEvent.setup();
  const { called } = await opened("general");
  const button = await screen.findByRole("button", { name: /^Shortcut:/ });
  await user.click(button);
  fireEvent.keyDown(button, { key: "a", code: "KeyA" });
  expect(called("settings_set")).toEqual([]);
  fireEvent.keyDown(button, { key: "Process", code: "KeyK", ctrlKey: true, altKey: true });
  await waitFor(() =>
    expect(called("settings_set")).toEqual([{ request: { key: "ui.shortcut", value: "CmdOrCtrl+Alt+K" } }]),
  );
});

const press = { code: "Space", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
test.each([
  [{ ...press, metaKey: true }, true, "CmdOrCtrl+Space"],
  [{ ...press, metaKey: true }, false, "Super+Space"],
  [{ ...press, code: "ArrowUp", ctrlKey: true, shiftKey: true }, false, "CmdOrCtrl+Shift+Up"],
  [{ ...press, code: "F9" }, false, "F9"],
  [{ ...press, shiftKey: true }, false, null],
  [{ ...press, code: "ShiftLeft", ctrlKey: true, shiftKey: true }, false, null],
])("keys %o", (keysPressed, apple, wanted) => expect(combination(keysPressed, apple)).toBe(wanted));

test("usage is summed by day and month", () => {
  const row = { purpose: "turn" as const, model: "m", calls: 1, input: 10, cached: 0, output: 5, usd: 0.5 };
  const rows = ["2026-11-29", "2026-11-29", "2026-11-01", "2026-10-31"].map((day) => ({ ...row, day }));
  const now = new Date(2026, 10, 29, 12);
  expect(spent(rows, "day", now)).toEqual({ calls: 2, tokens: 30, usd: 1 });
  expect(spent(rows, "month", now)).toEqual({ calls: 3, tokens: 45, usd: 1.5 });
});

test("diagnostics hold no secret and no name of a person's folder", () => {
  const { settings, providers } = browserWorld();
  const secret = "sk-abcdefghijklmnopqrstuvwxyz";
  const view: SettingsView = {
    ...settings,
    providers: providers.map((row) => ({ ...row, base_url: `https://me:pass@host/v1?key=${secret}` })),
  };
  const text = diagnostics([{ check: "home", ok: false, detail: `${view.home} ${secret}`, fix: "mend" }], view);
  for (const word of [secret, "me:pass", "/home/ada"]) expect(text).not.toContain(word);
  expect(text).toContain("FAIL home: <home>");
});

test("a shortcut that another program holds is said in its field, with a free one beside it", async () => {
  const shortcut = () => queries.getQueryData<SettingsView>(keys.settings)?.shortcut;
  const { called } = await opened("general", "", {
    window_shortcut: () =>
      shortcut() === "CmdOrCtrl+Alt+Space"
        ? { taken: null, offered: null }
        : { taken: "CmdOrCtrl+Shift+Space", offered: "CmdOrCtrl+Alt+Space" },
  });
  const said = await screen.findByRole("alert");
  expect(said).toHaveTextContent("Another program uses Ctrl + Shift + Space.");
  await userEvent.click(within(said).getByRole("button", { name: "Use Ctrl + Alt + Space" }));
  expect(called("settings_set")).toEqual([{ request: { key: "ui.shortcut", value: "CmdOrCtrl+Alt+Space" } }]);
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});
