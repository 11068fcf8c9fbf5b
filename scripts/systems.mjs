// npm run check:systems: whether the code compiles for the systems that this machine is not. Checked, not linked and not run.
//   npm run check:systems -- x86_64-pc-windows-gnu   only this one
import { join } from "node:path";
import { cache, root } from "./places.mjs";
import { has, main, read, run, step, Stop } from "./run.mjs";

/** A C compiler is needed by what dependencies build, though nothing of it is used: where there is none, a stand-in. */
const standIn = join(root, "scripts", "stand-in-cc.mjs");
const systems = {
  "x86_64-pc-windows-gnu": { needs: "x86_64-w64-mingw32-gcc", from: "gcc-mingw-w64-x86-64" },
  "aarch64-apple-darwin": { env: { CC_aarch64_apple_darwin: standIn, AR_aarch64_apple_darwin: standIn, SDKROOT: "/" } },
};

async function check(name) {
  const { needs, from, env = {} } = systems[name];
  if (needs && !has(needs)) throw new Stop(`${needs} is missing: install the package ${from}, then run this again`);
  if (read("rustup", ["target", "add", name]) === null) throw new Stop(`The target ${name} could not be added: rustup target add ${name} says why`);
  const { status } = await run("cargo", ["clippy", "--workspace", "--locked", "--target", name, "--", "-D", "warnings"], {
    env: { ...env, CARGO_TARGET_DIR: join(cache, "systems") },
  });
  return status;
}

await main(async (args) => {
  const unknown = args.find((name) => !(name in systems));
  if (unknown) throw new Stop(`${unknown} is not looked at: choose from ${Object.keys(systems).join(", ")}`);
  const failed = [];
  for (const name of args.length > 0 ? args : Object.keys(systems)) {
    if ((await step(name, () => check(name))) !== 0) failed.push(name);
  }
  console.log(failed.length > 0 ? `\nDoes not compile: ${failed.join(", ")}` : "\nCompiles.");
  return failed.length > 0 ? 1 : 0;
});
