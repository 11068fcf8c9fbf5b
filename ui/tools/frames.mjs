// How smooth a reply streams into a conversation of 200 messages: the time between frames, and whether a person who scrolled
// up is left alone. `npm run ui:frames`; ends with status 1 when what was being read moved.

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

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);

async function stream(page) {
  await page.locator("textarea").fill("And mark 101?");
  await page.keyboard.press("Enter");
  await page.locator("article table").waitFor({ timeout: 60_000 });
}

const top = (page) => page.locator("section[tabindex='0']").evaluate((box) => box.scrollTop);

await withBrowser(async (browser) => {
  const page = await open(browser, { path: "/chat/assistant:main", world: "long" }, console.error);
  await page.locator("article").first().waitFor();
  await page.evaluate(record);
  await stream(page);
  await page.waitForTimeout(3000);
  const gaps = (await page.evaluate(() => globalThis.stopRecording())).sort((a, b) => a - b);
  console.log(
    `frames ${gaps.length}, p50 ${at(gaps, 0.5)} ms, p95 ${at(gaps, 0.95)} ms, longest ${gaps.at(-1).toFixed(1)} ms`,
  );

  await page.locator("article [aria-busy=false]").last().waitFor();
  const end = await page
    .locator("section[tabindex='0']")
    .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  console.log(`rest below the end of the reply: ${end} px`);
  await stream(page);
  await page.mouse.move(800, 300);
  await page.mouse.wheel(0, -500);
  await page.waitForTimeout(200);
  const before = await top(page);
  await page.waitForTimeout(2500);
  const after = await top(page);
  console.log(`scrolled up: ${before} px, after 2.5 s of streaming ${after} px`);
  process.exitCode = Math.abs(after - before) > 1 || end > 2 ? 1 : 0;
});
