// How smooth the window is: `npm run ui:frames`.
//
// * A reply streams into a conversation of 200 messages: time between frames, and the main thread's own work for each.
// * Keys in the composer beside that conversation, and in a file of 20,000 characters: from the key to the frame with it,
//   and how much of that is the window's own work: without the wait for the screen's next beat.
// * Ten thousand memories scroll: time between frames.
// * A person who scrolled up is left alone, and the end of a reply is followed: status 1 where not.
//
// The work of the main thread is its processor time, so it can be told on a busy machine too.

import { open, withBrowser } from "./browser.mjs";

/** Records the time of each frame until told to stop. */
const record = () => {
  const times = [];
  let going = true;
  const frame = (time) => {
    times.push(time);
    if (going) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.stopRecording = () => {
    going = false;
    return times.slice(1).map((time, at) => time - times[at]);
  };
};

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))].toFixed(1);

function say(name, values) {
  const all = sorted(values);
  console.log(
    `${name}: ${all.length}, p50 ${at(all, 0.5)} ms, p95 ${at(all, 0.95)} ms, longest ${all.at(-1).toFixed(1)} ms`,
  );
}

/** Processor time of the page's main thread so far, by kind, in milliseconds. */
async function meter(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    const of = (name) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
    return {
      task: of("TaskDuration"),
      script: of("ScriptDuration"),
      layout: of("LayoutDuration"),
      style: of("RecalcStyleDuration"),
    };
  };
}

function sayWork(name, before, after, frames) {
  const each = (kind) => ((after[kind] - before[kind]) / frames).toFixed(2);
  console.log(
    `${name}: ${each("task")} ms of work (script ${each("script")}, layout ${each("layout")}, style ${each("style")})`,
  );
}

async function stream(page) {
  await page.locator("textarea").fill("And mark 101?");
  await page.keyboard.press("Enter");
  await page.locator("article table").waitFor({ timeout: 60_000 });
}

const top = (page) => page.locator("section[tabindex='0']").evaluate((box) => box.scrollTop);

/** From each key to the end of the frame that shows it; and the same without the wait between its handling and the frame. */
async function keys(page, selector, count) {
  await page.locator(selector).evaluate((field) => {
    globalThis.presses = [];
    let [begin, handled] = [0, 0];
    field.addEventListener(
      "keydown",
      () => {
        begin = performance.now();
        requestAnimationFrame(() => {
          const frame = performance.now();
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            const end = performance.now();
            globalThis.presses.push({ whole: end - begin, own: handled + end - frame });
          };
          port2.postMessage(0);
        });
      },
      true,
    );
    // After every listener, and after what they left for the end of the task.
    window.addEventListener("input", () =>
      queueMicrotask(() =>
        queueMicrotask(() => {
          handled = performance.now() - begin;
        }),
      ),
    );
  });
  for (let press = 0; press < count; press += 1) {
    await page.keyboard.press("x");
    await page.waitForTimeout(25);
  }
  return page.evaluate(() => globalThis.presses);
}

/** Types and tells. */
async function typing(page, work, { name, selector, count }) {
  const before = await work();
  const presses = await keys(page, selector, count);
  const of = (kind) => presses.map((press) => press[kind]);
  say(name, of("whole"));
  say("of that, the window's own time", of("own"));
  sayWork("each of them", before, await work(), presses.length);
}

async function conversation(browser) {
  const page = await open(browser, { path: "/chat/assistant:main", world: "long" }, console.error);
  await page.locator("article").first().waitFor();
  const work = await meter(page);
  await page.evaluate(record);
  const before = await work();
  await stream(page);
  await page.waitForTimeout(3000);
  const after = await work();
  const gaps = await page.evaluate(() => globalThis.stopRecording());
  say("streamed frames", gaps);
  sayWork("each of them", before, after, gaps.length);

  await page.locator("article [aria-busy=false]").last().waitFor();
  const end = await page
    .locator("section[tabindex='0']")
    .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  console.log(`rest below the end of the reply: ${end} px`);
  await page.locator("textarea").click();
  await typing(page, work, { name: "keys in the composer", selector: "textarea", count: 80 });
  await stream(page);
  await page.mouse.move(800, 300);
  await page.mouse.wheel(0, -500);
  await page.waitForTimeout(200);
  const still = await top(page);
  await page.waitForTimeout(2500);
  const moved = Math.abs((await top(page)) - still);
  console.log(`scrolled up: moved ${moved} px in 2.5 s of streaming`);
  if (moved > 1 || end > 2) process.exitCode = 1;
  await page.close();
}

async function editor(browser) {
  const page = await open(browser, { path: "/persona/SOUL.md" }, console.error);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  const line = "- A line of ordinary Markdown with **bold** words and `code`, 中文也在其中。\n";
  await page.keyboard.insertText(line.repeat(Math.ceil(19_500 / line.length)));
  await page.waitForTimeout(2500);
  const work = await meter(page);
  await typing(page, work, { name: "keys in a file of 20,000 characters", selector: ".cm-content", count: 120 });
  await page.close();
}

async function timeline(browser) {
  const page = await open(browser, { path: "/memory/entries", world: "many" }, console.error);
  await page.locator("main li").first().waitFor();
  await page.evaluate(record);
  await page.mouse.move(700, 500);
  for (let turn = 0; turn < 60; turn += 1) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(25);
  }
  say("frames while 10,000 memories scroll", await page.evaluate(() => globalThis.stopRecording()));
  await page.close();
}

await withBrowser(async (browser) => {
  await conversation(browser);
  await editor(browser);
  await timeline(browser);
});
