// How a new version of the app stands, looked at again while something of it goes on.

import { useQuery } from "@tanstack/react-query";
import type { UpdateStep } from "@/bindings/UpdateStep";
import { call } from "@/bridge";
import { keys, queries } from "@/shared/queries";

const going: readonly UpdateStep["step"][] = ["checking", "downloading", "installing"];

export const useUpdates = () =>
  useQuery({
    queryKey: keys.updates,
    queryFn: () => call("updates_view"),
    refetchInterval: ({ state }) => (state.data && going.includes(state.data.step.step) ? 400 : false),
  });

/** Takes a step; meanwhile the page sees how far it is. */
export async function takeStep(command: "updates_check" | "updates_download" | "updates_install"): Promise<void> {
  const done = call(command);
  await queries.invalidateQueries({ queryKey: keys.updates });
  queries.setQueryData(keys.updates, await done);
}
