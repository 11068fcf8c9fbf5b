// The Memory page: what happened to memory by day, what it holds, and search. Its path is `/memory/VIEW`, with
// `/memory/VIEW/ENTRY` where an entry is open beside it.

import { Database, GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { Inspector } from "@/shared/components/Inspector";
import { PageHeader } from "@/shared/components/Page";
import { count } from "@/shared/format";
import { go, pathOf, useParts } from "@/shared/route";
import { ConflictsView } from "./ConflictsView";
import { useConflicts, useStatus } from "./data";
import { EntriesView } from "./EntriesView";
import { EntryView } from "./EntryView";
import { IndexView } from "./IndexView";
import { SearchView } from "./SearchView";
import { TimelineView } from "./TimelineView";
import { type View, views } from "./views";

type Side = "index" | "conflicts" | null;

export function MemoryPage() {
  const { t } = useTranslation("memory");
  const [, first, entry] = useParts();
  const view = views.find((known) => known === first) ?? "timeline";
  const [side, setSide] = useState<Side>(null);
  const open = (id: string) => {
    setSide(null);
    go(pathOf("memory", view, id));
  };
  const close = () => {
    setSide(null);
    if (entry) go(pathOf("memory", view), { replace: true });
  };
  const Content = { timeline: TimelineView, entries: EntriesView, search: SearchView }[view];
  return (
    <main aria-label={t("title")} className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader
        title={t("title")}
        actions={
          <>
            <IndexButton onOpen={() => setSide("index")} />
            <Segmented<View>
              label={t("view")}
              value={view}
              choices={views.map((value) => ({ value, label: t(`views.${value}`) }))}
              onChange={(next) => go(pathOf("memory", next))}
            />
          </>
        }
      />
      <ConflictsBanner onOpen={() => setSide("conflicts")} />
      <Content onOpen={open} />
      {side === null && entry && (
        <Inspector title={t("entry")} onClose={close}>
          <EntryView key={entry} id={entry} onOpen={open} />
        </Inspector>
      )}
      {side === "index" && (
        <Inspector title={t("index")} onClose={close}>
          <IndexView />
        </Inspector>
      )}
      {side === "conflicts" && (
        <Inspector title={t("conflicts")} onClose={close}>
          <ConflictsView />
        </Inspector>
      )}
    </main>
  );
}

function IndexButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation("memory");
  const status = useStatus().data;
  if (!status) return null;
  const { progress, model, chunks } = status;
  const text = progress
    ? t("indexing", { done: count(progress.done), total: count(progress.total) })
    : t(model ? "indexed" : "wordsOnly", { count: chunks, shown: count(chunks) });
  return (
    <Button kind="quiet" size="sm" className="mr-2" icon={<Database aria-hidden className="size-4" />} onClick={onOpen}>
      {text}
    </Button>
  );
}

function ConflictsBanner({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation("memory");
  const conflicts = useConflicts().data ?? [];
  if (conflicts.length === 0) return null;
  return (
    <div role="status" className="flex items-center gap-3 border-b border-line bg-warn-soft px-6 py-2">
      <GitCompareArrows aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 flex-1">{t("toSettle", { count: conflicts.length })}</p>
      <Button size="sm" onClick={onOpen}>
        {t("settle")}
      </Button>
    </div>
  );
}
