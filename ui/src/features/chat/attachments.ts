// Files given with a message: dropped on the window, picked, or pasted from a file manager (which gives their addresses).

import i18next from "i18next";
import type { Attachment } from "@/bindings/Attachment";
import { call } from "@/bridge";

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

/** The most that goes with a message as bytes; the engine holds to it too. */
const most = 10_000_000;

/** Keeps files that came as bytes, such as a pasted picture, and answers with where they lie. */
export async function keep(files: readonly File[]): Promise<Attachment[]> {
  const tooLarge = files.find(({ size }) => size > most);
  if (tooLarge)
    throw { code: "invalid_request", message: i18next.t("chat:tooLarge", { name: tooLarge.name }), hint: "" };
  return Promise.all(files.map(async (file) => call("files_attach", await sent(file))));
}

async function sent(file: File): Promise<{ name: string; mediaType: string; data: string }> {
  const mediaType = file.type || attachmentOf(file.name).media_type;
  return { name: file.name || `image.${mediaType.split("/")[1]}`, mediaType, data: await base64(file) };
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
