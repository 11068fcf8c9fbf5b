// The narrow bar on the left that leads to the pages.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import { Tip } from "@/shared/components/Tip";
import { keysText } from "@/shared/keys";
import { pathOf } from "@/shared/route";
import type { PageEntry } from "./pages";

export function Rail({ pages, current }: { pages: readonly PageEntry[]; current: string }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t("pages")} className="flex w-14 shrink-0 flex-col items-center gap-1 border-r border-line py-3">
      {pages.map(({ id, icon }, index) => (
        <Tip key={id} label={t(id)} keys={keysText(`Mod+${index + 1}`)} side="right">
          <a
            href={`#${pathOf(id)}`}
            aria-label={t(id)}
            aria-current={id === current ? "page" : undefined}
            draggable={false}
            className={clsx(
              "relative flex size-10 items-center justify-center rounded-lg transition-colors duration-100",
              id === current ? "bg-ember-soft text-ember-ink" : "text-muted hover:bg-hover hover:text-ink",
              id === "settings" && "mt-auto",
            )}
          >
            {icon}
          </a>
        </Tip>
      ))}
    </nav>
  );
}
