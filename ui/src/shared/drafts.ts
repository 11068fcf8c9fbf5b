// What this window remembers by itself, in its local storage: what was typed and not sent, and the conversation last open.

const prefix = "hearth.draft.";

export const readDraft = (session: string): string => localStorage.getItem(prefix + session) ?? "";

export function writeDraft(session: string, text: string): void {
  if (text) localStorage.setItem(prefix + session, text);
  else localStorage.removeItem(prefix + session);
}

const lastKey = "hearth.session";

export const readLast = (): string | null => localStorage.getItem(lastKey);

export function writeLast(session: string | null): void {
  if (session) localStorage.setItem(lastKey, session);
  else localStorage.removeItem(lastKey);
}
