// Files given with a message: dropped on the window, picked, or pasted from a file manager (which gives their addresses).

import type { Attachment } from "@/bindings/Attachment";

const types: Record<string, string> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  toml: "application/toml",
  txt: "text/plain",
  webp: "image/webp",
};

export function attachmentOf(path: string): Attachment {
  const name = path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
  const extension = name.includes(".") ? (name.split(".").at(-1)?.toLowerCase() ?? "") : "";
  return { name, path, media_type: types[extension] ?? "application/octet-stream" };
}

/** Adds files that are not there yet. */
export function withFiles(files: readonly Attachment[], paths: readonly string[]): Attachment[] {
  const known = new Set(files.map(({ path }) => path));
  return [...files, ...paths.filter((path) => !known.has(path)).map(attachmentOf)];
}

/** Paths of pasted files: `file://` addresses, as file managers put them on the clipboard. */
export function pastedPaths(uriList: string): string[] {
  return uriList
    .split(/\r?\n/)
    .filter((line) => line.startsWith("file://"))
    .flatMap((line) => {
      try {
        const path = decodeURIComponent(new URL(line).pathname);
        return [/^\/[a-z]:\//i.test(path) ? path.slice(1) : path];
      } catch {
        return [];
      }
    });
}
