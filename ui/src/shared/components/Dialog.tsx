// Dialogs: a plain one, and one that asks before something that cannot be taken back.

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import clsx from "clsx";
import { X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "./Button";

const scrim = "fade fixed inset-0 z-40 bg-scrim";
const box =
  "pop fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100vh-64px)] w-[min(calc(100vw-48px),var(--width))] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-line bg-surface shadow-lg outline-none";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  children: ReactNode;
  /** Buttons at the foot. */
  actions?: ReactNode;
  wide?: boolean;
}

export function Dialog({ open, onClose, title, description, children, actions, wide }: DialogProps) {
  const { t } = useTranslation();
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // Not on the closing cross, whose tooltip would take the first Escape.
  const first = () => body.current?.querySelector<HTMLElement>("input, textarea, [role=combobox]") ?? popup.current;
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={scrim} />
        <Base.Popup
          ref={popup}
          initialFocus={first}
          className={clsx(box, wide ? "[--width:880px]" : "[--width:520px]")}
        >
          <div className="flex items-start gap-4 px-6 pt-5 pb-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 break-words text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close render={<IconButton label={t("close")} icon={<X className="size-4" />} size="sm" />} />
          </div>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-6 pb-5">
            {children}
          </div>
          {actions && <div className="flex justify-end gap-2 border-t border-line px-6 py-3">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  body: string;
  /** The word for doing it. */
  action: string;
  danger?: boolean;
  onConfirm: () => void | Promise<void>;
}

export function Confirm({ open, onClose, title, body, action, danger, onConfirm }: ConfirmProps) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await Promise.resolve(onConfirm()).finally(() => setBusy(false));
    onClose();
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={scrim} />
        <AlertDialog.Popup className={clsx(box, "[--width:420px] p-6")}>
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted">{body}</AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Close render={<Button />}>{t("cancel")}</AlertDialog.Close>
            <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
