// One conversation as it is shown: stored turns, the streams on top of them, messages on their way.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Transcript } from "@/bindings/Transcript";
import { call } from "@/bridge";
import { keys } from "../queries";
import { type Answer, type Pending, useConversations } from "./store";
import { turnOf } from "./transcript";
import type { Turn } from "./turn";

export interface Conversation {
  turns: readonly Turn[];
  /** Messages that no turn shows yet. */
  pending: readonly Pending[];
  answer: Answer | null;
  running: boolean;
}

export function useTranscript(session: string) {
  return useQuery({ queryKey: keys.transcript(session), queryFn: () => call("sessions_open", { session }) });
}

export function useConversation(session: string) {
  const transcript = useTranscript(session);
  const { live, pending, answers } = useConversations();
  const data = transcript.data;
  const conversation = useMemo(
    () => joined(session, data, live, pending, answers),
    [session, data, live, pending, answers],
  );
  return { ...conversation, isPending: transcript.isPending, error: transcript.error, refetch: transcript.refetch };
}

/** Pure: what is stored and what streams, as one list. */
export function joined(
  session: string,
  transcript: Transcript | undefined,
  live: Readonly<Record<string, Turn>>,
  pending: readonly Pending[],
  answers: readonly Answer[],
): Conversation {
  const stored = (transcript?.turns ?? []).map((view) => {
    const turn = turnOf(view, session);
    const streamed = view.turn === null ? undefined : live[view.turn];
    return streamed ? laidOver(turn, streamed) : turn;
  });
  const ids = new Set(stored.map(({ id }) => id));
  const fresh = Object.values(live).filter((turn) => turn.session === session && !ids.has(turn.id));
  const turns = [...stored, ...fresh];
  const shown = new Set(turns.flatMap(({ id, user }) => (user && id ? [id] : [])));
  return {
    turns,
    pending: pending.filter(
      (message) => message.session === session && (message.state === "steering" || !shown.has(message.turn ?? "")),
    ),
    answer: answers.find((given) => given.session === session) ?? null,
    running: turns.some(({ running }) => running),
  };
}

const overlaid = new WeakMap<Turn, { stored: Turn; turn: Turn }>();

/** The stream of a turn knows its blocks best, if it was followed from the start; the store knows the message's id and the files. */
function laidOver(stored: Turn, streamed: Turn): Turn {
  if (streamed.whole) {
    const before = overlaid.get(streamed);
    const same = before?.stored.user?.id === stored.user?.id && before?.stored.files === stored.files;
    if (before && same) return before.turn;
    const turn = { ...streamed, user: stored.user ?? streamed.user, files: stored.files };
    overlaid.set(streamed, { stored, turn });
    return turn;
  }
  if (!stored.running) return stored;
  const later = streamed.blocks.map((block) => ({ ...block, id: `live-${block.id}` }));
  return { ...stored, blocks: [...stored.blocks, ...later], running: streamed.running };
}
