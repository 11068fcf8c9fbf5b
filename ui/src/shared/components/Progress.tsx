// A bar for work that takes longer than a second, with its numbers beside it.

import { Progress as Base } from "@base-ui/react/progress";

interface ProgressProps {
  label: string;
  /** 0 to 1; none while the size is unknown. */
  value: number | null;
  /** Numbers, such as "120 MB of 1.1 GB". */
  detail?: string;
}

export function Progress({ label, value, detail }: ProgressProps) {
  return (
    <Base.Root value={value === null ? null : Math.round(value * 100)} className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-4 text-sm">
        <Base.Label className="truncate">{label}</Base.Label>
        {detail && <span className="shrink-0 text-muted tabular-nums">{detail}</span>}
      </div>
      <Base.Track className="h-1.5 overflow-hidden rounded-full bg-active">
        <Base.Indicator className="h-full rounded-full bg-ember transition-[width] duration-150 data-[indeterminate]:w-1/3" />
      </Base.Track>
    </Base.Root>
  );
}
