// The frame of a page: its heading, what can be done there, and the content that scrolls.

import type { ReactNode } from "react";

interface PageProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, actions, children }: PageProps) {
  return (
    <main className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader title={title} actions={actions} />
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </main>
  );
}

export function PageHeader({ title, actions }: { title: ReactNode; actions?: ReactNode }) {
  return (
    <header className="flex h-12 shrink-0 items-center justify-between gap-4 border-b border-line pr-3 pl-6">
      <h1 className="min-w-0 truncate font-semibold">{title}</h1>
      {actions && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
    </header>
  );
}
