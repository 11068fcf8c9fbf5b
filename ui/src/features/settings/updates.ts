// How a new version of the app stands, looked at again while something of it goes on.

import { useQuery } from "@tanstack/react-query";
import type { UpdateStep } from "@/bindings/UpdateStep";
import type { UpdateView } from "@/bindings/UpdateView";
import { call } from "@/bridge";
import { keys, queries } from "@/shared/queries";

const going: readonly UpdateStep["step"][] = ["checking", "downloading", "installing"];

export const useUpdates = () =>
  useQuery({
    queryKey: keys.updates,
    queryFn: () => call("updates_view"),
    refetchInterval: ({ state }) => (state.data && going.includes(state.data.step.step) ? 400 : false),
  });

type Command = "updates_check" | "updates_download" | "updates_install";

/** Takes a step. The page shows it from the click on: asked at once, the shell may still tell how it stood before. */
export async function takeStep(command: Command): Promise<void> {
  await queries.cancelQueries({ queryKey: keys.updates });
  queries.setQueryData<UpdateView>(
    keys.updates,
    (view) => view && { ...view, step: begun(command, view.step), problem: null },
  );
  try {
    queries.setQueryData(keys.updates, await call(command));
  } catch (error) {
    await queries.invalidateQueries({ queryKey: keys.updates });
    throw error;
  }
}

function begun(command: Command, from: UpdateStep): UpdateStep {
  const version = "version" in from ? from.version : "";
  switch (command) {
    case "updates_check":
      return { step: "checking" };
    case "updates_download":
      return { step: "downloading", version, done_bytes: 0, total_bytes: null };
    case "updates_install":
      return { step: "installing", version };
  }
}
