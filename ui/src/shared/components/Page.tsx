// The heading of a page, what can be done there, and its views.

import type { ReactNode } from "react";
import { Segmented } from "./Field";

interface PageHeaderProps {
  title: ReactNode;
  actions?: ReactNode;
  /** 2 where the page's name stands beside it already. */
  level?: 1 | 2;
}

export function PageHeader({ title, actions, level = 1 }: PageHeaderProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line py-1.5 pr-3 pl-6">
      <Heading className="min-w-16 flex-1 truncate font-semibold">{title}</Heading>
      {actions && <div className="flex max-w-full flex-wrap items-center gap-1">{actions}</div>}
    </header>
  );
}

interface ViewsProps<View extends string> {
  title: string;
  /** What the choice of a view is called. */
  label: string;
  view: View;
  /** Each view with its name. */
  views: readonly { value: View; label: string }[];
  onView: (view: View) => void;
  /** Beside the choice of a view. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of a few views in one column, each chosen in its heading. */
export function Views<View extends string>({ title, label, view, views, onView, actions, children }: ViewsProps<View>) {
  const name = views.find(({ value }) => value === view)?.label;
  return (
    <main aria-label={title} className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader
        title={title}
        actions={
          <>
            {actions}
            <Segmented<View> label={label} value={view} choices={views} onChange={onView} />
          </>
        }
      />
      <section
        key={view}
        aria-label={name}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <div className="mx-auto flex max-w-[820px] flex-col gap-6 px-6 py-6">{children}</div>
      </section>
    </main>
  );
}
