// How quick the real window is, in its own web view:
//   node scripts/session.mjs node bench/window.mjs [KEYS] [BINARY]
//
// * keys in a file of 20,000 characters and in the composer beside 200 messages, next to an empty field of the same page:
//   `whole` from the key to the end of the frame with it, the wait for the screen's next beat included; `own` without that
//   wait: handling the key, and the frame; `work` the processor time of the page's main thread, from one key to the next,
//   which other programs hardly change.
// * frames while a reply streams into 200 messages, and while 10,000 memories scroll, next to those of the page at rest.
//
// One JSON line each, in milliseconds (the web view's clock has steps of 1 ms), beside what it is compared with.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { remembered, talked } from "../tests/e2e/lib/filled.mjs";
import { setStage } from "../tests/e2e/lib/stage.mjs";
import { KEY, open, until } from "../tests/e2e/lib/webdriver.mjs";
import { nameOf, pidOf, ran, treeOf } from "./processes.mjs";

const count = Number(process.argv[2] ?? 150);
const binary = resolve(process.argv[3] ?? process.env.HEARTH_APP);
const line = "- A line of ordinary Markdown with **bold** words and `code`, 中文也在其中。\n";

const round = (value) => Math.round(value * 100) / 100;

function summary(values) {
  const all = values.toSorted((one, other) => one - other);
  const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
  return { p50: round(at(0.5)), p95: round(at(0.95)), most: round(all.at(-1)) };
}

const ratio = (one, other) => (other > 0 ? round(one / other) : null);

function tell(what, values, base) {
  const found = summary(values);
  const beside = base && { ...summary(base), ratio_p95: ratio(found.p95, summary(base).p95) };
  console.log(JSON.stringify({ what, n: values.length, ...found, ...(beside && { beside }) }));
}

/** Notes each key in the focused field: the time to its frame, and how much of it was work. */
const listen = `
  window.presses = [];
  let begin = 0, handled = 0;
  const field = document.activeElement;
  field.addEventListener("keydown", () => {
    begin = performance.now();
    requestAnimationFrame(() => {
      const frame = performance.now();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const end = performance.now();
        window.presses.push({ whole: end - begin, own: handled + end - frame });
      };
      port2.postMessage(0);
    });
  }, true);
  // After every listener, and after what they left for the end of the task.
  window.addEventListener("input", () => queueMicrotask(() => queueMicrotask(() => { handled = performance.now() - begin; })));`;

/** Milliseconds that the main threads of the pages have run. */
function worked() {
  const pages = treeOf(pidOf(binary)).filter((pid) => nameOf(pid).startsWith("WebKitWeb"));
  return pages.reduce((sum, pid) => sum + ran(pid), 0) / 1e6;
}

async function keys(app) {
  await app.run(listen);
  const work = [];
  for (let press = 0; press < count; press += 1) {
    const before = worked();
    await app.keys("x");
    await pause(60);
    work.push(worked() - before);
  }
  const presses = await until("the keys", async () => {
    const seen = await app.run("return window.presses");
    return seen.length >= count && seen;
  });
  return { whole: presses.map(({ whole }) => whole), own: presses.map(({ own }) => own), work };
}

function tellKeys(what, pressed, base) {
  for (const kind of ["whole", "own", "work"]) tell(`${what}, ${kind}`, pressed[kind], base?.[kind]);
}

/** The time between frames, from now until \`stop\` is called. */
async function frames(app, during) {
  await app.run(`
    const times = [];
    const frame = (time) => { times.push(time); if (!window.stopped) requestAnimationFrame(frame); };
    window.stopped = false;
    window.times = times;
    requestAnimationFrame(frame);`);
  const before = worked();
  await during();
  const work = worked() - before;
  const times = await app.run("window.stopped = true; return window.times");
  return { gaps: times.slice(1).map((time, at) => time - times[at]), work: [work / Math.max(1, times.length - 1)] };
}

function tellFrames(what, drawn, base) {
  tell(`${what}, from one to the next`, drawn.gaps, base?.gaps);
  tell(`${what}, work for each on average`, drawn.work, base?.work);
}

async function emptyField(app) {
  await app.run(`
    const field = document.createElement("textarea");
    field.id = "empty";
    field.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 300px; height: 60px; z-index: 999";
    document.body.append(field);`);
  await (await app.find("#empty")).click();
  const pressed = await keys(app);
  await app.run("document.querySelector('#empty').remove()");
  return pressed;
}

async function inFile(app, base) {
  await app.run("location.hash = '/persona/SOUL.md'");
  await (await app.find(".cm-content")).click();
  await app.keys(KEY.control, KEY.end);
  await pause(3000);
  tellKeys("keys in a file of 20,000 characters", await keys(app), base);
}

async function inConversation(app, stage, base) {
  await app.run("location.hash = '/chat/assistant:chat-long'");
  await app.shows("It is 100.5 m deep.");
  await pause(2000);
  await (await app.find('textarea[aria-label="Message"]')).click();
  tellKeys("keys beside 200 messages", await keys(app), base);
  const rest = await frames(app, () => pause(4000));
  const reply = `${"| mark | depth |\n|---|---|\n"}${"| north quay | 3.2 m |\n".repeat(8)}\n${line.repeat(60)}\nThe end.`;
  stage.model.reply(reply, { pieces: 250, pauseMs: 16 });
  const streamed = await frames(app, async () => {
    await app.keys(KEY.enter);
    await app.shows("The end.", 60_000);
  });
  tellFrames("frames while a reply streams into 200 messages", streamed, rest);
  return rest;
}

async function scrolling(app, rest) {
  await app.run("location.hash = '/memory/entries'");
  const all = "return Number(document.querySelector('[data-row]')?.getAttribute('aria-setsize')) >= 10000";
  await until("all memories", () => app.run(all), 240_000);
  await pause(2000);
  const scrolled = await frames(app, () =>
    app.runAsync(`
      const done = arguments[arguments.length - 1];
      const box = [...document.querySelectorAll("main *")].find((one) => one.scrollHeight > one.clientHeight + 100_000);
      let left = 240;
      const step = () => { box.scrollTop += 160; left -= 1; if (left > 0) requestAnimationFrame(step); else done(); };
      step();`),
  );
  tellFrames("frames while 10,000 memories scroll", scrolled, rest);
}

const stage = await setStage();
try {
  await talked(stage, "long", Array.from({ length: 100 }, (_, at) => [`Mark ${at + 1}?`, `It is ${at + 1}.5 m deep.\n\n${line}`]));
  remembered(stage, 10_000);
  writeFileSync(join(stage.workspace, "SOUL.md"), `# Soul\n\n${line.repeat(Math.ceil(19_900 / line.length))}`);
  const app = await open({ binary, args: ["--home", stage.home], env: { ...process.env, LANG: "C.UTF-8" } });
  try {
    app.patience = 60_000;
    await app.switchToPage("index.html");
    await app.find("textarea");
    const base = await emptyField(app);
    tellKeys("keys in an empty field", base);
    await inFile(app, base);
    const rest = await inConversation(app, stage, base);
    tellFrames("frames at rest", rest);
    await scrolling(app, rest);
  } finally {
    await app.close();
  }
} finally {
  await stage.end();
}
