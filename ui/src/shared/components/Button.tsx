// Buttons: with a label, and with an icon alone (which then has a name and a tooltip).

import { Button as Base } from "@base-ui/react/button";
import clsx from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Tip } from "./Tip";

type Kind = "primary" | "plain" | "quiet" | "danger";

const kinds: Record<Kind, string> = {
  primary: "bg-ember text-on-ember hover:bg-ember-hover",
  plain: "bg-raised text-ink border border-line hover:border-line-strong shadow-sm",
  quiet: "text-muted hover:bg-hover hover:text-ink",
  danger: "bg-bad-fill text-on-ember hover:opacity-90",
};

export interface ButtonProps extends ComponentProps<typeof Base> {
  kind?: Kind;
  size?: "sm" | "md";
  /** Work is going on: shown, and not pressable again. */
  busy?: boolean;
  icon?: ReactNode;
}

export function Button({
  kind = "plain",
  size = "md",
  busy,
  icon,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <Base
      className={clsx(
        "inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors duration-100",
        "disabled:pointer-events-none disabled:opacity-50",
        size === "sm" ? "h-7 px-2.5 text-sm" : "h-8 px-3 text-base",
        kinds[kind],
        className,
      )}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <LoaderCircle aria-hidden className="spin size-4" /> : icon}
      {children}
    </Base>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<typeof Base>, "children"> {
  /** Its name, shown as a tooltip too. */
  label: string;
  icon: ReactNode;
  size?: "sm" | "md";
  /** `ember`: the one thing to do here, round and filled. */
  kind?: "quiet" | "round" | "ember";
  pressed?: boolean;
  side?: "top" | "right" | "bottom" | "left";
  /** Keys, shown in the tooltip. */
  keys?: string;
}

const iconKinds = {
  quiet:
    "rounded-md text-muted hover:bg-hover hover:text-ink aria-pressed:bg-active aria-pressed:text-ink data-[popup-open]:bg-active data-[popup-open]:text-ink disabled:opacity-40",
  round: "rounded-full border border-line-strong text-ink hover:bg-hover",
  ember: "rounded-full bg-ember text-on-ember hover:bg-ember-hover disabled:bg-active disabled:text-faint",
};

export function IconButton({
  label,
  icon,
  size = "md",
  kind = "quiet",
  pressed,
  side,
  keys,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tip label={label} keys={keys} side={side}>
      <Base
        aria-label={label}
        aria-pressed={pressed}
        className={clsx(
          "inline-flex shrink-0 items-center justify-center transition-colors duration-100 disabled:pointer-events-none",
          iconKinds[kind],
          size === "sm" ? "size-7" : "size-8",
          className,
        )}
        {...rest}
      >
        {icon}
      </Base>
    </Tip>
  );
}
