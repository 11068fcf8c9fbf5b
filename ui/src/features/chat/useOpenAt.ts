// Opens a conversation at the turn that holds a message, where the path names one: `/chat/SESSION/MESSAGE`.

import { type RefObject, useEffect, useRef } from "react";
import { keyOf, type Turn } from "@/shared/conversation/turn";
import { useTranscript } from "@/shared/conversation/useConversation";

interface OpenAt {
  session: string;
  /** The message, or the turn itself. */
  place: string | undefined;
  turns: readonly Turn[];
  /** Turns that are not drawn yet. */
  hidden: number;
  scroller: RefObject<HTMLElement | null>;
  /** Draws the turn, and stays there. */
  reveal: (index: number) => void;
}

/** How long what is drawn late above or in the turn still moves it back into view. */
const settling = 1500;

/** Brings the turn into view once, and answers which one it is. */
export function useOpenAt({ session, place, turns, hidden, scroller, reveal }: OpenAt): string | null {
  const stored = useTranscript(session).data;
  const opened = useRef<string>(undefined);
  const holds = place && stored?.turns.find(({ turn, messages }) => turn === place || messages.some(isAt(place)));
  const id = holds ? (holds.turn ?? holds.messages[0]?.id ?? null) : null;
  useEffect(() => {
    if (id === null || opened.current === place) return;
    const index = turns.findIndex((turn) => keyOf(turn) === id);
    if (index < 0) return;
    reveal(index);
    if (index < hidden) return;
    const box = scroller.current;
    const row = [...(box?.querySelectorAll("article") ?? [])][index - hidden];
    if (!box || !row) return;
    opened.current = place;
    keepInView(box, row);
  }, [id, place, turns, hidden, scroller, reveal]);
  return id;
}

/** Brings a row to the top, and again as long as rows settle, until the person moves. */
function keepInView(box: HTMLElement, row: HTMLElement): void {
  row.scrollIntoView({ block: "start" });
  const observer = new ResizeObserver(() => {
    if (row.isConnected && !seen(box, row)) row.scrollIntoView({ block: "start" });
  });
  if (row.parentElement) for (const one of row.parentElement.children) observer.observe(one);
  const over = () => {
    observer.disconnect();
    for (const kind of moves) box.removeEventListener(kind, over);
  };
  for (const kind of moves) box.addEventListener(kind, over, { passive: true });
  setTimeout(over, settling);
}

const moves = ["wheel", "pointerdown", "keydown"] as const;

/** Whether the row begins in view. */
function seen(box: HTMLElement, row: HTMLElement): boolean {
  const [frame, { top }] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  return top >= frame.top - 1 && top < frame.bottom - 24;
}

const isAt =
  (place: string) =>
  ({ id }: { id: string }) =>
    id === place;
