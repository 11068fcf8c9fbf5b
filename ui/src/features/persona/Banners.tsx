// What the person should know about the open file: changed by somebody else, overlapping edits, a text that shrinks, a
// save that failed.

import clsx from "clsx";
import { GitMerge, Scissors, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/shared/components/Button";
import { Failure } from "@/shared/components/State";
import { count } from "@/shared/format";
import { dismissNote, revert, save, useDocuments } from "./documents";

const ConflictDialog = lazy(() => import("./ConflictDialog"));

export function Banners({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const document = useDocuments((all) => all[path]);
  if (!document) return null;
  const { phase, error, shrink, note } = document;
  return (
    <div className="flex shrink-0 flex-col gap-2 px-6 pt-3 empty:hidden">
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
