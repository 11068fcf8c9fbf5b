// The panel on the right. A page renders it while it has something to show; it appears in the shell's place for it.

import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { IconButton } from "./Button";

const slotId = "inspector";

/** Where the shell wants the panel. */
export function InspectorSlot() {
  return <div id={slotId} className="contents" />;
}

interface InspectorProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export function Inspector({ title, onClose, children }: InspectorProps) {
  const { t } = useTranslation();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => setSlot(document.getElementById(slotId)), []);
  useEffect(() => {
    if (slot) panel.current?.focus();
  }, [slot]);
  if (!slot) return null;
  return createPortal(
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={title}
      className="flex h-full w-[380px] shrink-0 flex-col border-l border-line bg-surface outline-none max-[1100px]:absolute max-[1100px]:inset-y-0 max-[1100px]:right-0 max-[1100px]:z-30 max-[1100px]:shadow-lg"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="flex h-12 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
        <h2 className="truncate font-semibold">{title}</h2>
        <IconButton label={t("close")} keys="Esc" icon={<X className="size-4" />} size="sm" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </aside>,
    slot,
  );
}
