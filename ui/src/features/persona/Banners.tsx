// What the person should know about the open file: changed by somebody else, overlapping edits, a text that shrinks, a
// save that failed.

import clsx from "clsx";
import { GitMerge, LayoutTemplate, Scissors, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/shared/components/Button";
import { Failure } from "@/shared/components/State";
import { count } from "@/shared/format";
import { dismissNote, revert, save, useDocuments } from "./documents";

const ConflictDialog = lazy(() => import("./ConflictDialog"));

interface BannersProps {
  path: string;
  /** Offers texts to start from, where there are some. */
  onTemplates?: () => void;
}

export function Banners({ path, onTemplates }: BannersProps) {
  const { t } = useTranslation("persona");
  const there = useDocuments((all) => path in all);
  const phase = useDocuments((all) => all[path]?.phase);
  const error = useDocuments((all) => all[path]?.error);
  const shrink = useDocuments((all) => all[path]?.shrink);
  const note = useDocuments((all) => all[path]?.note);
  const blank = useDocuments((all) => all[path]?.text.trim() === "");
  if (!there) return null;
  return (
    <div className="flex shrink-0 flex-col gap-2 px-6 pt-3 empty:hidden">
      {blank && onTemplates && phase !== "conflict" && (
        <Banner kind="quiet" icon={<LayoutTemplate aria-hidden className="size-4 shrink-0" />}>
          <p className="min-w-0 flex-1">{t("blank")}</p>
          <Button size="sm" onClick={onTemplates}>
            {t("chooseTemplate")}
          </Button>
        </Banner>
      )}
      {phase === "conflict" && <ConflictBanner path={path} />}
      {phase === "failed" && <Failure error={error} onRetry={() => void save(path)} />}
      {shrink && (
        <Banner kind="warn" icon={<Scissors aria-hidden className="size-4 shrink-0" />}>
          <p className="min-w-0 flex-1">{t("shrinks", { from: count(shrink.from), to: count(shrink.to) })}</p>
          <Button size="sm" onClick={() => revert(path)}>
            {t("bringBack")}
          </Button>
          <Button size="sm" onClick={() => void save(path, true)}>
            {t("saveAnyway")}
          </Button>
        </Banner>
      )}
      {note && phase !== "conflict" && (
        <Banner kind="quiet" icon={<GitMerge aria-hidden className="size-4 shrink-0" />}>
          <p className="min-w-0 flex-1">{t(`note.${note.kind}`, { who: t(`author.${note.author ?? "unknown"}`) })}</p>
          <IconButton
            label={t("dismiss")}
            size="sm"
            icon={<X className="size-4" />}
            onClick={() => dismissNote(path)}
          />
        </Banner>
      )}
    </div>
  );
}

function ConflictBanner({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const [open, setOpen] = useState(false);
  return (
    <Banner kind="warn" icon={<GitMerge aria-hidden className="size-4 shrink-0" />}>
      <p className="min-w-0 flex-1">{t("conflict")}</p>
      <Button size="sm" onClick={() => setOpen(true)}>
        {t("compare")}
      </Button>
      {open && (
        <Suspense>
          <ConflictDialog path={path} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Banner>
  );
}

function Banner({ kind, icon, children }: { kind: "quiet" | "warn"; icon: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className={clsx(
        "flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-4 py-1.5",
        kind === "warn" ? "bg-warn-soft [&>svg]:text-warn" : "bg-sunken [&>svg]:text-muted",
      )}
    >
      {icon}
      {children}
    </div>
  );
}
