// npm run fuzz [-- ROUNDS]: random paths, addresses and command lines against the guard's readers, a million of
// each unless said otherwise.
import { main, run } from "./run.mjs";

await main(async ([rounds = "1000000"]) => {
  const env = { HEARTH_FUZZ: rounds };
  const args = ["test", "--workspace", "--locked", "--release", "--test", "fuzz"];
  const { status } = await run("cargo", args, { env });
  return status;
});
