// The narrow bar on the left that leads to the pages.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import { useApprovals } from "@/shared/approvals/ApprovalCard";
import { Tip } from "@/shared/components/Tip";
import { keysText } from "@/shared/keys";
import { useNotices } from "@/shared/notices";
import { pathOf } from "@/shared/route";
import type { PageEntry } from "./pages";

export function Rail({ pages, current }: { pages: readonly PageEntry[]; current: string }) {
  const { t } = useTranslation();
  const waiting: Partial<Record<PageEntry["id"], number>> = {
    activity: useApprovals().data?.filter(({ state }) => state === "asked").length ?? 0,
    heartbeat: useNotices().data?.filter(({ state }) => state === "new").length ?? 0,
  };
  const name = (id: PageEntry["id"]) => (waiting[id] ? t("waitingCount", { page: t(id), count: waiting[id] }) : t(id));
  return (
    <nav
      aria-label={t("pages")}
      className="flex w-14 shrink-0 flex-col items-center gap-1 overflow-y-auto border-r border-line py-3"
    >
      {pages.map(({ id, icon }, index) => (
        <Tip key={id} label={name(id)} keys={keysText(`Mod+${index + 1}`)} side="right">
          <a
            href={`#${pathOf(id)}`}
            aria-label={name(id)}
            aria-current={id === current ? "page" : undefined}
            draggable={false}
            className={clsx(
              "relative flex size-10 shrink-0 items-center justify-center rounded-lg transition-colors duration-100",
              id === current ? "bg-ember-soft text-ember-ink" : "text-muted hover:bg-hover hover:text-ink",
              id === "settings" && "mt-auto",
            )}
          >
            {icon}
            {Boolean(waiting[id]) && (
              <span
                aria-hidden
                className="absolute top-0.5 right-0.5 flex h-4 min-w-4 items-center justify-center rounded-full bg-ember px-1 text-[11px] leading-none text-on-ember tabular-nums"
              >
                {waiting[id]}
              </span>
            )}
          </a>
        </Tip>
      ))}
    </nav>
  );
}
