// What jsdom lacks and components ask for, and the language that tests read.

import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { startLanguage } from "@/shared/i18n";

startLanguage("en");
// A busy machine may draw late; a test that waits says what for.
configure({ asyncUtilTimeout: 15_000, getElementError: (message) => new Error(message ?? "") });

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
globalThis.PointerEvent ??= MouseEvent as unknown as typeof PointerEvent;
// Newer browsers answer a scroll with a promise.
const scrolled = (() => Promise.resolve()) as unknown as () => void;
Element.prototype.scrollTo ??= scrolled;
Element.prototype.scrollIntoView ??= scrolled;
// The editor measures text; nothing is laid out here.
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Element.prototype.getAnimations ??= () => [];

afterEach(() => {
  cleanup();
  localStorage.clear();
  window.location.hash = "";
});
