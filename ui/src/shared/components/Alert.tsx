// What went wrong, in one look: a headline, the engine's own words, and the button that mends it.

import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { asProblem } from "../problem";

interface AlertProps {
  /** Anything that was thrown, or an error event. */
  error: unknown;
  action?: ReactNode;
  className?: string;
}

export function Alert({ error, action, className }: AlertProps) {
  const { title, detail } = asProblem(error);
  return (
    <div
      role="alert"
      className={clsx("flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-bad-soft px-4 py-3", className)}
    >
      <CircleAlert aria-hidden className="size-5 shrink-0 self-start text-bad" />
      <div className="selectable min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        {detail && <p className="text-sm text-muted break-words">{detail}</p>}
      </div>
      {action}
    </div>
  );
}
