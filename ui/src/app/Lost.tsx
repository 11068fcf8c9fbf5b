// Says that nobody answers behind the window, for as long as that is so, and that somebody does again.

import { Unplug } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { contact, onContact, tryAgain } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { say } from "@/shared/components/Toasts";

export function Lost() {
  const { t } = useTranslation();
  const state = useSyncExternalStore(onContact, contact);
  const [busy, setBusy] = useState(false);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === "lost" && state === "here") say(t("lost.back"));
    before.current = state;
  }, [state, t]);
  if (state === "here") return null;
  const again = async () => {
    setBusy(true);
    await tryAgain();
    setBusy(false);
  };
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-warn-soft px-4 py-2"
    >
      <Unplug aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 flex-1 basis-64">
        <strong className="font-medium">{t("lost.title")}</strong> {t("lost.body")}
      </p>
      <Button size="sm" busy={busy} onClick={() => void again()}>
        {t("lost.again")}
      </Button>
    </div>
  );
}
