// One turn: what was asked, what was done and answered, how it ended.

import clsx from "clsx";
import { Fragment, memo } from "react";
import { useTranslation } from "react-i18next";
import { BatchBar, together } from "@/shared/approvals/BatchBar";
import { useReading } from "@/shared/conversation/reading";
import type { Block, Turn } from "@/shared/conversation/turn";
import { dateTime, percent } from "@/shared/format";
import { BlockView } from "./BlockView";
import type { Look } from "./look";
import { TurnFoot } from "./TurnFoot";
import { UserMessageRow } from "./UserMessageRow";

interface TurnRowProps {
  turn: Turn;
  last: boolean;
  /** The path leads here. */
  here: boolean;
  onLook: (look: Look) => void;
}

export const TurnRow = memo(function TurnRow({ turn, last, here, onLook }: TurnRowProps) {
  const end = turn.blocks.at(-1);
  const writing = end?.kind === "text" || end?.kind === "reasoning";
  const busy = end !== undefined && (waits(end) || turn.blocks.some(isAsked));
  return (
    <article
      className={clsx(
        "relative flex flex-col gap-5",
        here && "before:absolute before:inset-y-0 before:-left-4 before:w-[3px] before:rounded-full before:bg-ember",
      )}
    >
      {turn.loose && !turn.user && (
        <time dateTime={new Date(turn.loose.at * 1000).toISOString()} className="-mb-3 text-xs text-faint tabular-nums">
          {dateTime(turn.loose.at)}
        </time>
      )}
      {turn.user && <UserMessageRow turn={turn} user={turn.user} />}
      <div className="flex flex-col gap-3" aria-busy={turn.running} aria-live={last ? "polite" : undefined}>
        {turn.blocks.map((block) => {
          const count = isAsked(block) ? together(turn.blocks, block, openBatch) : 0;
          return (
            <Fragment key={block.id}>
              {count > 0 && (
                // In view also where the cards under it are higher than the window.
                <div className="sticky top-2 z-10 rounded-lg shadow-md">
                  <BatchBar id={block.id} count={count} />
                </div>
              )}
              <BlockView block={block} turn={turn} growing={turn.running && block === end} onLook={onLook} />
            </Fragment>
          );
        })}
        {turn.running && !writing && !busy && end?.kind !== "provider" && <Thinking turn={turn.id} />}
        {!turn.running && <TurnFoot turn={turn} last={last} onLook={onLook} />}
      </div>
    </article>
  );
});

const isAsked = (block: Block) => block.kind === "approval" && block.verdict === "asked";

const openBatch = (block: Block) => (block.kind === "approval" && block.verdict === "asked" ? block.batch : null);

/** A card at the end that shows by itself that the turn goes on. */
function waits(block: Block): boolean {
  if (block.kind === "tool") return !block.ended;
  if (isAsked(block)) return true;
  if (block.kind === "question") return block.open;
  return block.kind === "subagent" && block.state === "started";
}

/** Dots, and how far the built-in model is with the prompt: that can take it a minute. */
function Thinking({ turn }: { turn: string | null }) {
  const { t } = useTranslation("chat");
  const read = useReading(turn);
  return (
    <div role="status" aria-label={read === null ? t("thinking") : undefined} className="flex h-6 items-center gap-1.5">
      {[0, 160, 320].map((delay) => (
        <span key={delay} className="dot size-1.5 rounded-full bg-ember" style={{ animationDelay: `${delay}ms` }} />
      ))}
      {read !== null && (
        <span className="pl-1.5 text-sm text-muted tabular-nums">{t("reading", { share: percent(read) })}</span>
      )}
    </div>
  );
}
