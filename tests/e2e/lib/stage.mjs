// What one end-to-end test stands on: a home of its own, the desktop doubles, a scripted model, the app.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { modelServer } from "./model.mjs";
import { open, until } from "./webdriver.mjs";

/** The desktop binary and the command line that `npm test` built. */
export const binary = process.env.HEARTH_APP;
export const hearth = process.env.HEARTH_BIN;

/** Everything a test needs; `stage.end()` takes it all down. */
export async function setStage({ language = "en", theme = "light", firstStartDone = true, desktop = true, provider = true, app: program = binary, env = {} } = {}) {
  const home = mkdtempSync(join(tmpdir(), "hearth-e2e-"));
  const model = await modelServer();
  writeFileSync(join(home, "hearth.toml"), config(model.url, { language, theme, firstStartDone, provider }));
  const doubles = desktop ? await startDoubles() : null;
  const apps = [];
  return {
    home,
    model,
    doubles,
    workspace: join(home, "workspace"),
    /** Starts the app (again). */
    async start(args = []) {
      const app = await open({ binary: program, args: ["--home", home, ...args], env: { ...process.env, LANG: "C.UTF-8", ...env } });
      apps.push(app);
      return app;
    },
    /** Ends the app: `TERM` as a log-out would, `KILL` as a power cut would. */
    async stop(signal = "TERM") {
      spawnSync("pkill", [`-${signal}`, "-f", `hearth-desktop --home ${home}`]);
      await until("the app to end", () => spawnSync("pgrep", ["-f", `hearth-desktop --home ${home}`]).status === 1);
      await apps.pop()?.close();
    },
    async end() {
      while (apps.length > 0) await this.stop("KILL");
      doubles?.stop();
      model.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function config(url, { language, theme, firstStartDone, provider }) {
  const lines = [
    "# written by the test",
    "[ui]",
    `language = "${language}"`,
    `theme = "${theme}"`,
    `first_start_done = ${firstStartDone}`,
    "[memory]",
    'embedding = "off"',
  ];
  if (provider) {
    lines.push(
      "[model]",
      'default = "work/scripted-1"',
      "[[providers]]",
      'id = "work"',
      'kind = "openai"',
      `base_url = "${url}"`,
      'models = [{ id = "scripted-1", window = 128000 }]',
    );
  }
  return `${lines.join("\n")}\n`;
}

async function startDoubles() {
  const script = new URL("desktop.py", import.meta.url).pathname;
  const child = spawn("/usr/bin/python3", [script], { stdio: ["pipe", "pipe", "inherit"] });
  const seen = [];
  createInterface({ input: child.stdout }).on("line", (line) => seen.push(JSON.parse(line)));
  await until("the desktop doubles", () => seen.some((entry) => entry.ready));
  const ask = async (order, answer) => {
    const from = seen.length;
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const found = await until(JSON.stringify(order), () => seen.slice(from).find((entry) => answer in entry || entry.error));
    if (found.error) throw new Error(found.error);
    return found[answer];
  };
  return {
    /** A notification whose title or body holds `text`. */
    notification: (text, ms) =>
      until(`a notification with ${text}`, () => seen.map((entry) => entry.notification).find((n) => n && `${n.title} ${n.body}`.includes(text)), ms),
    notifications: () => seen.map((entry) => entry.notification).filter(Boolean),
    tray: () => until("a tray icon", () => seen.some((entry) => entry.tray)),
    menu: () => ask({ menu: true }, "menu"),
    choose: (label) => ask({ choose: label }, "chosen"),
    /** How the notification service answers from now on: "show", "refuse" or "never". */
    answer: (how) => ask({ answer: how }, "answers"),
    click: (id) => ask({ click: id }, "clicked"),
    stop: () => child.kill(),
  };
}
