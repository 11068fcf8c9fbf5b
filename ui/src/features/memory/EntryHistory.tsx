// What happened to an entry, the newest first.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import type { EntryEvent } from "@/bindings/EntryEvent";
import { dateTime } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { kindColours, kindIcons } from "./kinds";
import { keyOf, sourceOf } from "./timeline";

interface EntryHistoryProps {
  history: readonly EntryEvent[];
  onOpen: (id: string) => void;
}

export function EntryHistory({ history, onOpen }: EntryHistoryProps) {
  const { t } = useTranslation("memory");
  if (history.length === 0) return null;
  return (
    <section aria-label={t("history")}>
      <h3 className="mb-2 text-sm font-medium">{t("history")}</h3>
      <ol className="flex flex-col gap-3">
        {history.toReversed().map((event) => (
          <li key={keyOf(event)} className="flex gap-3">
            <span
              aria-hidden
              className={clsx(
                "flex size-7 shrink-0 items-center justify-center rounded-full",
                kindColours[event.change],
              )}
            >
              {kindIcons[event.change]}
            </span>
            <div className="min-w-0 flex-1 text-sm">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{t(`change.${event.change}`)}</span>
                <span className="text-muted">
                  {t(`source.${sourceOf(event.author)}`)} · {dateTime(event.at)}
                </span>
              </p>
              {event.why && (
                <p className="selectable text-muted break-words">
                  <Said text={event.why} />
                </p>
              )}
              {event.text && <p className="selectable line-clamp-3 break-words">{event.text}</p>}
              {event.other && (
                <button
                  type="button"
                  className="text-ember-ink hover:underline"
                  onClick={() => onOpen(event.other ?? "")}
                >
                  {t("openOther")}
                </button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
