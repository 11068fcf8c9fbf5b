// A text field that is as high as its text.

import { type RefObject, useLayoutEffect } from "react";

/** New engines do it alone (`field-sizing` of the class `field`); then a key press measures nothing. */
const native = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

export function useGrowth(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || native) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}
