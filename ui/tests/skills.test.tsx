// The Skills page on the in-memory shell: the list, one skill, the tester, a turn's activation view, installing.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { wireError } from "@/bridge/mock";
import { browserWorld } from "@/bridge/mock/furnish";
import { skillRow } from "@/bridge/mock/skills";
import { fitting } from "@/features/skills/data";
import { SkillsPage } from "@/features/skills/SkillsPage";
import { type Handlers, stage } from "./harness";

async function opened(path: string, scene = "", handlers: Handlers = {}) {
  window.location.hash = `/skills/${path}`;
  return stage(<SkillsPage />, { world: browserWorld(scene), handlers });
}

test("rows fit by every word, those that are ready first", () => {
  const rows = [
    skillRow("b", "Reads mail", { eligible: false }),
    skillRow("c", "Reads notes", { triggers: ["潮汐"] }),
    skillRow("a", "Reads notes", { source: "extra" }),
    skillRow("d", "Reads notes", { enabled: false }),
  ];
  const names = (text: string, which: "all" | "ready" | "rest") => fitting(rows, text, which).map(({ name }) => name);
  expect(names("", "all")).toEqual(["c", "a", "b", "d"]);
  expect(names("reads NOTES", "ready")).toEqual(["c", "a"]);
  expect(names("", "rest")).toEqual(["b", "d"]);
  expect(names("潮汐", "all")).toEqual(["c"]);
});

test("a skill shows what it needs, may do and checks; its text is inert", async () => {
  const { container } = await opened("list/tide-tables");
  const detail = await screen.findByRole("region", { name: "tide-tables" });
  expect(await within(detail).findByText("Every claim has a source")).toBeVisible();
  expect(within(detail).getByText("KARTVERKET_KEY")).toBeVisible();
  expect(within(detail).getByText("web_fetch")).toBeVisible();
  expect(within(detail).getByText("潮汐")).toBeVisible();
  expect(within(detail).getByText("with /skill tide-tables · when a message asks for it")).toBeVisible();
  expect(container.querySelector("script")).toBeNull();
});

test("a skill for some channels and senders says so; one token is one", async () => {
  const requires = { channels: ["cli", "telegram"], senders: ["owner"] };
  await opened("list/shy", "", {
    skills_list: () => [skillRow("shy", "Answers on the command line alone.", { requires, tokens: 1 })],
  });
  expect(await screen.findByText("Command line")).toBeVisible();
  expect(screen.getByText("telegram")).toBeVisible();
  expect(screen.getByText("You")).toBeVisible();
  expect(screen.getByText(/· 1 token$/)).toBeVisible();
});

test("a skill that is not ready says why; what is odd stands in words; a changed installation is said", async () => {
  await opened("list/mail-triage");
  expect(await screen.findByText(/MAIL_HOST is not set/)).toBeVisible();
  await act(async () => {
    window.location.hash = "/skills/list/Pdf Forms";
  });
  expect(await screen.findByText("It names a file that is not there.")).toBeVisible();
  expect(screen.getByText(/no longer what was installed/)).toBeVisible();
});

test("a skill is turned off and on; an unknown name says so", async () => {
  const user = userEvent.setup();
  const { called } = await opened("list/research");
  await user.click(await screen.findByRole("switch", { name: "Use research" }));
  await waitFor(() => expect(screen.getByRole("switch", { name: "Use research" })).not.toBeChecked());
  expect(called("skills_change")).toEqual([{ change: { name: "research", enabled: false } }]);
  await act(async () => {
    window.location.hash = "/skills/list/nothing";
  });
  expect(await screen.findByText("There is no skill nothing")).toBeVisible();
});

test("a secret that a skill asks for is stored once and not kept in the window", async () => {
  const user = userEvent.setup();
  const { called, container } = await opened("list/mail-triage");
  await user.click(await screen.findByRole("button", { name: "Store… MAIL_PASSWORD" }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.change(within(dialog).getByLabelText("Value"), { target: { value: "s3cr3t" } });
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called("secrets_set")).toEqual([{ name: "MAIL_PASSWORD", value: "s3cr3t" }]);
  expect(await screen.findByText("Stored")).toBeVisible();
  expect(container.ownerDocument.body.innerHTML).not.toContain("s3cr3t");
});

test("the tester ranks with scores and reasons; small talk wakes nothing", async () => {
  const user = userEvent.setup();
  await opened("try");
  await user.type(await screen.findByLabelText("A message"), "meeting notes please");
  const list = await screen.findByRole("list");
  const best = within(list).getAllByRole("listitem")[0] as HTMLElement;
  expect(best).toHaveTextContent("meeting-notes");
  expect(best).toHaveTextContent("100%");
  expect(best).toHaveTextContent("Would load");
  expect(best).toHaveTextContent('its trigger "meeting notes"');
  await user.clear(screen.getByLabelText("A message"));
  await user.click(await screen.findByRole("button", { name: "How are you?" }));
  expect(await screen.findByText(/No skill would be loaded/)).toBeVisible();
});

test("a turn shows its decision, references, self-check with evidence, and what it cost", async () => {
  const { world, tell } = await opened("turns", "recovered");
  const main = world.sessions.get("assistant:main");
  const turn = main?.turns.at(-1);
  const at = 1_700_000_000;
  const skill = { event: "skill" as const, name: "tide-tables", score: 0.81 };
  const steps = [
    { ...skill, state: "activated" as const, reason: "nearest", tokens: 640 },
    { ...skill, state: "reference" as const, reason: "references/norway.md", tokens: 310 },
  ];
  expect(await screen.findByText("Nothing is known of this turn")).toBeVisible();
  for (const step of steps)
    turn?.events.push({ ...step, seq: 90, turn: turn.turn ?? "", session: "assistant:main", at });
  await tell(turn?.turn ?? "", [steps[0] as never], 91);
  const active = await screen.findByRole("region", { name: "Active" });
  expect(within(active).getByText("Self-check: 2 of 3")).toBeVisible();
  expect(within(active).getByText("“High water at 07:42, 2.9 m”")).toBeVisible();
  expect(within(active).getByText("Open: nothing shows that it was done.")).toBeVisible();
  expect(within(active).getByText("references/norway.md")).toBeVisible();
  expect(within(screen.getByRole("region", { name: "Tokens of skills" })).getByText("+950")).toBeVisible();
  expect(within(screen.getByRole("region", { name: "In order" })).getAllByRole("listitem")).toHaveLength(2);
});

test("an installation shows its rights first and installs exactly that", async () => {
  const user = userEvent.setup();
  const { called } = await opened("list");
  await user.click(await screen.findByRole("button", { name: "Install…" }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.change(within(dialog).getByLabelText("Path or git address"), { target: { value: "/tmp/tides.zip" } });
  await user.click(within(dialog).getByRole("button", { name: "Look" }));
  const incoming = await within(dialog).findByRole("article", { name: "tide-tables" });
  for (const right of ["scripts/plot", "api.kartverket.no", "KARTVERKET_KEY", "exec", "SKILL.md"])
    expect(within(incoming).getByText(right)).toBeVisible();
  expect(within(incoming).getByText(/replaces version 0.9/)).toBeVisible();
  expect(within(incoming).getByText(/already \(Comes with Hearth\)\. This one comes first/)).toBeVisible();
  expect(called("skills_install")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Install" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called("skills_install")).toEqual([{ path: "/tmp/tides.zip", hash: "c0ffee" }]);
  expect(window.location.hash).toBe("#/skills/list/tide-tables");
});

test("an installed skill is updated to what was shown", async () => {
  const user = userEvent.setup();
  const { called } = await opened("list/Pdf Forms");
  await user.click(await screen.findByRole("button", { name: "Update…" }));
  const dialog = await screen.findByRole("dialog", { name: "Update Pdf Forms" });
  expect(await within(dialog).findByText("references/old.md")).toBeVisible();
  expect(called("skills_update")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Update" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called("skills_update")).toEqual([{ name: "Pdf Forms", hash: "c0ffee" }]);
  await waitFor(() => expect(screen.queryByText(/no longer what was installed/)).toBeNull());
});

test("what is as it is at its source has nothing to update", async () => {
  const user = userEvent.setup();
  await opened("list/Pdf Forms", "", {
    skills_update_preview: () => ({ path: "/tmp/pdf.zip", hash: "ab12", skills: [], refused: null }),
  });
  await user.click(await screen.findByRole("button", { name: "Update…" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByText("It is as it is there: nothing to update.")).toBeVisible();
  expect(within(dialog).queryByRole("button", { name: "Update" })).toBeNull();
});

test("a removed skill can be brought back, at once and later", async () => {
  const user = userEvent.setup();
  const { called } = await opened("list/Pdf Forms");
  await user.click(await screen.findByRole("button", { name: "Remove" }));
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(called("skills_remove")).toEqual([{ name: "Pdf Forms" }]));
  await user.click(await screen.findByRole("button", { name: "Install…" }));
  const removed = await screen.findByRole("region", { name: "Removed in the last 30 days" });
  expect(removed).toHaveTextContent("Pdf Forms");
  await user.click(within(removed).getByRole("button", { name: "Bring back Pdf Forms" }));
  await waitFor(() => expect(called("skills_restore")).toEqual([{ name: "Pdf Forms" }]));
  expect(await screen.findByRole("region", { name: "Pdf Forms" })).toBeVisible();
});

test("what is refused as a whole cannot be installed; what fails can be tried again", async () => {
  const user = userEvent.setup();
  await opened("list");
  await user.click(await screen.findByRole("button", { name: "Install…" }));
  const dialog = await screen.findByRole("dialog");
  const look = async (path: string) => {
    fireEvent.change(await within(dialog).findByLabelText("Path or git address"), { target: { value: path } });
    await user.click(within(dialog).getByRole("button", { name: "Look" }));
  };
  await look("nothing");
  expect(await within(dialog).findByText(/neither a folder, nor a .zip file/)).toBeVisible();
  await look("/tmp/bad.zip");
  expect(await within(dialog).findByText(/is a link/)).toBeVisible();
  expect(within(dialog).queryByRole("button", { name: "Install" })).toBeNull();
});

test("no skills say what they are for; a failure offers to try again", async () => {
  const user = userEvent.setup();
  let fails = true;
  await opened("list", "empty", {
    skills_list: () => {
      if (fails) throw wireError("storage", "skills/ cannot be read.");
      return [];
    },
  });
  expect(await screen.findByText("skills/ cannot be read.")).toBeVisible();
  fails = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("No skills yet")).toBeVisible();
});
