// A yes or no of this page, kept in this window's local storage.

import { useState } from "react";

export function useChoice(name: string): [on: boolean, set: (on: boolean) => void] {
  const key = `hearth.persona.${name}`;
  const [on, setOn] = useState(() => localStorage.getItem(key) === "on");
  const set = (next: boolean) => {
    localStorage.setItem(key, next ? "on" : "off");
    setOn(next);
  };
  return [on, set];
}
