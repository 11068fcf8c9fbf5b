// Short messages at the foot of the window, with one action at most (such as taking something back).

import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asProblem } from "../problem";

const toasts = Toast.createToastManager();

interface Action {
  label: string;
  run: () => void;
}

/** Says that something was done. */
export function say(title: string, action?: Action): void {
  toasts.add({
    title,
    timeout: action ? 8000 : 4000,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => action.run(),
      },
    }),
  });
}

/** Says that something failed. */
export function sayProblem(error: unknown): void {
  const { title, detail } = asProblem(error);
  toasts.add({ title, description: detail, type: "problem", priority: "high", timeout: 10_000 });
}

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[360px] max-w-[calc(100vw-32px)] flex-col gap-2">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { t } = useTranslation();
  const { toasts: all } = Toast.useToastManager();
  return all.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="fade flex items-start gap-3 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-4 shadow-lg"
    >
      <Toast.Content className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3">
        <div className="min-w-0">
          <Toast.Title className={toast.type === "problem" ? "font-medium text-bad" : "font-medium"} />
          <Toast.Description className="text-sm text-muted break-words" />
        </div>
        {toast.actionProps && (
          <Toast.Action className="h-7 rounded-sm px-2 font-medium text-ember-ink hover:bg-hover" />
        )}
      </Toast.Content>
      <Toast.Close aria-label={t("close")} className="rounded-sm p-1.5 text-muted hover:bg-hover hover:text-ink">
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ));
}
