// The beginning of a very long text; the rest comes when it is asked for.

import { useState } from "react";

interface Fold {
  shown: string;
  /** Characters that are not shown. */
  hidden: number;
  more: () => void;
}

/** `open`: a text that grows before one's eyes is never folded. */
export function useFold(text: string, most: number, open = false): Fold {
  const [limit, setLimit] = useState(open ? Number.POSITIVE_INFINITY : most);
  if (text.length <= limit * 1.25) return { shown: text, hidden: 0, more: () => undefined };
  const line = text.lastIndexOf("\n", limit);
  const end = line > limit / 2 ? line : beforePair(text, limit);
  return { shown: text.slice(0, end), hidden: text.length - end, more: () => setLimit(limit * 5) };
}

/** Not between the halves of a character. */
function beforePair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
