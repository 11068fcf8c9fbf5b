// One thing that happened to a memory, in two lines.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import type { EntryEvent } from "@/bindings/EntryEvent";
import { clock } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { unmarked } from "@/shared/markdown/unmarked";
import { kindColours, kindIcons } from "./kinds";
import { sourceOf } from "./timeline";

export function EventRow({ event, onOpen }: { event: EntryEvent; onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const told = useSaid();
  const { change, title, text, at, author, why, entry } = event;
  const words = unmarked(text) || t("wordsGone");
  return (
    <button
      type="button"
      onClick={() => onOpen(entry)}
      className="flex h-full w-full items-center gap-3 px-6 text-left outline-offset-[-2px] hover:bg-hover"
    >
      <span
        aria-hidden
        className={clsx("flex size-8 shrink-0 items-center justify-center rounded-full", kindColours[change])}
      >
        {kindIcons[change]}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="shrink-0 text-sm text-muted">{t(`change.${change}`)}</span>
          <span className="truncate font-medium">{unmarked(title)}</span>
        </span>
        <span className={clsx("block truncate", text ? "text-ink" : "text-faint italic")}>{words}</span>
      </span>
      <span className="shrink-0 text-right text-xs text-faint tabular-nums">
        <span className="block">{clock(at)}</span>
        <span className="block max-w-40 truncate" title={told(why)}>
          {t(`source.${sourceOf(author)}`)}
        </span>
      </span>
    </button>
  );
}
