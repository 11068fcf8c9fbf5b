// Import, backup and restore in the settings, on the in-memory shell.

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { afterEach, expect, test } from "vitest";
import type { ImportItem } from "@/bindings/ImportItem";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { endImport, inOrder } from "@/features/settings/imports";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { type Handlers, stage } from "./harness";

afterEach(async () => {
  endImport();
  await i18next.changeLanguage("en");
});

async function opened(handlers: Handlers = {}, picks = ["/home/ada/Downloads/export.zip"]) {
  window.location.hash = "/settings/transfer";
  const world = browserWorld("");
  world.picks = picks;
  return stage(<SettingsPage />, { world, handlers });
}

test("what would come is shown before anything is written, then it comes", async () => {
  const user = userEvent.setup();
  const { called } = await opened();
  await user.click(await screen.findByRole("button", { name: "ChatGPT" }));
  await user.click(screen.getByRole("button", { name: "Choose a file…" }));
  const preview = await screen.findByRole("region", { name: "What would come from export.zip" });
  const path = "/home/ada/Downloads/export.zip";
  expect(called("imports_run")).toEqual([{ request: { source: "chatgpt", path, dry_run: true } }]);
  const rows = within(preview).getAllByRole("listitem");
  expect(rows[0]).toHaveTextContent("conversations-003.json #17");
  expect(rows[0]).toHaveTextContent("Cannot be read: it has no messages");
  expect(preview).toHaveTextContent("New, without pictures (2) and results of tools (1)");
  await user.click(within(preview).getByRole("button", { name: "Import 3 items" }));
  const outcome = await screen.findByRole("region", { name: "What came from export.zip" });
  expect(called("imports_run").at(-1)).toEqual({ request: { source: "chatgpt", path, dry_run: false } });
  await user.click(within(outcome).getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("region", { name: /What/ })).toBeNull();
});

test("how far it is shows, and goes on when the page was left", async () => {
  const user = userEvent.setup();
  let end: () => void = () => undefined;
  const report = {
    source: "openclaw",
    dry_run: true,
    counts: { added: 0, already_there: 2, skipped: 0, failed: 0, messages: 0 },
    items: [],
  } as const;
  const { world } = await opened({
    imports_run: () =>
      new Promise((resolve) => (end = () => resolve(structuredClone({ ...report, items: [...report.items] })))),
  });
  await user.click(await screen.findByRole("button", { name: "Choose a folder…" }));
  world.emit({ type: "import", data: { done_bytes: 50, total_bytes: 200, items: 7 } });
  await waitFor(() => expect(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25"));
  expect(screen.getByText("7 items")).toBeVisible();
  await user.click(screen.getByRole("link", { name: "About" }));
  end();
  await user.click(screen.getByRole("link", { name: "Import and backup" }));
  expect(await screen.findByText("There is nothing new in it.")).toBeVisible();
});

test("a file that is something else is said in Chinese, too", async () => {
  const user = userEvent.setup();
  await i18next.changeLanguage("zh-CN");
  await opened({}, ["/home/ada/notes.txt"]);
  await user.click(await screen.findByRole("button", { name: "选择文件…" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("notes.txt 不是 ChatGPT 的数据导出：没有编号。");
});

test("nobody picked: nothing happens", async () => {
  const user = userEvent.setup();
  const { called } = await opened({}, []);
  await user.click(await screen.findByRole("button", { name: "Choose a file…" }));
  expect(called("imports_run")).toEqual([]);
});

test("what needs a look comes first", () => {
  const item = (name: string, state: ImportItem["state"]): ImportItem => ({
    kind: "file",
    name,
    state,
    reason: "new",
    detail: "",
    target: "",
  });
  const items = [item("a", "already_there"), item("b", "added"), item("c", "failed"), item("d", "skipped")];
  expect(inOrder(items).map(({ name }) => name)).toEqual(["c", "d", "b", "a"]);
});

test("a backup is made with a passphrase typed twice, which does not stay in the window", async () => {
  const user = userEvent.setup();
  const { called, container } = await opened();
  await user.click(await screen.findByRole("button", { name: "Make a backup…" }));
  const dialog = await screen.findByRole("dialog");
  const go = within(dialog).getByRole("button", { name: "Choose a place…" });
  await user.type(within(dialog).getByLabelText("Passphrase"), "short");
  expect(within(dialog).getByText("At least 8 characters.")).toBeVisible();
  await user.type(within(dialog).getByLabelText("Passphrase"), " no more");
  await user.type(within(dialog).getByLabelText("Once more"), "short no");
  expect(within(dialog).getByText("The two differ.")).toBeVisible();
  expect(go).toBeDisabled();
  await user.type(within(dialog).getByLabelText("Once more"), " more");
  await user.click(go);
  expect(await screen.findByText("The backup is made and was read back")).toBeVisible();
  expect(screen.getByText(/4.8 MB: 12 conversations, 37 files, 2 keys/)).toBeVisible();
  expect(screen.getByText("1 thing is not in it")).toBeVisible();
  const [{ path, passphrase }] = called("backups_make") as [{ path: string; passphrase: string }];
  expect(path).toMatch(/^\/home\/ada\/hearth-\d{4}-\d\d-\d\d\.backup$/);
  expect(passphrase).toBe("short no more");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(container.ownerDocument.body.innerHTML).not.toContain("short no more");
});

test("a restore asks for the passphrase, then for a restart", async () => {
  const user = userEvent.setup();
  const { called } = await opened();
  await user.click(await screen.findByRole("button", { name: "Choose a backup…" }));
  const dialog = await screen.findByRole("dialog");
  const field = within(dialog).getByLabelText("Passphrase");
  await user.type(field, "wrong horse{Enter}");
  expect(await within(dialog).findByText(/does not open it/)).toBeVisible();
  expect(field).toHaveValue("");
  expect(called("window_restart")).toEqual([]);
  await user.type(field, "right horse{Enter}");
  expect(await screen.findByText("The backup is checked and ready")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Start again now" }));
  expect(called("window_restart")).toHaveLength(1);
});

test("a place that cannot be is said in the dialog", async () => {
  const user = userEvent.setup();
  await opened({
    backups_make: () => {
      throw wireError("invalid_request", "x is there already.", "Choose another name.");
    },
  });
  await user.click(await screen.findByRole("button", { name: "Make a backup…" }));
  const dialog = await screen.findByRole("dialog");
  for (const label of ["Passphrase", "Once more"]) await user.type(within(dialog).getByLabelText(label), "long enough");
  await user.click(within(dialog).getByRole("button", { name: "Choose a place…" }));
  expect(await within(dialog).findByText(/is there already. Choose another name./)).toBeVisible();
});
