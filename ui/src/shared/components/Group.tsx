// What settings are made of: a group with a heading, and rows with a label, a word of help and a control.

import { type ReactNode, useId } from "react";

interface GroupProps {
  title: string;
  help?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Group({ title, help, actions, children }: GroupProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex min-h-8 items-end justify-between gap-4">
        <div className="min-w-0">
          <h3 id={id} className="font-semibold">
            {title}
          </h3>
          {help && <p className="text-sm text-muted">{help}</p>}
        </div>
        {actions}
      </div>
      <div className="flex flex-col divide-y divide-line rounded-lg border border-line bg-raised px-4">{children}</div>
    </section>
  );
}

interface RowProps {
  label: string;
  help?: ReactNode;
  children?: ReactNode;
}

export function Row({ label, help, children }: RowProps) {
  return (
    <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">{label}</p>
        {help && <div className="text-sm text-muted">{help}</div>}
      </div>
      {children}
    </div>
  );
}
