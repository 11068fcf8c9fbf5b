// Versions of a file: who wrote each and when, what changed since, and bringing one back.

import { Collapsible } from "@base-ui/react/collapsible";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FileDiff } from "@/bindings/FileDiff";
import type { RevisionRow } from "@/bindings/RevisionRow";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { say, sayProblem } from "@/shared/components/Toasts";
import { bytes, dateTime } from "@/shared/format";
import { keys } from "@/shared/queries";
import { reading, small } from "./codemirror";
import { restore, useDocuments } from "./documents";

export function History({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  // Under the key of the file, so that each change of it asks again.
  const rows = useQuery({
    queryKey: [...keys.file(path), "history"],
    queryFn: () => call("files_history", { path }),
    staleTime: 0,
  });
  if (rows.isPending) return <Skeleton lines={6} className="p-4" />;
  if (rows.error) return <Failure error={rows.error} onRetry={() => void rows.refetch()} className="m-4" />;
  if (rows.data.length === 0) return <Empty title={t("noHistory")} body={t("noHistoryBody")} />;
  return (
    <ol className="flex flex-col gap-0.5 p-2">
      {rows.data.map((row, at) => (
        <Version key={row.rev} row={row} current={at === 0} newest={rows.data[0]?.rev} />
      ))}
    </ol>
  );
}

interface VersionProps {
  row: RevisionRow;
  current: boolean;
  newest: number | undefined;
}

function Version({ row, current, newest }: VersionProps) {
  const { t } = useTranslation("persona");
  const [open, setOpen] = useState(false);
  const detail = [t(`author.${row.author}`), row.deleted ? t("deleted") : bytes(row.bytes)];
  if (row.turn) detail.push(t("turn", { turn: row.turn.slice(-6) }));
  return (
    <li>
      <Collapsible.Root open={open} onOpenChange={setOpen} className="rounded-md">
        <Collapsible.Trigger className="group flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">
              {dateTime(row.at)}
              {current && <span className="ml-2 text-sm font-normal text-ember-ink">{t("current")}</span>}
            </span>
            <span className="block truncate text-sm text-muted">{detail.join(" · ")}</span>
          </span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="flex flex-col gap-3 px-2 pt-1 pb-4">
          <Difference path={row.path} rev={row.rev} />
          {!current && !row.deleted && <Restore row={row} newest={newest} />}
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}

function Restore({ row, newest }: { row: RevisionRow; newest: number | undefined }) {
  const { t } = useTranslation("persona");
  const [busy, setBusy] = useState(false);
  const back = (rev: number) => restore(row.path, rev).catch(sayProblem);
  const run = async () => {
    setBusy(true);
    const unsaved = useDocuments.getState()[row.path]?.phase !== "clean";
    try {
      await restore(row.path, row.rev);
      const undo =
        newest === undefined || unsaved ? undefined : { label: i18next.t("undo"), run: () => void back(newest) };
      say(t("restored", { when: dateTime(row.at) }), undo);
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" className="self-start" busy={busy} onClick={() => void run()}>
      {t("restore")}
    </Button>
  );
}

function Difference({ path, rev }: { path: string; rev: number }) {
  const { t } = useTranslation("persona");
  const diff = useQuery({
    queryKey: [...keys.file(path), "diff", rev],
    queryFn: () => call("files_diff", { path, rev }),
    gcTime: 0,
  });
  if (diff.isPending) return <Skeleton lines={3} />;
  if (diff.error) return <Failure error={diff.error} onRetry={() => void diff.refetch()} />;
  if (diff.data.before === diff.data.after) return <p className="text-sm text-muted">{t("same")}</p>;
  return (
    <>
      <p className="text-sm text-muted">{t("sinceThen")}</p>
      <DiffView diff={diff.data} />
    </>
  );
}

function DiffView({ diff }: { diff: FileDiff }) {
  const { t } = useTranslation("persona");
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const view = new EditorView({
      parent: host.current,
      doc: diff.after,
      extensions: [
        small,
        reading,
        EditorState.phrases.of({ "$ unchanged lines": t("unchanged") }),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ "aria-label": t("differences") }),
        unifiedMergeView({
          original: diff.before.replace(/\r\n?/g, "\n"),
          mergeControls: false,
          gutter: false,
          syntaxHighlightDeletions: false,
          collapseUnchanged: { margin: 2, minSize: 5 },
        }),
      ],
    });
    return () => view.destroy();
  }, [diff, t]);
  return <div ref={host} className="selectable max-h-96 overflow-auto rounded-md border border-line bg-raised" />;
}
