// The tour of the window: whether it is offered or goes on, and that it was seen once.

import { create } from "zustand";

interface Tour {
  /** `offered`: after the first start; a number: its step, from 0. */
  at: "off" | "offered" | number;
}

export const useTour = create<Tour>(() => ({ at: "off" }));

const key = "hearth.tour";
const seen = (): boolean => localStorage.getItem(key) === "seen";

export const showTourAt = (at: number): void => useTour.setState({ at });

/** Offers it to somebody who has not seen it. */
export function offerTour(): void {
  if (!seen()) useTour.setState({ at: "offered" });
}

/** It is over, or is not wanted; it is not offered again. */
export function endTour(): void {
  localStorage.setItem(key, "seen");
  useTour.setState({ at: "off" });
}
