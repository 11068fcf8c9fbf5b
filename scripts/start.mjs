// npm start: from a fresh clone to the open app. A second run is quick.
//   --no-models   leave the built-in models alone
//   --build-only  stop before opening the app
import { existsSync } from "node:fs";
import { binaries, uiBuilt, uiPackages } from "./build.mjs";
import { binary, target } from "./places.mjs";
import { main, run, step } from "./run.mjs";
import { systemPackages, tools } from "./system.mjs";

const screenless = process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;

// The first answers with no key, the second finds notes by meaning.
const models = ["local/qwen", "multilingual-e5-small"];

async function fetchModels() {
  for (const model of models) {
    const { status } = await run(binary("hearth"), ["models", "pull", model]);
    if (status !== 0) {
      console.log(`${model} could not be fetched now. The app opens all the same and offers it again; a key or a server on this machine works without it, and memory is searched by words.`);
    }
  }
}

async function open() {
  if (screenless) {
    console.log(`\nThe window stays closed, since there is no display. Talk to Hearth in this terminal:\n  npm run hearth -- chat\nor\n  ${binary("hearth")} chat`);
    return 0;
  }
  console.log("\nOpening Hearth. It stays in the tray when its window is closed.");
  const { status } = await run(binary("hearth-desktop"), []);
  return status;
}

await main(async (args) => {
  if (screenless) console.log("There is no display here: Hearth is built for this terminal, where `npm run hearth -- chat` talks to it, and no window opens.");
  tools();
  await step("system packages", () => systemPackages("app"));
  await step("UI packages", uiPackages);
  await step("UI", uiBuilt);
  if (!existsSync(target)) console.log("\nThe first build compiles everything once: about ten minutes on two cores. It is a development build; an optimised one takes twice as long.");
  await step("app", () => binaries());
  if (!args.includes("--no-models")) await step("built-in models", fetchModels);
  return args.includes("--build-only") ? 0 : open();
});
