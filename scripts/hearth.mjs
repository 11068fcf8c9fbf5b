// npm run hearth -- ARGS: the command line of the last build.
import { existsSync } from "node:fs";
import { binary } from "./places.mjs";
import { main, run, Stop } from "./run.mjs";

await main(async (args) => {
  if (!existsSync(binary("hearth"))) throw new Stop("Hearth is not built yet. Run npm start first.");
  const { status } = await run(binary("hearth"), args, { cwd: process.env.INIT_CWD ?? process.cwd() });
  return status;
});
