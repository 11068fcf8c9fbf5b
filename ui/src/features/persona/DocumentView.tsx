// One open file: its heading, what there is to know about it, the editor, the preview, the budget.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Eye, History as HistoryIcon, LayoutTemplate, ListOrdered, MessageCircleQuestion, Search } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FileRow } from "@/bindings/FileRow";
import { Button, IconButton } from "@/shared/components/Button";
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
import { hasTemplates, purposeOf } from "./files";
import { History } from "./History";
import { Problems } from "./Problems";
import { SaveState } from "./SaveState";
import { TryPanel } from "./TryPanel";
import { useChoice } from "./useChoice";
import { useRestedText } from "./useRestedText";

const TemplateDialog = lazy(() => import("./TemplateDialog"));

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
  const [beside, setBeside] = useState<"history" | "try" | null>(null);
  const [choosing, setChoosing] = useState(false);
  const purpose = purposeOf(path);
  const toggle = (panel: "history" | "try") => setBeside(beside === panel ? null : panel);
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
      {hasTemplates(purpose) && (
        <IconButton
          label={t("templates")}
          icon={<LayoutTemplate className="size-4" />}
          onClick={() => setChoosing(true)}
        />
      )}
      <IconButton
        label={t("history")}
        pressed={beside === "history"}
        icon={<HistoryIcon className="size-4" />}
        onClick={() => toggle("history")}
      />
      {purpose !== "log" && purpose !== "other" && (
        <Button
          size="sm"
          className="ml-1"
          aria-pressed={beside === "try"}
          icon={<MessageCircleQuestion aria-hidden className="size-4" />}
          onClick={() => toggle("try")}
        >
          {t("try")}
        </Button>
      )}
    </>
  );
  return (
    <>
      <PageHeader title={nameOf(path)} level={2} actions={there ? actions : undefined} />
      {opened.error && !there && <Failure error={opened.error} onRetry={() => void opened.refetch()} className="m-6" />}
      {opened.isPending && !there && <Skeleton lines={8} className="max-w-[820px] p-8" />}
      {there && (
        <>
          <Banners path={path} onTemplates={hasTemplates(purpose) ? () => setChoosing(true) : undefined} />
          <div className="flex min-h-0 flex-1">
            <div className={clsx("min-w-0 flex-1", preview && "border-r border-line")}>
              <Editor path={path} numbered={numbered} placeholder={t(`hint.${purpose}`)} handle={editor} />
            </div>
            {preview && <Preview path={path} />}
          </div>
          <Problems path={path} onGo={(line) => editor.current?.goToLine(line)} />
          <BudgetMeter path={path} row={row} />
        </>
      )}
      {beside && (
        <Inspector title={t(beside)} onClose={() => setBeside(null)}>
          {beside === "history" ? <History path={path} /> : <TryPanel path={path} />}
        </Inspector>
      )}
      {choosing && (
        <Suspense>
          <TemplateDialog path={path} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  );
}

function Preview({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const text = useRestedText(path);
  return (
    <section aria-label={t("preview")} tabIndex={0} className="min-w-0 flex-1 overflow-y-auto px-8 py-5">
      {text.trim() ? <Markdown text={text} /> : <p className="text-muted">{t("previewEmpty")}</p>}
    </section>
  );
}
