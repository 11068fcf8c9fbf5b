// The heading of a page, and what can be done there.

import type { ReactNode } from "react";

interface PageHeaderProps {
  title: ReactNode;
  actions?: ReactNode;
  /** 2 where the page's name stands beside it already. */
  level?: 1 | 2;
}

export function PageHeader({ title, actions, level = 1 }: PageHeaderProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header className="flex h-12 shrink-0 items-center justify-between gap-4 border-b border-line pr-3 pl-6">
      <Heading className="min-w-0 truncate font-semibold">{title}</Heading>
      {actions && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
    </header>
  );
}
