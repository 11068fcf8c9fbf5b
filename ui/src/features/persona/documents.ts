// Open files: what the person has typed, what the disk last held, and how the two are brought together.
//
// Invariants: every save carries the text it started from; nothing is saved, merged or replaced in the middle of a
// composition; one save of a file runs at a time; text that is not on disk yet outlives the page.

import { ChangeSet } from "@codemirror/state";
import { create } from "zustand";
import type { Author } from "@/bindings/Author";
import type { FileChanged } from "@/bindings/FileChanged";
import type { FileProblem } from "@/bindings/FileProblem";
import type { FileSaved } from "@/bindings/FileSaved";
import type { FileText } from "@/bindings/FileText";
import { call, onSignal } from "@/bridge";
import { changesBetween } from "./changes";

export interface Conflict {
  theirs: Base;
  marked: string;
}

/** A quiet word about what happened to the text without the person. */
interface Note {
  kind: "changed" | "merged";
  author: Author | null;
}

type Phase = "clean" | "dirty" | "saving" | "conflict" | "shrink" | "failed";

interface Base {
  text: string;
  raw: string;
  hash: string;
}

export interface Document {
  path: string;
  /** As the person sees it, with `\n` between lines. */
  text: string;
  /** As the disk last held it: the same way, and to the byte. */
  base: Base;
  exists: boolean;
  cap: number;
  problems: readonly FileProblem[];
  phase: Phase;
  conflict: Conflict | null;
  shrink: { from: number; to: number } | null;
  error: unknown;
  note: Note | null;
}

/** What is not drawn: timers, the running save, the composition. */
interface Hidden {
  timer: ReturnType<typeof setTimeout> | undefined;
  saving: boolean;
  composing: boolean;
  calm: (() => void)[];
  heard: FileChanged | null;
}

const pause = 800;

export const useDocuments = create<Readonly<Record<string, Document>>>(() => ({}));
const hidden = new Map<string, Hidden>();

const now = (path: string): Document | undefined => useDocuments.getState()[path];
const backstage = (path: string): Hidden => {
  const known = hidden.get(path);
  if (known) return known;
  const fresh: Hidden = { timer: undefined, saving: false, composing: false, calm: [], heard: null };
  hidden.set(path, fresh);
  return fresh;
};

function put(path: string, change: Partial<Document>): void {
  const document = now(path);
  if (document) useDocuments.setState({ [path]: { ...document, ...change } });
}

/** Forgets everything; for tests. */
export function forgetDocuments(): void {
  for (const { timer } of hidden.values()) clearTimeout(timer);
  hidden.clear();
  useDocuments.setState({}, true);
}

const lined = (raw: string): string => raw.replace(/\r\n?/g, "\n");
const baseOf = (raw: string, hash: string): Base => ({ text: lined(raw), raw, hash });

/** A text with the line ends of the file it goes to. */
const endedLike = ({ raw }: Base, text: string): string =>
  raw.includes("\r\n") && !/(^|[^\r])\n/.test(raw) ? text.replaceAll("\n", "\r\n") : text;

const fresh = (file: FileText): Document => ({
  path: file.path,
  text: lined(file.text),
  base: baseOf(file.text, file.hash),
  exists: file.exists,
  cap: file.cap_chars,
  problems: file.problems,
  phase: "clean",
  conflict: null,
  shrink: null,
  error: null,
  note: null,
});

/** Opens a file, or looks again at one that is open. */
export async function openDocument(path: string): Promise<void> {
  const known = now(path);
  if (known) return refresh(path, null);
  const file = await call("files_read", { path });
  if (!now(path)) useDocuments.setState({ [path]: fresh(file) });
}

/** Takes what the person typed; it is saved when they pause. */
export function typed(path: string, text: string): void {
  const document = now(path);
  if (!document || document.text === text) return;
  const same = text === document.base.text;
  const settling = document.phase === "conflict" || document.phase === "saving";
  put(path, { text, phase: settling ? document.phase : same ? "clean" : "dirty", shrink: null, error: null });
  schedule(path);
}

function schedule(path: string): void {
  const behind = backstage(path);
  clearTimeout(behind.timer);
  behind.timer = setTimeout(() => void save(path), pause);
}

/** Told by the editor when a composition begins and after it ended. */
export function composing(path: string, going: boolean): void {
  const behind = backstage(path);
  behind.composing = going;
  if (going) return;
  for (const go of behind.calm.splice(0)) go();
  const document = now(path);
  if (document && document.text !== document.base.text && !behind.saving) schedule(path);
}

const calm = (path: string): Promise<void> => {
  const behind = backstage(path);
  return behind.composing ? new Promise((done) => behind.calm.push(done)) : Promise.resolve();
};

/** Saves what is not on disk yet: after a pause, when the editor loses the focus, when the window hides. */
export async function save(path: string, confirmed = false): Promise<void> {
  const document = now(path);
  const behind = backstage(path);
  clearTimeout(behind.timer);
  if (!document || behind.saving || behind.composing || document.phase === "conflict") return;
  if (document.phase === "shrink" && !confirmed) return;
  if (document.text === document.base.text) return put(path, { phase: "clean" });
  const { text, base } = document;
  behind.saving = true;
  put(path, { phase: "saving", error: null, shrink: null });
  try {
    const raw = endedLike(base, text);
    const request = { path, text: raw, base_hash: base.hash, base_text: base.raw, confirmed };
    const saved = await call("files_save", { request });
    await calm(path);
    take(path, { text, raw }, saved);
  } catch (error) {
    put(path, { phase: "failed", error });
  } finally {
    behind.saving = false;
  }
  await afterSave(path);
}

function take(path: string, sent: { text: string; raw: string }, saved: FileSaved): void {
  if (saved.outcome === "written") settle(path, { ...sent, hash: saved.hash });
  else if (saved.outcome === "merged") takeMerged(path, sent.text, baseOf(saved.text, saved.hash));
  else if (saved.outcome === "conflict") {
    const conflict = { theirs: baseOf(saved.theirs, saved.theirs_hash), marked: lined(saved.marked) };
    put(path, { phase: "conflict", conflict });
  } else if (now(path)?.text === sent.text) {
    put(path, { phase: "shrink", shrink: { from: saved.from_chars, to: saved.to_chars } });
  } else {
    put(path, { phase: "dirty" });
    schedule(path);
  }
}

/** The disk holds `base` now; what was typed meanwhile is still to be saved. */
function settle(path: string, base: Base): void {
  const document = now(path);
  if (!document) return;
  const dirty = document.text !== base.text;
  put(path, { base, exists: true, conflict: null, phase: dirty ? "dirty" : "clean" });
  if (dirty) schedule(path);
}

function takeMerged(path: string, sent: string, merged: Base): void {
  const document = now(path);
  if (!document) return;
  const author = backstage(path).heard?.author ?? null;
  put(path, { text: carried(sent, document.text, merged.text), note: { kind: "merged", author } });
  settle(path, merged);
}

/** `other` with the edits that led from `start` to `typedText`. */
function carried(start: string, typedText: string, other: string): string {
  if (start === typedText) return other;
  const others = ChangeSet.of([...changesBetween(start, other)], start.length);
  const mine = ChangeSet.of([...changesBetween(start, typedText)], start.length);
  const both = others.compose(mine.map(others));
  return apply(both, start);
}

function apply(changes: ChangeSet, text: string): string {
  let [out, at] = ["", 0];
  changes.iterChanges((from, to, _fromNew, _toNew, inserted) => {
    out += text.slice(at, from) + inserted.toString();
    at = to;
  });
  return out + text.slice(at);
}

/** Catches up with what was heard while a save ran, and with the problems of the text on disk. */
async function afterSave(path: string): Promise<void> {
  const behind = backstage(path);
  const { phase, base } = now(path) ?? {};
  const heard = behind.heard;
  behind.heard = null;
  if (phase !== "clean" && phase !== "dirty") return;
  if (heard && heard.author !== "user" && heard.hash !== base?.hash) return refresh(path, heard.author);
  const file = await call("files_read", { path }).catch(() => null);
  if (file && file.hash === now(path)?.base.hash) put(path, { problems: file.problems });
}

/** Brings the disk's text in: at once where nothing was typed, by a merging save where something was. */
async function refresh(path: string, author: Author | null, quiet = false): Promise<void> {
  const file = await call("files_read", { path }).catch(() => null);
  await calm(path);
  const document = now(path);
  if (!file || !document || document.phase === "conflict" || file.hash === document.base.hash) return;
  if (document.text !== document.base.text) {
    backstage(path).heard = author ? { path, author, hash: file.hash } : null;
    return save(path);
  }
  const note: Note | null = quiet ? null : { kind: "changed", author };
  useDocuments.setState({ [path]: { ...fresh(file), note } });
}

/** Follows the workspace; returns how to stop. */
export function followFiles(): () => void {
  const stop = onSignal((signal) => {
    if (signal === null) for (const path of Object.keys(useDocuments.getState())) void refresh(path, null);
    else if (signal.type === "file") hear(signal.data);
  });
  const leave = () => {
    if (window.document.visibilityState === "hidden") saveAll();
  };
  window.document.addEventListener("visibilitychange", leave);
  window.addEventListener("pagehide", saveAll);
  return () => {
    stop();
    window.document.removeEventListener("visibilitychange", leave);
    window.removeEventListener("pagehide", saveAll);
  };
}

function hear(changed: FileChanged): void {
  const document = now(changed.path);
  if (!document || changed.hash === document.base.hash) return;
  if (backstage(changed.path).saving) backstage(changed.path).heard = changed;
  else void refresh(changed.path, changed.author);
}

export function saveAll(): void {
  for (const path of Object.keys(useDocuments.getState())) void save(path);
}

/** Ends a conflict with the text that the person chose. */
export function settleConflict(path: string, text: string): Promise<void> {
  const conflict = now(path)?.conflict;
  if (!conflict) return Promise.resolve();
  const base = conflict.theirs;
  put(path, { text, base, conflict: null, phase: text === base.text ? "clean" : "dirty" });
  return save(path);
}

/** Gives up what was typed since the last save. */
export function revert(path: string): void {
  const base = now(path)?.base;
  if (base) put(path, { text: base.text, phase: "clean", shrink: null, error: null });
}

/** Brings a version back. What was typed is saved first, so it is a version too. */
export async function restore(path: string, rev: number): Promise<void> {
  await save(path);
  const phase = now(path)?.phase;
  if (phase === "conflict" || phase === "shrink") return;
  if (phase === "failed") throw now(path)?.error;
  await call("files_restore", { path, rev });
  await refresh(path, null, true);
  put(path, { note: null });
}

export const dismissNote = (path: string): void => put(path, { note: null });
