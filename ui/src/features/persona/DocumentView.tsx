// One open file: its heading, what there is to know about it, the editor, the preview, the budget.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Eye, History as HistoryIcon, ListOrdered, Search } from "lucide-react";
import { useDeferredValue, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FileRow } from "@/bindings/FileRow";
import { IconButton } from "@/shared/components/Button";
import { Inspector } from "@/shared/components/Inspector";
import { PageHeader } from "@/shared/components/Page";
import { Failure, Skeleton } from "@/shared/components/State";
import { keysText } from "@/shared/keys";
import { Markdown } from "@/shared/markdown/Markdown";
import { Banners } from "./Banners";
import { BudgetMeter } from "./BudgetMeter";
import { openDocument, useDocuments } from "./documents";
import { Editor, type EditorHandle } from "./Editor";
import { nameOf } from "./FileList";
import { purposeOf } from "./files";
import { History } from "./History";
import { Problems } from "./Problems";
import { SaveState } from "./SaveState";
import { useChoice } from "./useChoice";

interface DocumentViewProps {
  path: string;
  row: FileRow | undefined;
}

export function DocumentView({ path, row }: DocumentViewProps) {
  const { t } = useTranslation("persona");
  const opened = useQuery({
    queryKey: ["document", path],
    queryFn: () => openDocument(path).then(() => true),
    staleTime: 0,
    gcTime: 0,
  });
  const there = useDocuments((all) => path in all);
  const [preview, setPreview] = useChoice("preview");
  const [numbered, setNumbered] = useChoice("numbers");
  const [history, setHistory] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const actions = (
    <>
      <SaveState path={path} />
      <IconButton
        label={t("findInFile")}
        keys={keysText("Mod+F")}
        icon={<Search className="size-4" />}
        onClick={() => editor.current?.find()}
      />
      <IconButton
        label={t("lineNumbers")}
        pressed={numbered}
        icon={<ListOrdered className="size-4" />}
        onClick={() => setNumbered(!numbered)}
      />
      <IconButton
        label={t("preview")}
        pressed={preview}
        icon={<Eye className="size-4" />}
        onClick={() => setPreview(!preview)}
      />
      <IconButton
        label={t("history")}
        pressed={history}
        icon={<HistoryIcon className="size-4" />}
        onClick={() => setHistory(!history)}
      />
    </>
  );
  return (
    <>
      <PageHeader title={nameOf(path)} level={2} actions={there ? actions : undefined} />
      {opened.error && !there && <Failure error={opened.error} onRetry={() => void opened.refetch()} className="m-6" />}
      {opened.isPending && !there && <Skeleton lines={8} className="max-w-[820px] p-8" />}
      {there && (
        <>
          <Banners path={path} />
          <div className="flex min-h-0 flex-1">
            <div className={clsx("min-w-0 flex-1", preview && "border-r border-line")}>
              <Editor path={path} numbered={numbered} placeholder={t(`hint.${purposeOf(path)}`)} handle={editor} />
            </div>
            {preview && <Preview path={path} />}
          </div>
          <Problems path={path} onGo={(line) => editor.current?.goToLine(line)} />
          <BudgetMeter path={path} row={row} />
        </>
      )}
      {history && (
        <Inspector title={t("history")} onClose={() => setHistory(false)}>
          <History path={path} />
        </Inspector>
      )}
    </>
  );
}

function Preview({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const text = useDeferredValue(useDocuments((all) => all[path]?.text ?? ""));
  return (
    <section aria-label={t("preview")} tabIndex={0} className="min-w-0 flex-1 overflow-y-auto px-8 py-5">
      {text.trim() ? <Markdown text={text} /> : <p className="text-muted">{t("previewEmpty")}</p>}
    </section>
  );
}
