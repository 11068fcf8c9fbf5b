// Settings on the in-memory shell: MCP servers and the guard.

import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { lineOf, pastedServer, wordsOf } from "@/features/settings/commandLine";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { type Handlers, stage } from "./harness";

async function opened(section: string, scene = "", handlers: Handlers = {}) {
  window.location.hash = `/settings/${section}`;
  return stage(<SettingsPage />, { world: browserWorld(scene), handlers });
}

test.each([
  ["npx -y server", ["npx", "-y", "server"]],
  ['"C:\\Program Files\\x.exe"  --a=\'b c\'d ""', ["C:\\Program Files\\x.exe", "--a=b cd", ""]],
  ["   ", []],
  ['run "open', null],
])("words of %j", (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test.each([[["a", "b c", "", "it's", 'say "x"', `both ' and "`, "\\\\share\\x"]]])("%j survives its line", (words) => {
  expect(wordsOf(lineOf(words))).toEqual(words);
});

test("a server is taken from another program's settings", () => {
  const entry = { command: "npx", args: ["-y", "a b"], env: { API_KEY: "k" } };
  const taken = { command: ["npx", "-y", "a b"], url: "", env: { API_KEY: "k" } };
  expect(pastedServer(JSON.stringify({ mcpServers: { "git hub": entry } }))).toEqual({ name: "git hub", ...taken });
  expect(pastedServer(`"wiki": ${JSON.stringify(entry)},`)).toEqual({ name: "wiki", ...taken });
  expect(pastedServer('{"url": "https://e.com/mcp"}')).toMatchObject({ command: [], url: "https://e.com/mcp" });
  expect(pastedServer("npx -y {server}")).toBeNull();
  expect(pastedServer('{"other": 3}')).toBeNull();
});

test("servers stand with their state, tools and what is wrong", async () => {
  const user = userEvent.setup();
  await opened("mcp");
  const charts = await screen.findByRole("article", { name: "charts" });
  expect(within(charts).getByText("Running")).toBeVisible();
  await user.click(within(charts).getByRole("button", { name: "4 tools" }));
  expect(await within(charts).findByText("Finds the charts of a place by its name.")).toBeVisible();
  expect(within(screen.getByRole("article", { name: "notes" })).getByRole("status")).toHaveTextContent(
    "No such file or directory",
  );
  expect(
    within(screen.getByRole("article", { name: "old-wiki" })).getByRole("button", { name: "Test" }),
  ).toBeDisabled();
});

test("a changed tool shows word for word what changed, and is allowed again", async () => {
  const user = userEvent.setup();
  const { called } = await opened("mcp");
  const charts = await screen.findByRole("article", { name: "charts" });
  expect(within(charts).getByText(/2 tools are not as you allowed them/)).toBeVisible();
  await user.click(within(charts).getByRole("button", { name: "Review…" }));
  const dialog = await screen.findByRole("dialog");
  const depth = within(dialog).getByRole("region", { name: "depth_at" });
  expect(depth.querySelector("del")).toHaveTextContent("feet");
  expect(depth.querySelector("ins")).toHaveTextContent("metres");
  expect(within(depth).queryByText("Arguments")).toBeNull();
  expect(within(dialog).getByRole("region", { name: "upload_notes" })).toHaveTextContent("New");
  await user.click(within(dialog).getByRole("button", { name: "Allow as they are now" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called("mcp_allow")).toEqual([{ id: "charts" }]);
  expect(within(charts).queryByText(/not as you allowed/)).toBeNull();
});

test("a server is added by a pasted entry; its secret is sealed and not kept in the window", async () => {
  const user = userEvent.setup();
  const { called, container } = await opened("mcp", "empty");
  expect(await screen.findByText("No server yet")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Add" }));
  const dialog = await screen.findByRole("dialog");
  const text = JSON.stringify({
    mcpServers: { github: { command: "gh-mcp", args: ["stdio"], env: { TOKEN: "s3cr3t" } } },
  });
  fireEvent.paste(within(dialog).getByLabelText("Command"), { clipboardData: { getData: () => text } });
  expect(within(dialog).getByLabelText("Command")).toHaveValue("gh-mcp stdio");
  expect(within(dialog).getByLabelText("Name", { selector: "[value=github]" })).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Save and test" }));
  expect(await within(dialog).findByText("It answers and offers 2 tools.")).toBeVisible();
  expect(called("secrets_set")).toEqual([{ name: "mcp/github/TOKEN", value: "s3cr3t" }]);
  const server = { id: "github", command: ["gh-mcp", "stdio"], url: "", env: { TOKEN: "secret:mcp/github/TOKEN" } };
  expect(called("mcp_save")).toEqual([{ server: { ...server, timeout_s: 60, enabled: true }, key: null }]);
  expect(container.ownerDocument.body.innerHTML).not.toContain("s3cr3t");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called("secrets_set")).toHaveLength(1);
});

test("a name, a line and an address that cannot be are said; what the engine refuses, too", async () => {
  const user = userEvent.setup();
  const refused = () => {
    throw wireError("invalid_request", "it needs a command or a url", "Correct it.");
  };
  await opened("mcp", "", { mcp_save: refused });
  await user.click(await screen.findByRole("button", { name: "Add" }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.change(within(dialog).getByLabelText("Name"), { target: { value: "charts" } });
  expect(await within(dialog).findByText("There is one of this name already.")).toBeVisible();
  fireEvent.change(within(dialog).getByLabelText("Name"), { target: { value: "a b" } });
  expect(await within(dialog).findByText("Up to 24 letters, digits, “-” or “_”.")).toBeVisible();
  fireEvent.change(within(dialog).getByLabelText("Command"), { target: { value: 'x "y' } });
  expect(await within(dialog).findByText("A quotation mark is not closed.")).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "An address" }));
  fireEvent.change(within(dialog).getByLabelText("Address"), { target: { value: "ftp://x" } });
  expect(await within(dialog).findByText("It must begin with http:// or https://.")).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Save" })).toBeDisabled();
  fireEvent.change(within(dialog).getByLabelText("Name"), { target: { value: "ok" } });
  fireEvent.change(within(dialog).getByLabelText("Address"), { target: { value: "http://127.0.0.1:3/mcp" } });
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(await within(dialog).findByText("it needs a command or a url Correct it.")).toBeVisible();
});

test("a server is turned off, and removed once that is confirmed", async () => {
  const user = userEvent.setup();
  const { called } = await opened("mcp");
  await user.click(await screen.findByRole("button", { name: "Actions for calendar" }));
  await user.click(await screen.findByRole("menuitem", { name: "Turn off" }));
  await waitFor(() => expect(within(screen.getByRole("article", { name: "calendar" })).getByText("Off")).toBeVisible());
  expect(called("mcp_save")).toMatchObject([{ server: { id: "calendar", enabled: false }, key: null }]);
  await user.click(screen.getByRole("button", { name: "Actions for calendar" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  expect(called("mcp_remove")).toEqual([]);
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.queryByRole("article", { name: "calendar" })).toBeNull());
});

test("a profile says what it allows; the widest one asks first", async () => {
  const user = userEvent.setup();
  const { called } = await opened("guard");
  expect(await screen.findByRole("radio", { name: "Assistant" })).toBeChecked();
  expect(screen.getByRole("radio", { name: "Read only" })).toHaveAccessibleDescription(/Writes nothing/);
  await user.click(screen.getByRole("radio", { name: "Coding" }));
  await waitFor(() => expect(screen.getByRole("radio", { name: "Coding" })).toBeChecked());
  await user.click(screen.getByRole("radio", { name: "Full" }));
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  expect(called("settings_set")).toEqual([{ request: { key: "guard.profile", value: "coding" } }]);
});

test("entries of a list are added and removed; a wrong one is told and stays in its field", async () => {
  const user = userEvent.setup();
  const { called } = await opened("guard");
  const folders = "Folders outside the workspace";
  fireEvent.change(await screen.findByLabelText(`Add to: ${folders}`), { target: { value: "/srv/data " } });
  await user.keyboard("{Enter}");
  fireEvent.submit(screen.getByLabelText(`Add to: ${folders}`));
  expect(await within(await screen.findByRole("list", { name: folders })).findByText("/srv/data")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Remove /home/ada/charts" }));
  await waitFor(() => expect(screen.queryByText("/home/ada/charts")).toBeNull());
  expect(called("settings_set").at(-1)).toEqual({ request: { key: "guard.allowed_roots", value: ["/srv/data"] } });
});

test("why a command would ask is said in words, and a closed guard stands out", async () => {
  const user = userEvent.setup();
  const { called } = await opened("guard", "problems");
  expect(await screen.findByText(/nothing is allowed until it is mended/)).toBeVisible();
  fireEvent.change(screen.getByLabelText("Command"), { target: { value: "git push" } });
  await user.click(screen.getByRole("button", { name: "See" }));
  expect(await screen.findByText("It would ask you")).toBeVisible();
  expect(screen.getByText("git is not among the allowed programs")).toBeVisible();
  const request = { tool: "exec", arguments: { command: "git push" }, allow: null, shell: null, tainted: false };
  expect(called("guard_explain")).toEqual([{ request }]);
});
