// Small parts of the Skills page: facts with their labels, and names side by side.

import clsx from "clsx";
import type { ReactNode } from "react";

export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-6 gap-y-2.5 rounded-lg border border-line bg-raised px-4 py-3">
      {children}
    </dl>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-sm leading-[22px] text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

interface ChipsProps {
  names: readonly string[];
  /** What stands there for no names. */
  none?: string;
  link?: (name: string) => string;
  className?: string;
}

export function Chips({ names, none, link, className }: ChipsProps) {
  if (names.length === 0) return none ?? null;
  const look = "selectable rounded-full bg-active px-2.5 text-sm leading-6 break-all";
  return (
    <ul className={clsx("flex flex-wrap gap-1.5", className)}>
      {names.map((name) => (
        <li key={name} className="max-w-full">
          {link ? (
            <a href={`#${link(name)}`} className={clsx(look, "block hover:underline")}>
              {name}
            </a>
          ) : (
            <span className={clsx(look, "block")}>{name}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
