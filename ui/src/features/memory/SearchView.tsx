// Search as recall does it: by words and by meaning, with both scores, the layer, the place and the reasons.

import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import type { MemoryHit } from "@/bindings/MemoryHit";
import type { SearchMode } from "@/bindings/SearchMode";
import { Segmented } from "@/shared/components/Field";
import { SearchField } from "@/shared/components/SearchField";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { duration } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { pathOf } from "@/shared/route";
import { useSettled } from "@/shared/useSettled";
import { useEntries, useSearch } from "./data";
import { memoryIcon } from "./kinds";

const modes = ["hybrid", "keyword", "vector"] as const satisfies readonly SearchMode[];

export function SearchView({ onOpen }: { onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const [text, setText] = useState("");
  const [mode, setMode] = useState<SearchMode>("hybrid");
  const asked = useDeferredValue(useSettled(text));
  const search = useSearch({ query: asked, k: 20, chars: null, now: null, layer: null, mode });
  const answer = search.data;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-6 py-3">
        <SearchField label={t("searchLabel")} value={text} onChange={setText} className="min-w-60 flex-1" autoFocus />
        <Segmented<SearchMode>
          label={t("mode")}
          value={mode}
          choices={modes.map((value) => ({ value, label: t(`modes.${value}`) }))}
          onChange={setMode}
        />
      </div>
      <section aria-label={t("results")} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        <div className="mx-auto flex max-w-[776px] flex-col gap-3 px-6 py-4">
          {search.isFetching && !answer && <Skeleton lines={6} />}
          {search.error && <Failure error={search.error} onRetry={() => void search.refetch()} />}
          {answer && (
            <p role="status" className="text-sm text-muted">
              {answer.nothing_found
                ? t("nothingFound")
                : t("found", { count: answer.hits.length, time: duration(Math.max(1, answer.took_ms)) })}
              {mode === "hybrid" && answer.mode === "keyword" && ` ${t("byWordsAlone")}`}
            </p>
          )}
          {answer?.hits.map((hit) => (
            <Hit key={`${hit.path}:${hit.from}:${hit.id}`} hit={hit} onOpen={onOpen} />
          ))}
        </div>
        {!asked.trim() && <Empty icon={memoryIcon} title={t("searchTitle")} body={t("searchBody")} />}
      </section>
    </>
  );
}

function Hit({ hit, onOpen }: { hit: MemoryHit; onOpen: (id: string) => void }) {
  const { t } = useTranslation("memory");
  const told = useSaid();
  const { id, path, from, to, layer, keyword, vector, text, why, superseded } = hit;
  // Other hits are places in files.
  const entry = useEntries().data?.some((known) => known.id === id);
  return (
    <article className="rounded-lg border border-line bg-raised px-4 py-3">
      <Markdown text={text} className="text-base" />
      {superseded && (
        <p className="mt-1 text-sm text-warn">
          {superseded.text ? t("holdsNow", { text: superseded.text }) : t("holdsNoMore")}
        </p>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <span className="rounded-full bg-active px-2 text-xs">{t(`layer.${layer}`)}</span>
        <Score label={t("byWords")} value={keyword} />
        <Score label={t("byMeaning")} value={vector} />
        <a href={`#${pathOf("persona", path)}`} className="selectable min-w-0 truncate hover:underline">
          {path}:{from === to ? from : `${from}–${to}`}
        </a>
        {entry && (
          <button type="button" className="text-ember-ink hover:underline" onClick={() => onOpen(id)}>
            {t("openEntry")}
          </button>
        )}
      </div>
      {why.length > 0 && <p className="selectable mt-1 text-sm text-faint break-words">{why.map(told).join(" · ")}</p>}
    </article>
  );
}

function Score({ label, value }: { label: string; value: number | null }) {
  const share = Math.max(0, Math.min(1, value ?? 0));
  return (
    <span className="flex items-center gap-2 tabular-nums">
      {label}
      <span aria-hidden className="h-1.5 w-14 overflow-hidden rounded-full bg-active">
        <span className="block h-full rounded-full bg-ember" style={{ width: `${share * 100}%` }} />
      </span>
      {value === null ? "–" : value.toFixed(2)}
    </span>
  );
}
