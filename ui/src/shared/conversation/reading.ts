// How far the built-in model has read the prompt of each running turn. Shown while it lasts; nothing of it is stored.

import { create } from "zustand";
import { onSignal } from "@/bridge";

const useReadings = create<Readonly<Record<string, number>>>(() => ({}));

onSignal((signal) => {
  if (signal?.type === "reading") {
    const { turn, done, total } = signal.data;
    useReadings.setState({ [turn]: total > 0 ? done / total : 1 });
  } else if (signal?.type === "turn" && signal.data.turn in useReadings.getState()) {
    // Whatever the turn says next, the reading is over.
    useReadings.setState(({ [signal.data.turn]: _, ...others }) => others, true);
  }
});

/** The share that is read, 0 to 1; null when the turn does not read. */
export function useReading(turn: string | null | undefined): number | null {
  const share = useReadings((readings) => (turn ? readings[turn] : undefined));
  return share === undefined || share >= 1 ? null : share;
}
