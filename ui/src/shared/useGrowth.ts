// A text field that is as high as its text.

import { type RefObject, useLayoutEffect, useRef } from "react";

/** New engines do it alone (`field-sizing` of the class `field`); then a key press measures nothing. */
const native = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

export function useGrowth(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  const before = useRef(0);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || native) return;
    // A key that starts no new line changes no height, and then nothing is laid out twice.
    const shorter = text.length < before.current;
    before.current = text.length;
    if (shorter) element.style.height = "auto";
    if (shorter || element.scrollHeight > element.clientHeight) element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}
