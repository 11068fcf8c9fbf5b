// The list of commands above the field. Keys are the field's; here they are only shown and clicked.

import clsx from "clsx";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Choice } from "./slash";

interface SlashMenuProps {
  choices: readonly Choice[];
  marked: number;
  onChoose: (command: Choice) => void;
}

export function SlashMenu({ choices, marked, onChoose }: SlashMenuProps) {
  const { t, i18n } = useTranslation("chat");
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[marked]?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  const about = (name: string) =>
    i18n.exists(`chat:command.${name}`) ? i18n.t(`chat:command.${name}` as "chat:command.help") : "";
  const argument = ({ name, argument: written }: Choice) =>
    i18n.exists(`chat:commandArgument.${name}`) ? t(`commandArgument.${name as "skill"}`) : written;
  return (
    <div
      ref={list}
      id="slash-menu"
      role="listbox"
      tabIndex={-1}
      aria-label={t("commands")}
      className="absolute right-4 bottom-full left-4 z-20 mb-1 max-h-[344px] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg"
    >
      {choices.map((command, at) => (
        <div
          key={command.name}
          id={`slash-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === marked}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(command);
          }}
          className={clsx(
            "flex items-baseline gap-3 rounded-sm px-3 py-1.5",
            at === marked ? "bg-active" : "hover:bg-hover",
          )}
        >
          <span className="font-medium">
            /{command.name}
            {command.argument && <span className="font-normal text-muted"> {argument(command)}</span>}
          </span>
          {command.aliases[0] && i18n.language.startsWith("zh") && (
            <span className="text-muted">/{command.aliases[0]}</span>
          )}
          <span className="min-w-0 flex-1 truncate text-right text-sm text-muted">
            {command.about ?? about(command.name)}
          </span>
        </div>
      ))}
    </div>
  );
}
