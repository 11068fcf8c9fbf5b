// Keys and input methods. The Enter, Escape, Tab or arrow that belongs to a composition must do nothing else, and engines
// mark it in different ways: `isComposing`, key code 229 (WebKit ends the composition before the key), key `Process`.
//
// Pure: events in, state and intent out. Where the key happens decides what it means there.

export type Place = "chat" | "quick" | "menu" | "rename";
export type Intent = "none" | "send" | "newline" | "close" | "choose" | "continue" | "next" | "previous";

export interface ImeState {
  composing: boolean;
  /** Enter is down and has sent: its repeats do nothing. */
  held: boolean;
}

export const restingIme: ImeState = { composing: false, held: false };

/** What the reducer reads of a DOM event. */
export interface ImeEvent {
  type: string;
  key?: string;
  keyCode?: number;
  isComposing?: boolean;
  repeat?: boolean;
  shiftKey?: boolean;
  ctrlKey?: boolean;
  metaKey?: boolean;
  altKey?: boolean;
}

export function ime(state: ImeState, event: ImeEvent, place: Place): [ImeState, Intent] {
  switch (event.type) {
    case "compositionstart":
      return [{ ...state, composing: true }, "none"];
    case "compositionend":
    case "blur":
      return [{ ...state, composing: false }, "none"];
    case "keyup":
      return [event.key === "Enter" ? { ...state, held: false } : state, "none"];
    case "keydown":
      return keydown(state, event, place);
    default:
      return [state, "none"];
  }
}

function keydown(state: ImeState, event: ImeEvent, place: Place): [ImeState, Intent] {
  const composed = state.composing || event.isComposing || event.keyCode === 229 || event.key === "Process";
  if (composed) return [state, "none"];
  const intent = intentOf(event, place);
  if (event.key !== "Enter" || intent === "newline") return [state, intent];
  if (event.repeat || state.held) return [state, "none"];
  return [{ ...state, held: true }, intent];
}

function intentOf(event: ImeEvent, place: Place): Intent {
  const mod = Boolean(event.ctrlKey || event.metaKey);
  if (event.key === "Escape") return "close";
  if (place === "menu" && event.key === "ArrowDown") return "next";
  if (place === "menu" && event.key === "ArrowUp") return "previous";
  if (place === "menu" && event.key === "Tab" && !event.shiftKey) return "choose";
  if (event.key !== "Enter" || event.altKey) return "none";
  if (place === "quick" && mod) return "continue";
  if (place !== "rename" && event.shiftKey) return "newline";
  return place === "menu" || place === "rename" ? "choose" : "send";
}
