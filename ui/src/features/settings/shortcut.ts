// A combination of keys as the desktop registers it, such as `CmdOrCtrl+Shift+Space`.

interface Press {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

const plain = new Set(["Space", "Enter", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown"]);
const signs: Record<string, string> = {
  Backquote: "`",
  Minus: "-",
  Equal: "=",
  BracketLeft: "[",
  BracketRight: "]",
  Backslash: "\\",
  Semicolon: ";",
  Quote: "'",
  Comma: ",",
  Period: ".",
  Slash: "/",
};

/** The key by its place on the keyboard, so that a layout or an input method does not change it. */
function keyOf(code: string): string | null {
  const letter = /^(?:Key([A-Z])|Digit([0-9])|(F[0-9]{1,2}))$/.exec(code);
  if (letter) return letter[1] ?? letter[2] ?? letter[3] ?? null;
  if (/^Arrow/.test(code)) return code.slice(5);
  return plain.has(code) ? code : (signs[code] ?? null);
}

/** What was pressed; null while it is no whole combination. A key alone would be taken from every other program. */
export function combination({ code, ctrlKey, metaKey, shiftKey, altKey }: Press, apple: boolean): string | null {
  const key = keyOf(code);
  if (!key) return null;
  const main = apple ? metaKey : ctrlKey;
  const other = apple ? ctrlKey : metaKey;
  const strong = main || other || altKey;
  if (!strong && !/^F[0-9]/.test(key)) return null;
  const parts = [main && "CmdOrCtrl", other && (apple ? "Ctrl" : "Super"), altKey && "Alt", shiftKey && "Shift", key];
  return parts.filter(Boolean).join("+");
}

/** For the eye. */
export function shortcutText(keys: string, apple: boolean): string {
  const names: Record<string, string> = apple
    ? { CmdOrCtrl: "⌘", Ctrl: "⌃", Alt: "⌥", Shift: "⇧" }
    : { CmdOrCtrl: "Ctrl" };
  const parts = keys.split("+").map((part) => names[part] ?? part);
  return parts.join(apple ? " " : " + ");
}
