// The text of an open file once the person pauses: a key press draws nothing but the editor.

import { useEffect, useState } from "react";
import { useDocuments } from "./documents";

const rest = 200;

export function useRestedText(path: string): string {
  const now = () => useDocuments.getState()[path]?.text ?? "";
  const [text, setText] = useState(now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `now` reads the store
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    setText(now());
    const stop = useDocuments.subscribe((all, before) => {
      if (all[path]?.text === before[path]?.text) return;
      clearTimeout(timer);
      timer = setTimeout(() => setText(now()), rest);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [path]);
  return text;
}
