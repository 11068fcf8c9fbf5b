// What jsdom lacks and components ask for, and the language that tests read.

import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";
import { startLanguage } from "@/shared/i18n";

startLanguage("en");

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
globalThis.PointerEvent ??= MouseEvent as unknown as typeof PointerEvent;
Element.prototype.scrollTo ??= () => undefined;
Element.prototype.getAnimations ??= () => [];

afterEach(() => {
  cleanup();
  localStorage.clear();
  window.location.hash = "";
});
