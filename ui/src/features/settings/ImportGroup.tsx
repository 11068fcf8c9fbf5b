// An import in three steps: choose, see what would come, let it come.

import { FileArchive, FolderOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ImportReport } from "@/bindings/ImportReport";
import type { ImportSource } from "@/bindings/ImportSource";
import { pickFiles } from "@/bridge";
import { Alert } from "@/shared/components/Alert";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { Progress } from "@/shared/components/Progress";
import { sayProblem } from "@/shared/components/Toasts";
import { count } from "@/shared/format";
import { ImportItems } from "./ImportItems";
import { endImport, runImport, useImport } from "./imports";

const sources = ["openclaw", "chatgpt", "claude"] as const;

const nameOf = (path: string) => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;

export function ImportGroup() {
  const { t } = useTranslation("transfer");
  const now = useImport((state) => state.now);
  const [source, setSource] = useState<ImportSource>(now?.source ?? "openclaw");
  const choose = async (folder: boolean) => {
    const extensions = source === "openclaw" ? ["zip", "jsonl"] : ["zip", "json"];
    const [path] = await pickFiles(folder ? { multiple: false, folder } : { multiple: false, extensions });
    if (path) await runImport(source, path, true);
  };
  const pick = (folder: boolean) => void choose(folder).catch(sayProblem);
  return (
    <Group title={t("import")} help={t("importHelp")}>
      <Row label={t("source")} help={t(`sourceHelp.${source}`)}>
        <Segmented
          label={t("source")}
          value={source}
          choices={sources.map((value) => ({ value, label: t(`sources.${value}`) }))}
          onChange={(value) => {
            setSource(value);
            if (!now?.running) endImport();
          }}
        />
        <div className="flex basis-full flex-wrap gap-2">
          <Button
            disabled={now?.running}
            icon={<FileArchive aria-hidden className="size-4" />}
            onClick={() => pick(false)}
          >
            {t("chooseFile")}
          </Button>
          <Button
            disabled={now?.running}
            icon={<FolderOpen aria-hidden className="size-4" />}
            onClick={() => pick(true)}
          >
            {t("chooseFolder")}
          </Button>
        </div>
      </Row>
      {now?.running && <Going />}
      {now?.error !== undefined && now?.error !== null && <Alert error={now.error} className="my-4" />}
      {now?.report && <Outcome report={now.report} source={now.source} path={now.path} />}
    </Group>
  );
}

function Going() {
  const { t } = useTranslation("transfer");
  const now = useImport((state) => state.now);
  if (!now) return null;
  const { path, dry, progress } = now;
  const share = progress && progress.total_bytes > 0 ? progress.done_bytes / progress.total_bytes : null;
  const detail = progress ? t("items", { count: progress.items }) : undefined;
  return (
    <div className="py-4">
      <Progress label={t(dry ? "looking" : "bringing", { name: nameOf(path) })} value={share} detail={detail} />
    </div>
  );
}

const counted = ["added", "already_there", "skipped", "failed", "messages"] as const;

function Outcome({ report, source, path }: { report: ImportReport; source: ImportSource; path: string }) {
  const { t } = useTranslation("transfer");
  const { counts, items, dry_run } = report;
  const name = nameOf(path);
  return (
    <section aria-label={t(dry_run ? "wouldCome" : "came", { name })} className="flex flex-col gap-3 py-4">
      <p role="status" className="font-medium break-words">
        {t(dry_run ? "wouldCome" : "came", { name })}
      </p>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {counted.map((key) => (
          <div key={key} className="flex gap-1.5">
            <dt className="text-muted">{t(`counts.${key}`)}</dt>
            <dd className="font-medium tabular-nums">{count(counts[key])}</dd>
          </div>
        ))}
      </dl>
      <ImportItems items={items} />
      <div className="flex items-center gap-3">
        {dry_run && counts.added > 0 && (
          <Button kind="primary" onClick={() => void runImport(source, path, false)}>
            {t("bring", { count: counts.added })}
          </Button>
        )}
        {dry_run && counts.added === 0 && <p className="text-muted">{t("nothingNew")}</p>}
        <Button kind="quiet" onClick={endImport}>
          {dry_run ? t("cancel", { ns: "common" }) : t("done")}
        </Button>
      </div>
    </section>
  );
}
