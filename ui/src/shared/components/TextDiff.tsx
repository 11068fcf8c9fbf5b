// Two versions of a short text in one: what went is struck through, what came is marked.

import { presentableDiff } from "@codemirror/merge";
import clsx from "clsx";
import { type ReactNode, useMemo } from "react";

interface TextDiffProps {
  before: string;
  after: string;
  mono?: boolean;
}

export function TextDiff({ before, after, mono }: TextDiffProps) {
  const parts = useMemo(() => {
    const parts: ReactNode[] = [];
    let at = 0;
    for (const { fromA, toA, fromB, toB } of presentableDiff(before, after, { scanLimit: 500, timeout: 100 })) {
      parts.push(after.slice(at, fromB));
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
    return [...parts, after.slice(at)];
  }, [before, after]);
  return (
    <p className={clsx("selectable break-words whitespace-pre-wrap", mono && "font-mono text-[12.5px] leading-5")}>
      {parts}
    </p>
  );
}
