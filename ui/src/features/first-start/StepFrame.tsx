// A step's heading, its content, and the way on.

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";

interface StepFrameProps {
  title: string;
  body: string;
  onBack?: () => void;
  children: ReactNode;
  /** The ways on. */
  actions: ReactNode;
}

export function StepFrame({ title, body, onBack, children, actions }: StepFrameProps) {
  const { t } = useTranslation("firstStart");
  return (
    <>
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="mt-1 text-muted text-balance">{body}</p>
      <div className="mt-5 flex flex-1 flex-col gap-4">{children}</div>
      <footer className="sticky bottom-0 mt-6 flex items-center gap-2 border-t border-line bg-surface py-4">
        {onBack && <Button onClick={onBack}>{t("back")}</Button>}
        <div className="ml-auto flex gap-2">{actions}</div>
      </footer>
    </>
  );
}
