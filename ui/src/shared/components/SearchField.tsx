// A field to search or narrow by.

import clsx from "clsx";
import { Search } from "lucide-react";

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  className?: string;
  autoFocus?: boolean;
}

export function SearchField({ label, value, onChange, className, autoFocus }: SearchFieldProps) {
  return (
    <label className={clsx("relative block", className)}>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <input
        type="search"
        value={value}
        ref={(input) => {
          if (autoFocus && input && document.activeElement === document.body) input.focus();
        }}
        onChange={(event) => onChange(event.target.value)}
        placeholder={label}
        aria-label={label}
        className="h-8 w-full rounded-md bg-active pr-2 pl-8 text-base"
      />
    </label>
  );
}
