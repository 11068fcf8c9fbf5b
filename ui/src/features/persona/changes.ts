// The smallest edits that lead from one text to another, so that cursors and undo survive a replacement.

import { diff } from "@codemirror/merge";
import type { ChangeSpec } from "@codemirror/state";

export function changesBetween(from: string, to: string): readonly (ChangeSpec & { from: number; to: number })[] {
  return diff(from, to, { scanLimit: 500, timeout: 200 }).map((change) => ({
    from: change.fromA,
    to: change.toA,
    insert: to.slice(change.fromB, change.toB),
  }));
}
