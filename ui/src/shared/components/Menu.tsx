// A menu behind a button.

import { Menu as Base } from "@base-ui/react/menu";
import clsx from "clsx";
import type { ReactElement, ReactNode } from "react";

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: "start" | "center" | "end";
}

export function Menu({ trigger, children, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="z-40 outline-none">
          <Base.Popup className="pop min-w-44 rounded-lg border border-line bg-raised p-1 shadow-lg outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

export function MenuItem({ icon, onSelect, danger, disabled, children }: MenuItemProps) {
  return (
    <Base.Item
      onClick={onSelect}
      disabled={disabled}
      className={clsx(
        "flex h-8 items-center gap-2.5 rounded-sm px-2.5 text-base outline-none select-none data-[disabled]:opacity-45",
        danger ? "text-bad data-[highlighted]:bg-bad-soft" : "data-[highlighted]:bg-active",
      )}
    >
      {icon}
      {children}
    </Base.Item>
  );
}

export function MenuLine() {
  return <Base.Separator className="mx-2 my-1 h-px bg-line" />;
}
