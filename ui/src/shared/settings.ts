// The settings as the engine holds them, and setting one.

import { useQuery } from "@tanstack/react-query";
import { call } from "@/bridge";
import { sayProblem } from "./components/Toasts";
import { keys, queries } from "./queries";

export function useSettings() {
  return useQuery({ queryKey: keys.settings, queryFn: () => call("settings_get") });
}

/** Sets one key of `hearth.toml`. Answers whether it was taken; if not, the person is told why. */
export async function setSetting(key: string, value: string | number | boolean | string[]): Promise<boolean> {
  try {
    queries.setQueryData(keys.settings, await call("settings_set", { request: { key, value } }));
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}
