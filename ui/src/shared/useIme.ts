// The input-method reducer on a text field: spread `handlers` on it and act on intents.

import { type SyntheticEvent, useRef } from "react";
import { type ImeEvent, type Intent, ime, type Place, restingIme } from "./ime";

/** `act` is told each intent and answers whether it took the key; a taken key does nothing else. */
export function useIme(place: Place, act: (intent: Intent) => boolean) {
  const state = useRef(restingIme);
  const hear = (event: SyntheticEvent) => {
    const native = event.nativeEvent as unknown as ImeEvent;
    const [next, intent] = ime(state.current, native, place);
    state.current = next;
    if (intent !== "none" && intent !== "newline") {
      if (act(intent)) event.preventDefault();
    } else if (native.type === "keydown" && native.key === "Enter" && native.repeat && next.held)
      event.preventDefault();
  };
  return { onKeyDown: hear, onKeyUp: hear, onCompositionStart: hear, onCompositionEnd: hear, onBlur: hear };
}
