// What was typed and not sent, per conversation, kept in this window's local storage.

const prefix = "hearth.draft.";

export const readDraft = (session: string): string => localStorage.getItem(prefix + session) ?? "";

export function writeDraft(session: string, text: string): void {
  if (text) localStorage.setItem(prefix + session, text);
  else localStorage.removeItem(prefix + session);
}
