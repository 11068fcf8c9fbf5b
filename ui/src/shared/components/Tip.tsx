// A tooltip around one element.

import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

interface TipProps {
  label: string;
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactElement<Record<string, unknown>>;
}

export function Tip({ label, keys, side = "top", children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="z-50">
          <Tooltip.Popup className="fade flex max-w-72 items-center gap-2 rounded-sm bg-ink px-2 py-1 text-xs text-surface shadow-md">
            {label}
            {keys && <kbd className="font-sans opacity-75">{keys}</kbd>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
