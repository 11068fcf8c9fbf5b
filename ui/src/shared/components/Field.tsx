// Form fields: label, control, help and error tied together for screen readers.

import { Field as Base } from "@base-ui/react/field";
import { Select as BaseSelect } from "@base-ui/react/select";
import { Switch as BaseSwitch } from "@base-ui/react/switch";
import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import clsx from "clsx";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";

const control =
  "h-9 w-full rounded-md border border-line-strong bg-raised px-3 text-base text-ink transition-colors duration-100 hover:border-faint disabled:opacity-50 data-[invalid]:border-bad";

interface FieldProps {
  label: string;
  help?: ReactNode;
  error?: string | null;
  children: ReactNode;
}

/** A label above its control. */
export function Field({ label, help, error, children }: FieldProps) {
  return (
    <Base.Root className="flex flex-col gap-1.5" invalid={Boolean(error)}>
      <Base.Label className="text-sm font-medium">{label}</Base.Label>
      {children}
      {help && <Base.Description className="text-sm text-muted">{help}</Base.Description>}
      {error && (
        <Base.Error className="text-sm text-bad" match>
          {error}
        </Base.Error>
      )}
    </Base.Root>
  );
}

export function TextInput({ className, ...rest }: ComponentProps<typeof Base.Control>) {
  return <Base.Control className={clsx(control, className)} {...rest} />;
}

interface SecretFieldProps extends Omit<FieldProps, "children"> {
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}

/** A field for what nobody shall read over a shoulder, and no browser keep: a key, a passphrase. */
export function SecretField({ value, placeholder, onChange, ...field }: SecretFieldProps) {
  return (
    <Field {...field}>
      <TextInput
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

interface Choice<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> {
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
  label?: string;
  disabled?: boolean;
  className?: string;
}

export function Select<Value extends string>({
  value,
  choices,
  onChange,
  label,
  disabled,
  className,
}: SelectProps<Value>) {
  return (
    <BaseSelect.Root
      items={choices}
      value={value}
      disabled={disabled}
      onValueChange={(next) => next !== null && onChange(next as Value)}
    >
      <BaseSelect.Trigger
        aria-label={label}
        className={clsx(control, "flex items-center justify-between gap-2", className)}
      >
        <BaseSelect.Value className="truncate" />
        <BaseSelect.Icon>
          <ChevronsUpDown aria-hidden className="size-4 text-muted" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <BaseSelect.Popup className="pop max-h-80 min-w-[var(--anchor-width)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg outline-none">
            {choices.map((choice) => (
              <BaseSelect.Item
                key={choice.value}
                value={choice.value}
                className="flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 outline-none data-[highlighted]:bg-active"
              >
                <span className="flex size-4 shrink-0 items-center justify-center">
                  <BaseSelect.ItemIndicator>
                    <Check aria-hidden className="size-4 text-ember-ink" />
                  </BaseSelect.ItemIndicator>
                </span>
                <BaseSelect.ItemText>{choice.label}</BaseSelect.ItemText>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  disabled?: boolean;
}

export function Switch({ checked, onChange, label, disabled }: SwitchProps) {
  return (
    <BaseSwitch.Root
      checked={checked}
      onCheckedChange={onChange}
      aria-label={label}
      disabled={disabled}
      className="flex h-5 w-9 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors duration-150 data-[checked]:bg-ember"
    >
      <BaseSwitch.Thumb className="size-4 rounded-full bg-raised shadow-sm transition-transform duration-150 data-[checked]:translate-x-4" />
    </BaseSwitch.Root>
  );
}

/** A few choices side by side; one is taken. */
export function Segmented<Value extends string>({
  value,
  choices,
  onChange,
  label,
}: SelectProps<Value> & { label: string }) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={(next) => next[0] && onChange(next[0] as Value)}
      className="inline-flex rounded-md bg-sunken p-0.5"
    >
      {choices.map((choice) => (
        <Toggle
          key={choice.value}
          value={choice.value}
          className="h-7 rounded-sm px-3 text-sm text-muted transition-colors duration-100 hover:text-ink data-[pressed]:bg-raised data-[pressed]:text-ink data-[pressed]:shadow-sm"
        >
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
