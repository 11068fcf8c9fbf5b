// The command palette: type, choose with the arrows, Enter goes there. Nothing else needs the mouse, and no key of an
// input method is taken for a choice.

import { Dialog } from "@base-ui/react/dialog";
import clsx from "clsx";
import { Search } from "lucide-react";
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { keysText } from "@/shared/keys";
import { useIme } from "@/shared/useIme";
import { type Entry, found } from "./ranking";
import { useEntries } from "./useEntries";

interface PaletteProps {
  onClose: () => void;
  onShortcuts: () => void;
}

export function Palette({ onClose, onShortcuts }: PaletteProps) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup className="pop fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[min(calc(100vw-48px),620px)] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-lg outline-none">
          <Dialog.Title className="sr-only">{t("palette.title")}</Dialog.Title>
          <Finder onClose={onClose} onShortcuts={onShortcuts} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose, onShortcuts }: PaletteProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [marked, setMarked] = useState(0);
  const query = useDeferredValue(text);
  const entries = useEntries(onShortcuts);
  const groups = useMemo(() => found(entries, query), [entries, query]);
  const flat = groups.flatMap((group) => group.entries);
  const at = Math.min(marked, flat.length - 1);
  const id = useId();
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const ime = useIme("menu", (intent) => {
    if (intent === "choose") choose(flat[at]);
    else if (intent === "next" && flat.length > 0) setMarked((at + 1) % flat.length);
    else if (intent === "previous" && flat.length > 0) setMarked((at + flat.length - 1) % flat.length);
    else if (intent === "close") onClose();
    else return false;
    return true;
  });
  return (
    <>
      <label className="flex h-13 shrink-0 items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-5 shrink-0 text-faint" />
        <input
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={flat[at] ? `${id}-${at}` : undefined}
          aria-label={t("palette.title")}
          placeholder={t("palette.placeholder")}
          autoComplete="off"
          spellCheck={false}
          value={text}
          {...ime}
          onChange={({ target }) => {
            setText(target.value);
            setMarked(0);
          }}
          className="h-full min-w-0 flex-1 bg-transparent text-md outline-none"
        />
      </label>
      <div id={id} role="listbox" aria-label={t("palette.title")} className="min-h-0 overflow-y-auto p-2">
        {groups.map((group) => (
          <Group key={group.kind} id={id} group={group} flat={flat} at={at} onChoose={choose} />
        ))}
      </div>
      {flat.length === 0 && (
        <p role="status" className="px-4 pb-5 text-muted">
          {t("palette.nothing", { query })}
        </p>
      )}
    </>
  );
}

interface GroupProps {
  id: string;
  group: ReturnType<typeof found>[number];
  flat: readonly Entry[];
  at: number;
  onChoose: (entry: Entry) => void;
}

function Group({ id, group, flat, at, onChoose }: GroupProps) {
  const { t } = useTranslation();
  const name = t(`palette.kind.${group.kind}`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
    <div role="group" aria-label={name}>
      <p aria-hidden className="px-2 pt-2 pb-1 text-xs text-faint">
        {name}
      </p>
      {group.entries.map((entry) => {
        const place = flat.indexOf(entry);
        return (
          <Option
            key={entry.id}
            id={`${id}-${place}`}
            entry={entry}
            marked={place === at}
            onChoose={() => onChoose(entry)}
          />
        );
      })}
    </div>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  marked: boolean;
  onChoose: () => void;
}

function Option({ id, entry: { label, detail, keys }, marked, onChoose }: OptionProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked) row.current?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return (
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={marked}
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
      className={clsx("flex min-h-9 items-center gap-3 rounded-md px-2", marked ? "bg-active" : "hover:bg-hover")}
    >
      <span className="max-w-[70%] truncate">{label}</span>
      <span className="min-w-0 flex-1 truncate text-sm text-muted">{detail}</span>
      {keys && <kbd className="shrink-0 font-sans text-xs text-faint">{keysText(keys)}</kbd>}
    </div>
  );
}
