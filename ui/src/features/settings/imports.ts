// An import under way and its outcome. It goes on whatever page is shown, and its outcome waits there.

import { create } from "zustand";
import type { ImportItem } from "@/bindings/ImportItem";
import type { ImportProgress } from "@/bindings/ImportProgress";
import type { ImportReport } from "@/bindings/ImportReport";
import type { ImportSource } from "@/bindings/ImportSource";
import { call, onSignal } from "@/bridge";

interface Import {
  source: ImportSource;
  path: string;
  /** Only looking. */
  dry: boolean;
  running: boolean;
  progress: ImportProgress | null;
  report: ImportReport | null;
  error: unknown;
}

export const useImport = create<{ now: Import | null }>(() => ({ now: null }));

const change = (part: Partial<Import>) => useImport.setState(({ now }) => ({ now: now && { ...now, ...part } }));

onSignal((signal) => {
  if (signal?.type === "import" && useImport.getState().now?.running) change({ progress: signal.data });
});

/** Looks at a source, or imports it. */
export async function runImport(source: ImportSource, path: string, dry: boolean): Promise<void> {
  const now: Import = { source, path, dry, running: true, progress: null, report: null, error: null };
  useImport.setState({ now });
  try {
    change({ report: await call("imports_run", { request: { source, path, dry_run: dry } }) });
  } catch (error) {
    change({ error });
  } finally {
    change({ running: false });
  }
}

export const endImport = () => useImport.setState({ now: null });

const order: readonly ImportItem["state"][] = ["failed", "skipped", "added", "already_there"];

/** What needs a look first. */
export function inOrder(items: readonly ImportItem[]): ImportItem[] {
  return items.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}
