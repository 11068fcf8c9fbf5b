// What memory holds now: every entry of its files, and a field to add one.

import clsx from "clsx";
import { type FormEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EntryRow } from "@/bindings/EntryRow";
import { Button } from "@/shared/components/Button";
import { SearchField } from "@/shared/components/SearchField";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { VirtualList } from "@/shared/components/VirtualList";
import { when } from "@/shared/format";
import { unmarked } from "@/shared/markdown/unmarked";
import { addEntry, useEntries } from "./data";
import { memoryIcon } from "./kinds";

const heightOf = () => 64;
const keyOf = (row: EntryRow) => `${row.path}:${row.lines[0]}:${row.id}`;
const focusable = () => true;
const none: EntryRow[] = [];

export function EntriesView({ onOpen }: { onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const entries = useEntries();
  const [text, setText] = useState("");
  const [past, setPast] = useState(false);
  const all = entries.data ?? none;
  const rows = useMemo(() => fitting(all, text, past), [all, text, past]);
  if (entries.isPending) return <Skeleton lines={8} className="p-6" />;
  if (entries.error) return <Failure error={entries.error} onRetry={() => void entries.refetch()} className="m-6" />;
  return (
    <>
      <div className="flex flex-col gap-2 border-b border-line px-6 py-3">
        <Adding />
        <div className="flex flex-wrap items-center gap-2">
          <SearchField label={t("filterText")} value={text} onChange={setText} className="min-w-48 flex-1" />
          <Button
            size="sm"
            kind="quiet"
            aria-pressed={past}
            className="aria-pressed:bg-active"
            onClick={() => setPast(!past)}
          >
            {t("showPast")}
          </Button>
        </div>
      </div>
      {all.length === 0 && <Empty icon={memoryIcon} title={t("emptyTitle")} body={t("emptyBody")} />}
      {all.length > 0 && rows.length === 0 && <p className="p-6 text-muted">{t("noneFits")}</p>}
      {rows.length > 0 && (
        <VirtualList rows={rows} label={t("views.entries")} heightOf={heightOf} keyOf={keyOf} focusable={focusable}>
          {(row) => <Entry row={row} onOpen={onOpen} />}
        </VirtualList>
      )}
    </>
  );
}

function fitting(rows: readonly EntryRow[], text: string, past: boolean): EntryRow[] {
  const wanted = text.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter(({ status }) => past || status === "active")
    .filter(({ title, text: said }) => wanted.every((word) => `${title} ${said}`.toLocaleLowerCase().includes(word)))
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

function Entry({ row, onOpen }: { row: EntryRow; onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const { id, title, text, kind, at, status, path } = row;
  const active = status === "active";
  return (
    <button
      type="button"
      onClick={() => onOpen(id)}
      className="flex h-full w-full items-center gap-4 border-b border-line px-6 text-left outline-offset-[-2px] hover:bg-hover"
    >
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className={clsx("truncate font-medium", !active && "text-muted line-through")}>{unmarked(title)}</span>
          {kind && <span className="shrink-0 rounded-full bg-active px-2 text-xs text-muted">{kindName(t, kind)}</span>}
          {!active && (
            <span className="shrink-0 text-xs text-faint">{t(status === "expired" ? "expired" : "replaced")}</span>
          )}
        </span>
        <span className="block truncate text-muted">{unmarked(text)}</span>
      </span>
      <span className="shrink-0 text-right text-xs text-faint tabular-nums">
        {at !== null && <span className="block">{when(at)}</span>}
        <span className="block max-w-48 truncate">{path}</span>
      </span>
    </button>
  );
}

const kinds = ["fact", "preference", "event", "decision", "lesson"] as const;

/** The kind in the person's language; kinds of a person's own stay as written. */
export function kindName(t: (key: `kind.${(typeof kinds)[number]}`) => string, kind: string): string {
  const known = kinds.find((name) => name === kind);
  return known ? t(`kind.${known}`) : kind;
}

function Adding() {
  const { t } = useTranslation("memory");
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!text.trim()) return;
    setBusy(true);
    if (await addEntry(text.trim())) setText("");
    setBusy(false);
  };
  return (
    <form className="flex gap-2" onSubmit={(event) => void add(event)}>
      <input
        value={text}
        onChange={({ target }) => setText(target.value)}
        aria-label={t("addLabel")}
        placeholder={t("addLabel")}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-3"
      />
      <Button type="submit" busy={busy} disabled={!text.trim()}>
        {t("add")}
      </Button>
    </form>
  );
}
