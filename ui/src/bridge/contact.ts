// Whether anybody answers behind the window. Where a call stays without an answer, or fails on its way, the shell is asked
// something small; if that stays unanswered too, the window knows that it is alone, says so, and asks until it is not.
//
// Invariants: while nobody answers, every call fails at once with a clear error, also those on their way; once somebody
// answers, `again` runs before anything else.

import i18next from "i18next";
import type { WireError } from "@/bindings/WireError";

type Contact = "here" | "lost";

/** How long an answer may take before somebody asks whether anybody is there. Work may take longer; that is no loss. */
const patience = 10_000;
/** How long the answer to that may take. */
const probing = 5_000;
/** Between two tries. */
const rest = 2_000;

interface Behind {
  /** Something small that is always answered. */
  probe: () => Promise<unknown>;
  /** Takes the thread up again. */
  again: () => Promise<void>;
}

let behind: Behind | undefined;
let state: Contact = "here";
let asking = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let giveUp = new AbortController();
const listeners = new Set<() => void>();

export const contact = (): Contact => state;

/** Told whenever it changes; returns how to stop. */
export function onContact(changed: () => void): () => void {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
}

function become(next: Contact): void {
  if (state === next) return;
  state = next;
  if (next === "lost") giveUp.abort();
  else giveUp = new AbortController();
  for (const changed of [...listeners]) changed();
}

/** Begins anew with another shell. */
export function begin(shell: Behind): void {
  clearTimeout(timer);
  behind = shell;
  asking = false;
  become("here");
}

const nobody = (): WireError => ({ code: "internal", message: i18next.t("lost.call"), hint: i18next.t("lost.hint") });

/** A call's answer, as long as somebody can give it. `transport`: whether an error is none of the engine's. */
export async function answered<Answer>(
  made: () => Promise<Answer>,
  transport: (error: unknown) => boolean,
): Promise<Answer> {
  if (state === "lost") throw nobody();
  const { signal } = giveUp;
  const doubting = setTimeout(doubt, patience);
  let lose: () => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    lose = () => reject(nobody());
    signal.addEventListener("abort", lose);
  });
  try {
    return await Promise.race([made(), lost]);
  } catch (error) {
    if (!signal.aborted && transport(error)) void doubt();
    throw error;
  } finally {
    clearTimeout(doubting);
    signal.removeEventListener("abort", lose);
  }
}

/** Whether the small question is answered in time. */
async function isThere({ probe }: Behind): Promise<boolean> {
  let late: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<boolean>((done) => {
    late = setTimeout(() => done(false), probing);
  });
  const answer = probe().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, silence]).finally(() => clearTimeout(late));
}

/** Asks whether anybody is there. */
export async function doubt(): Promise<void> {
  const shell = behind;
  if (!shell || asking) return;
  asking = true;
  clearTimeout(timer);
  const there = (await isThere(shell)) && (state === "here" || (await takenUp(shell)));
  // Another shell came meanwhile.
  if (shell !== behind) return;
  asking = false;
  become(there ? "here" : "lost");
  if (!there) timer = setTimeout(() => void doubt(), rest);
}

const takenUp = ({ again }: Behind): Promise<boolean> =>
  again().then(
    () => true,
    () => false,
  );
