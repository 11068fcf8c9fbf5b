// The states that every page has besides its content: nothing there yet, loading, failed.

import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "./Alert";
import { Button } from "./Button";

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  body?: string;
  action?: ReactNode;
  /** Of its heading. */
  level?: 2 | 3 | 4;
}

/** Says what a place is for and offers the first step. */
export function Empty({ icon, title, body, action, level = 2 }: EmptyProps) {
  const Heading = `h${level}` as const;
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 p-8 text-center">
      {icon && <div className="mb-2 text-faint">{icon}</div>}
      <Heading className="text-lg font-semibold">{title}</Heading>
      {body && <p className="max-w-md text-muted text-balance">{body}</p>}
      {action && <div className="mt-4 flex gap-2">{action}</div>}
    </div>
  );
}

/** Grey lines in place of text that is on its way. */
export function Skeleton({ lines = 4, className }: { lines?: number; className?: string }) {
  const { t } = useTranslation();
  const widths = ["w-11/12", "w-4/5", "w-10/12", "w-3/5"];
  return (
    <div role="status" aria-label={t("loading")} className={clsx("flex flex-col gap-3", className)}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
        <div key={line} className={clsx("skeleton h-4", widths[line % widths.length])} />
      ))}
    </div>
  );
}

/** What happened, what to do, and trying again. */
export function Failure({ error, onRetry, className }: { error: unknown; onRetry?: () => void; className?: string }) {
  const { t } = useTranslation();
  const again = onRetry && (
    <Button size="sm" onClick={onRetry}>
      {t("tryAgain")}
    </Button>
  );
  return <Alert error={error} action={again} className={className} />;
}
