// A small WebDriver client over fetch: what these tests need and nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A free port on loopback. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Polls `probe` until it returns something truthy, and returns that. */
export async function until(what, probe, ms = 10_000) {
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    try {
      const value = await probe();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error(`waited ${ms} ms in vain for ${what}${last ? `: ${last.message}` : ""}`);
}

/** Until the page has stopped changing for a moment. */
export async function settled(app) {
  let last = "";
  await until("the page to settle", async () => {
    const now = await app.run("return document.body.innerHTML");
    await new Promise((resolve) => setTimeout(resolve, 400));
    const same = now === last;
    last = now;
    return same;
  }, app.patience);
}

/** Starts the app under WebKitWebDriver and returns a driver for it. */
export async function open({ binary, args = [], env }) {
  const port = await freePort();
  const driverEnv = { ...env, TAURI_WEBVIEW_AUTOMATION: "true" };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env: driverEnv, stdio: "ignore" });
  const base = `http://127.0.0.1:${port}`;
  await until("the driver", async () => (await fetch(`${base}/status`)).ok);
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args } } };
  const session = await call(base, "POST", "/session", { capabilities });
  return new App(`${base}/session/${session.sessionId}`, driver);
}

async function call(base, method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json" },
    body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
  return value;
}

class App {
  constructor(base, driver) {
    this.base = base;
    this.driver = driver;
    /** Milliseconds that its waits last at most. */
    this.patience = 10_000;
  }

  get(path) {
    return call(this.base, "GET", path);
  }

  post(path, body) {
    return call(this.base, "POST", path, body);
  }

  /** Runs script text in the page; `arguments` are the rest. */
  run(script, ...args) {
    return this.post("/execute/sync", { script, args });
  }

  /** Runs script text whose last argument is to be called with the answer. */
  async runAsync(script, ...args) {
    await this.post("/timeouts", { script: 250_000 });
    return this.post("/execute/async", { script, args });
  }

  windows() {
    return this.get("/window/handles");
  }

  switchTo(handle) {
    return this.post("/window", { handle });
  }

  /** Switches to the window whose page ends in `page` (main: index.html; quick: quick.html). */
  async switchToPage(page) {
    return until(`the window of ${page}`, async () => {
      for (const handle of await this.windows()) {
        await this.switchTo(handle);
        if ((await this.get("/url")).includes(page)) return handle;
      }
      return null;
    });
  }

  /** The first element that matches, waiting for it. */
  find(css, ms = this.patience) {
    return until(css, async () => new Element(this, (await this.post("/element", { using: "css selector", value: css }))[ELEMENT]), ms);
  }

  /** The first element that matches `css` and whose text or name holds `text`. */
  findText(css, text, ms = this.patience) {
    const script = `return [...document.querySelectorAll(arguments[0])].find((e) =>
      (e.innerText + " " + (e.getAttribute("aria-label") ?? "")).includes(arguments[1])) ?? null`;
    return until(`${css} with ${text}`, async () => {
      const found = await this.run(script, css, text);
      return found && new Element(this, found[ELEMENT]);
    }, ms);
  }

  /** The visible text of the page. */
  text() {
    return this.run("return document.body.innerText");
  }

  /** Waits until the page shows `text`. */
  shows(text, ms = this.patience) {
    return until(`the page to show ${text}`, async () => (await this.text()).includes(text), ms);
  }

  /** A picture of the page. WebKit waits for the next time it paints, which without OpenGL is when something changes: a dot. */
  async screenshot() {
    await this.run(`const dot = document.createElement("i");
      dot.style.cssText = "position: fixed; inset: auto 0 0 auto; width: 1px; height: 1px";
      document.body.append(dot);
      const paint = () => { dot.style.background = dot.style.background ? "" : "rgb(0 0 0 / 1%)"; };
      window.painting = setInterval(paint, 20);
      window.painted = () => { clearInterval(window.painting); dot.remove(); };`);
    try {
      return Buffer.from(await this.get("/screenshot"), "base64");
    } finally {
      await this.run("window.painted()");
    }
  }

  /** Presses keys in the focused element, `Control`, `Enter` and so on by their WebDriver code points. */
  async keys(...keys) {
    const down = keys.map((value) => ({ type: "keyDown", value }));
    const up = keys.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.post("/actions", { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  async close() {
    await call(this.base, "DELETE", "").catch(() => {});
    this.driver.kill();
  }

  /** Ends the app as a crash would: no clean-up of its own. */
  kill() {
    this.driver.kill("SIGKILL");
  }
}

export const KEY = { enter: "\uE007", escape: "\uE00C", control: "\uE009", shift: "\uE008", backspace: "\uE003", end: "\uE010" };

class Element {
  constructor(app, id) {
    this.app = app;
    this.id = id;
  }

  /**
   * Clicks once the element is at rest. A click that met something else in its way, or a place that had just moved out of
   * view, did not happen: it is tried again.
   */
  async click(tries = 10) {
    await this.rests();
    try {
      return await this.app.post(`/element/${this.id}/click`);
    } catch (error) {
      if (tries === 0 || !/click intercepted|not interactable/.test(error.message)) throw error;
      await new Promise((done) => setTimeout(done, 200));
      return this.click(tries - 1);
    }
  }

  /** Until it stands where it stood 60 ms before: what appears beside it moves it. Something that never rests is clicked anyhow. */
  async rests() {
    const place = () => this.app.run("const { x, y, width, height } = arguments[0].getBoundingClientRect(); return [x, y, width, height].join()", { [ELEMENT]: this.id });
    let last = await place();
    for (let look = 0; look < 20; look += 1) {
      await new Promise((done) => setTimeout(done, 60));
      const now = await place();
      if (now === last) return;
      last = now;
    }
  }

  type(text) {
    return this.app.post(`/element/${this.id}/value`, { text });
  }

  text() {
    return this.app.get(`/element/${this.id}/text`);
  }

  attribute(name) {
    return this.app.get(`/element/${this.id}/attribute/${name}`);
  }
}
