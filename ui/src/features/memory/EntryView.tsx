// One entry: what it says, where it comes from, what happened to it, and what can be done: edit, correct, forget.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { EntryView as View } from "@/bindings/EntryView";
import { Button } from "@/shared/components/Button";
import { Confirm } from "@/shared/components/Dialog";
import { Failure, Skeleton } from "@/shared/components/State";
import { dateTime, percent } from "@/shared/format";
import { Markdown } from "@/shared/markdown/Markdown";
import { unmarked } from "@/shared/markdown/unmarked";
import { go, pathOf } from "@/shared/route";
import { bringBack, correctEntry, editEntry, forgetEntry, useEntry } from "./data";
import { kindName } from "./EntriesView";
import { EntryForm } from "./EntryForm";
import { EntryHistory } from "./EntryHistory";

interface EntryViewProps {
  id: string;
  onOpen: (id: string) => void;
}

export function EntryView({ id, onOpen }: EntryViewProps) {
  const entry = useEntry(id);
  if (entry.isPending) return <Skeleton lines={6} className="p-4" />;
  if (entry.error) return <Failure error={entry.error} onRetry={() => void entry.refetch()} className="m-4" />;
  return (
    <div className="flex flex-col gap-5 p-4">
      {entry.data.row ? (
        <Standing id={id} view={entry.data} row={entry.data.row} />
      ) : (
        <Gone id={id} view={entry.data} />
      )}
      <Provenance view={entry.data} />
      <EntryHistory history={entry.data.history} onOpen={onOpen} />
    </div>
  );
}

function Standing({ id, view, row }: { id: string; view: View; row: NonNullable<View["row"]> }) {
  const { t } = useTranslation("memory");
  const [way, setWay] = useState<"read" | "edit" | "correct" | "forget">("read");
  const { title, text, status } = row;
  const back = () => setWay("read");
  if (way === "edit")
    return <EntryForm title={title} text={text} onCancel={back} onSave={(name, words) => editEntry(id, name, words)} />;
  if (way === "correct")
    return (
      <EntryForm text={text} help={t("correctHelp")} onCancel={back} onSave={(_, words) => correctEntry(id, words)} />
    );
  const replacement = /^superseded by (\S+)/.exec(status)?.[1];
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-lg font-semibold">{unmarked(title)}</h3>
      {replacement && <p className="rounded-md bg-warn-soft px-3 py-1.5 text-sm">{t("replacedLong")}</p>}
      {status === "expired" && <p className="rounded-md bg-active px-3 py-1.5 text-sm">{t("expiredLong")}</p>}
      <Markdown text={text} className="text-base" />
      {status === "active" && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="sm" onClick={() => setWay("edit")}>
            {t("edit")}
          </Button>
          <Button size="sm" onClick={() => setWay("correct")}>
            {t("correct")}
          </Button>
          <Button size="sm" onClick={() => setWay("forget")}>
            {t("forget")}
          </Button>
        </div>
      )}
      <Confirm
        open={way === "forget"}
        onClose={back}
        title={t("forgetTitle")}
        body={t("forgetBody", { times: view.seen })}
        action={t("forget")}
        danger
        onConfirm={() => forgetEntry(id, false)}
      />
    </section>
  );
}

/** An entry that is in no file any more. */
function Gone({ id, view }: { id: string; view: View }) {
  const { t } = useTranslation("memory");
  const [erasing, setErasing] = useState(false);
  const until = view.forgotten_until;
  return (
    <section className="flex flex-col gap-2">
      <p className="text-muted">{until === null ? t("goneLong") : t("forgottenLong", { until: dateTime(until) })}</p>
      {until !== null && (
        <div className="flex gap-2">
          <Button size="sm" kind="primary" onClick={() => void bringBack(id)}>
            {t("bringBack")}
          </Button>
          <Button size="sm" onClick={() => setErasing(true)}>
            {t("erase")}
          </Button>
        </div>
      )}
      <Confirm
        open={erasing}
        onClose={() => setErasing(false)}
        title={t("eraseTitle")}
        body={t("eraseBody")}
        action={t("erase")}
        danger
        onConfirm={() => forgetEntry(id, true)}
      />
    </section>
  );
}

function Provenance({ view }: { view: View }) {
  const { t } = useTranslation("memory");
  const { row, source, confidence, seen, expiry } = view;
  const session = /session ([^\s,]+)/.exec(source)?.[1];
  return (
    <section aria-label={t("provenance")}>
      <h3 className="mb-1 text-sm font-medium">{t("provenance")}</h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {row?.kind && <Fact name={t("kindLabel")} value={kindName(t, row.kind)} />}
        {row?.at != null && <Fact name={t("written")} value={dateTime(row.at)} />}
        {confidence !== null && <Fact name={t("confidence")} value={percent(confidence)} />}
        {seen > 1 && <Fact name={t("seen")} value={t("times", { count: seen })} />}
        {expiry !== null && <Fact name={t("until")} value={dateTime(expiry)} />}
        {source && !session && <Fact name={t("from")} value={source === "user" ? t("source.you") : source} />}
      </dl>
      <div className="mt-2 flex flex-wrap gap-2">
        {session && (
          <Button size="sm" onClick={() => go(pathOf("chat", session))}>
            {t("openSession")}
          </Button>
        )}
        {row && (
          <Button size="sm" onClick={() => go(pathOf("persona", row.path))}>
            {t("openFile", { path: row.path, line: row.lines[0] })}
          </Button>
        )}
      </div>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="selectable min-w-0 break-words">{value}</dd>
    </>
  );
}
