// The end of the conversation stays in view while it grows, until the person scrolls up. Long conversations show their last
// turns first; earlier ones join when their place comes into view, without moving what is being read.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const page = 12;
const near = 48;

/** How long after a reply's end its last changes (colours, formulas, the foot) are still followed. */
const settling = 800;

export function useFollowing(count: number, running: boolean) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const growing = useRef(true);
  const heightBefore = useRef<number | null>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [shown, setShown] = useState(page);
  const hidden = Math.max(0, count - shown);

  // A card that the person unfolds grows the content too, and must not move under the pointer.
  useEffect(() => {
    growing.current = true;
    if (running) return;
    const timer = setTimeout(() => {
      growing.current = false;
    }, settling);
    return () => clearTimeout(timer);
  }, [running]);

  useEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (!box || !inner) return;
    const toBottom = () => {
      if (following.current) box.scrollTop = box.scrollHeight;
    };
    // The box itself changes with the window and with the field below it.
    const resized = (changes: readonly ResizeObserverEntry[]) => {
      if (growing.current || changes.some(({ target }) => target === box)) toBottom();
    };
    let top = box.scrollTop;
    const scrolled = () => {
      const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
      // Growth alone never stops the following: only a movement up does.
      if (rest <= near) following.current = true;
      else if (box.scrollTop < top) following.current = false;
      top = box.scrollTop;
      setAtEnd(following.current || rest <= near);
      if (top < 600) {
        heightBefore.current = box.scrollHeight;
        setShown((before) => (before < count ? before + page : before));
      }
    };
    toBottom();
    const observer = new ResizeObserver(resized);
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [count]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: earlier turns were put in above
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || heightBefore.current === null) return;
    if (!following.current) box.scrollTop += box.scrollHeight - heightBefore.current;
    heightBefore.current = null;
  }, [shown]);

  const toEnd = () => {
    following.current = true;
    setAtEnd(true);
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  };
  /** Draws an earlier turn and lets the end go. */
  const reveal = useCallback(
    (index: number) => {
      following.current = false;
      setAtEnd(false);
      setShown((before) => Math.max(before, count - index));
    },
    [count],
  );
  return { scroller, content, hidden, atEnd, toEnd, reveal };
}
