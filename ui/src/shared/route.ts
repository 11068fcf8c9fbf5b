// Where the window is: a path after `#`, such as `/chat/assistant:main`. Kept in the address, so reloading and going back work.

import { useSyncExternalStore } from "react";

/** The parts of the path, decoded. */
export function partsOf(path: string): string[] {
  return path.split("/").filter(Boolean).map(decode);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A path from parts. */
export function pathOf(...parts: string[]): string {
  return `/${parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/")}`;
}

const current = () => window.location.hash.slice(1) || "/";

// One listener for all: the browser runs microtasks, and so React's rendering, between the listeners of an event. With
// one each, a page would be drawn with the path of the page that is about to replace it.
const listeners = new Set<() => void>();
window.addEventListener("hashchange", () => {
  for (const changed of [...listeners]) changed();
});

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
}

/** The path now, and again whenever it changes. */
function usePath(): string {
  return useSyncExternalStore(subscribe, current);
}

export function useParts(): string[] {
  return partsOf(usePath());
}

/** Goes to a path. `replace` leaves no step to go back to. */
export function go(path: string, { replace = false } = {}): void {
  if (replace) window.location.replace(`#${path}`);
  else window.location.hash = path;
}
