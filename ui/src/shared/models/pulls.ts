// Downloads of built-in models, as the signals tell of them. They go on whatever page is shown.

import { create } from "zustand";
import type { PullProgress } from "@/bindings/PullProgress";
import { call, onSignal } from "@/bridge";
import { asProblem } from "../problem";
import { keys, queries } from "../queries";

export const usePulls = create<Readonly<Record<string, PullProgress>>>(() => ({}));

const stopped = new Set<string>();

onSignal((signal) => {
  if (signal?.type === "pull") hear(signal.data);
});

function hear(progress: PullProgress): void {
  const { id, state } = progress;
  const drop = state === "ready" || (state === "failed" && stopped.has(id));
  usePulls.setState(({ [id]: _, ...others }) => (drop ? others : { ...others, [id]: progress }), true);
}

const at = (id: string, state: string, problem: string | null = null): PullProgress => ({
  id,
  source: "",
  file: "",
  done_bytes: 0,
  total_bytes: 0,
  bytes_per_s: 0,
  state,
  problem,
});

const refresh = () =>
  Promise.all([keys.localModels, keys.models].map((queryKey) => queries.invalidateQueries({ queryKey })));

/** Starts a download, or takes one up again. */
export async function startPull(id: string): Promise<void> {
  stopped.delete(id);
  hear(at(id, "starting"));
  try {
    await call("models_pull", { id });
  } catch (error) {
    hear(at(id, "failed", asProblem(error).detail));
    await refresh();
  }
}

/** Stops a download; what is here stays for the next one. */
export async function stopPull(id: string): Promise<void> {
  stopped.add(id);
  await call("models_cancel", { id });
  usePulls.setState(({ [id]: _, ...others }) => others, true);
  await refresh();
}
