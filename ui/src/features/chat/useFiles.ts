// The files that will go with the next message: picked, dropped on the window, or pasted.

import { type ClipboardEvent, useEffect, useRef, useState } from "react";
import type { Attachment } from "@/bindings/Attachment";
import { onDrop, pickFiles } from "@/bridge";
import { sayProblem } from "@/shared/components/Toasts";
import { keep, pastedPaths, withFiles } from "./attachments";

export function useFiles() {
  const [files, setFiles] = useState<Attachment[]>([]);
  const addPaths = (paths: readonly string[]) => setFiles((known) => withFiles(known, paths));
  const over = useDroppedFiles(addPaths);
  const paste = (event: ClipboardEvent) => {
    const { clipboardData } = event;
    const paths = pastedPaths(clipboardData.getData("text/uri-list"));
    // Office programs put a picture of a text beside the text: then the text is meant.
    const bytes = clipboardData.getData("text/plain") ? [] : [...clipboardData.files];
    if (paths.length === 0 && bytes.length === 0) return;
    event.preventDefault();
    if (paths.length > 0) addPaths(paths);
    else void keep(bytes).then((kept) => setFiles((known) => [...known, ...kept]), sayProblem);
  };
  return {
    files,
    /** Files hover over the window. */
    over,
    paste,
    pick: () => void pickFiles({ multiple: true }).then(addPaths, sayProblem),
    remove: (path: string) => setFiles((known) => known.filter((file) => file.path !== path)),
    clear: () => setFiles([]),
  };
}

/** Whether files hover over the window; dropped ones are handed on. */
function useDroppedFiles(take: (paths: string[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    const ending = onDrop((drop) => {
      setOver(drop.over);
      if (drop.paths.length > 0) latest.current(drop.paths);
    });
    return () => void ending.then((end) => end());
  }, []);
  return over;
}
