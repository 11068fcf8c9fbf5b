// Keyboard shortcuts of the window, and how keys are written on this system.

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

/** `Mod+1` as this system writes it. */
export function keysText(keys: string): string {
  const parts = keys.split("+");
  if (!apple) return parts.map((part) => (part === "Mod" ? "Ctrl" : part)).join("+");
  const signs: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↩" };
  return parts.map((part) => signs[part] ?? part).join("");
}

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** Whether a key press is `Mod+…`; never while a word is being composed. */
export function isKeys(event: KeyPress, keys: string): boolean {
  if (event.isComposing || event.keyCode === 229) return false;
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const mod = apple ? event.metaKey : event.ctrlKey;
  const otherMod = apple ? event.ctrlKey : event.metaKey;
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    mod === parts.includes("Mod") &&
    !otherMod &&
    event.shiftKey === parts.includes("Shift") &&
    event.altKey === parts.includes("Alt")
  );
}
