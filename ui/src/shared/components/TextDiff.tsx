// Two versions of a text in one: what went is struck through, what came is marked.

import { presentableDiff } from "@codemirror/merge";
import clsx from "clsx";
import { type ReactNode, useMemo } from "react";

interface TextDiffProps {
  before: string;
  after: string;
  mono?: boolean;
  /** Lines that are shown of what stays, around each change; all of them where it is not given. */
  context?: number;
}

export function TextDiff({ before, after, mono, context }: TextDiffProps) {
  const parts = useMemo(() => {
    const parts: ReactNode[] = [];
    let at = 0;
    for (const { fromA, toA, fromB, toB } of presentableDiff(before, after, { scanLimit: 500, timeout: 100 })) {
      parts.push(near(after.slice(at, fromB), context, at > 0, true));
      if (toA > fromA)
        parts.push(
          <del key={`a${fromA}`} className="bg-bad-soft text-bad">
            {before.slice(fromA, toA)}
          </del>,
        );
      if (toB > fromB)
        parts.push(
          <ins key={`b${fromB}`} className="bg-good-soft text-good no-underline">
            {after.slice(fromB, toB)}
          </ins>,
        );
      at = toB;
    }
    return [...parts, near(after.slice(at), context, parts.length > 0, false)];
  }, [before, after, context]);
  return (
    <p className={clsx("selectable break-words whitespace-pre-wrap", mono && "font-mono text-[12.5px] leading-5")}>
      {parts}
    </p>
  );
}

/** Of what stays: the lines after the change before it, and those before the change after it. */
function near(text: string, context: number | undefined, follows: boolean, leads: boolean): string {
  if (context === undefined) return text;
  const lines = text.split("\n");
  const head = follows ? context + 1 : 0;
  const tail = leads ? context + 1 : 0;
  if (lines.length <= head + tail + 1) return text;
  const kept = [...lines.slice(0, head), "⋯", ...lines.slice(lines.length - tail)];
  return kept.join("\n");
}
