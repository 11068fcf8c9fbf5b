// The window's only way out: commands, signals, dropped files. Which shell stands behind it is decided once, in `connect`.
//
// Invariants: signals arrive in the shell's order; a hole in their numbers is told to every listener, who then reads
// the truth again. Nothing outside this folder knows Tauri.

import type { Signal } from "@/bindings/Signal";
import type { WireError } from "@/bindings/WireError";
import type { Args, CommandName, Numbered, Result, Shell } from "./commands";
import { answered, begin, doubt } from "./contact";

export type { Args, CommandName, Result, Shell } from "./commands";
export { contact, doubt as tryAgain, onContact } from "./contact";

/** `null` stands for a hole: something was missed. */
type Listener = (signal: Signal | null) => void;

let shell: Shell | undefined;
let lastSeq = 0;
let unhear = () => {};
const listeners = new Set<Listener>();

function hear({ seq, signal }: Numbered) {
  const missed = lastSeq !== 0 && seq !== lastSeq + 1;
  lastSeq = seq;
  if (missed) tell(null);
  tell(signal);
}

function tell(signal: Signal | null) {
  for (const listener of [...listeners]) listener(signal);
}

/** Listens to a shell; an earlier channel that is still open is not heard any more. */
async function listen(to: Shell): Promise<void> {
  lastSeq = 0;
  let mine = true;
  unhear();
  unhear = () => {
    mine = false;
  };
  await to.subscribe((message) => mine && hear(message));
}

/** Connects the window to a shell. Later calls replace it (tests do). Where nobody answers, the window waits for it. */
export async function connect(to: Shell): Promise<void> {
  shell = to;
  const probe = async () => {
    try {
      await to.call("settings_get", {});
    } catch (error) {
      // Whatever the engine says, it is there.
      if (!isWireError(error)) throw error;
    }
  };
  const again = async () => {
    await listen(to);
    // What was missed meanwhile is not known.
    queueMicrotask(() => tell(null));
  };
  begin({ probe, again });
  try {
    await answered(() => listen(to), isTransport);
  } catch {
    await doubt();
  }
}

const isTransport = (error: unknown) => !isWireError(error);

function connected(): Shell {
  if (!shell) throw new Error("The window is not connected to Hearth");
  return shell;
}

/** Calls a command. Rejects with a {@link WireError}. */
export async function call<C extends CommandName>(
  command: C,
  ...args: Args<C> extends Record<string, never> ? [] : [Args<C>]
): Promise<Result<C>> {
  try {
    return await answered(() => connected().call(command, (args[0] ?? {}) as Args<C>), isTransport);
  } catch (error) {
    throw asWireError(error);
  }
}

/** Listens to signals; returns how to stop. */
export function onSignal(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export const onDrop: Shell["onDrop"] = (hearDrop) => connected().onDrop(hearDrop);
export const openUrl: Shell["openUrl"] = (url) => connected().openUrl(url);
export const pickFiles: Shell["pickFiles"] = (options) => connected().pickFiles(options);
export const pickPlace: Shell["pickPlace"] = (name) => connected().pickPlace(name);

/** Whatever was thrown, as the error that the interface knows how to show. */
export function asWireError(error: unknown): WireError {
  if (isWireError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "" };
}

function isWireError(error: unknown): error is WireError {
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

export type { WireError };
