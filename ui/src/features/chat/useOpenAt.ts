// Opens a conversation at the turn that holds a message, where the path names one: `/chat/SESSION/MESSAGE`.

import { type RefObject, useEffect, useRef } from "react";
import type { Turn } from "@/shared/conversation/turn";
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

/** Brings the turn into view once, and answers which one it is. */
export function useOpenAt({ session, place, turns, hidden, scroller, reveal }: OpenAt): string | null {
  const stored = useTranscript(session).data;
  const opened = useRef<string>(undefined);
  const holds = place && stored?.turns.find(({ turn, messages }) => turn === place || messages.some(isAt(place)));
  const id = holds ? holds.turn : null;
  useEffect(() => {
    if (id === null || opened.current === place) return;
    const index = turns.findIndex((turn) => turn.id === id);
    if (index < 0) return;
    reveal(index);
    if (index < hidden) return;
    const row = [...(scroller.current?.querySelectorAll("article") ?? [])][index - hidden];
    if (!row) return;
    opened.current = place;
    row.scrollIntoView({ block: "start" });
  }, [id, place, turns, hidden, scroller, reveal]);
  return id;
}

const isAt =
  (place: string) =>
  ({ id }: { id: string }) =>
    id === place;
