// Markdown on the screen. Each block is drawn once and again only when its own source changes.

import clsx from "clsx";
import type { Token } from "marked";
import { memo, useRef } from "react";
import { More } from "../components/More";
import { useFold } from "../useFold";
import { BlockContent } from "./BlockContent";
import { blocksOf, type Parsed, parse } from "./blocks";

/** Characters; a longer text is folded. */
const most = 40_000;

interface MarkdownProps {
  text: string;
  /** More is to come. */
  growing?: boolean;
  className?: string;
}

export function Markdown({ text, growing = false, className }: MarkdownProps) {
  const { shown, hidden, more } = useFold(text, most, growing);
  const parsed = useParsed(shown);
  return (
    <div className={clsx("prose selectable", className)}>
      {blocksOf(parsed, growing || hidden > 0).map(({ key, token }) => (
        <MemoBlock key={key} token={token} />
      ))}
      <More hidden={hidden} onMore={more} />
    </div>
  );
}

const MemoBlock = memo(
  ({ token }: { token: Token }) => <BlockContent token={token} />,
  (before, after) => before.token.type === after.token.type && before.token.raw === after.token.raw,
);

/** The parse of the last drawing is where the next one starts. */
function useParsed(text: string): Parsed {
  "use no memo";
  const last = useRef<Parsed>(undefined);
  last.current = parse(text, last.current);
  return last.current;
}
