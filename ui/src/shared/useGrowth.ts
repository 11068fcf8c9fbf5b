// A text field that is as high as its text.
//
// Its height is a number of pixels, set here, and the class `field` contains it: then a key lays out and paints the field
// alone. (With `field-sizing`, or a height that follows by itself, WebKit lays out and paints everything around it, too.)

import { type RefObject, useLayoutEffect, useRef } from "react";

export function useGrowth(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  const before = useRef(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    // A key that starts no new line changes no height, and then nothing is laid out twice.
    const shorter = text.length < before.current;
    before.current = text.length;
    if (shorter) resize(element);
    else if (element.scrollHeight > element.clientHeight) setHeight(element, element.scrollHeight);
  }, [field, text]);
  // Where it gets narrower, its lines break elsewhere.
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      resize(element);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [field]);
}

/** Sets the height of what is in the field; `min-height` and `max-height` hold all the same. */
const setHeight = (element: HTMLTextAreaElement, inner: number): void => {
  element.style.height = `${inner + element.offsetHeight - element.clientHeight}px`;
};

/** Finds the height on a copy beside it: a field that shrank and grew again would move what is scrolled above it. */
function resize(element: HTMLTextAreaElement): void {
  const copy = element.cloneNode() as HTMLTextAreaElement;
  copy.value = element.value;
  copy.style.cssText = `position: absolute; visibility: hidden; overflow: hidden; min-height: 0; height: 0; width: ${element.offsetWidth}px`;
  element.after(copy);
  const inner = copy.scrollHeight;
  copy.remove();
  setHeight(element, inner);
}
