// The state of the index and of the model that makes its vectors, with progress, and making it anew.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Progress } from "@/shared/components/Progress";
import { Failure, Skeleton } from "@/shared/components/State";
import { count } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { reindex, useStatus } from "./data";

export function IndexView() {
  const { t } = useTranslation("memory");
  const status = useStatus();
  const [busy, setBusy] = useState(false);
  if (status.isPending) return <Skeleton lines={5} className="p-4" />;
  if (status.error) return <Failure error={status.error} onRetry={() => void status.refetch()} className="m-4" />;
  const { files, chunks, model, dims, stale, embed_per_s, progress, note, generation } = status.data;
  const rebuild = async () => {
    setBusy(true);
    await reindex();
    setBusy(false);
  };
  const rows: [string, string][] = [
    [t("files"), count(files)],
    [t("chunks"), count(chunks)],
    [t("model"), model ? t("modelDims", { model, dims }) : t("noModel")],
    [t("stale"), count(stale)],
    ...(embed_per_s === null
      ? []
      : [[t("speed"), t("perSecond", { chunks: count(Math.round(embed_per_s)) })] as [string, string]]),
    [t("generation"), String(generation)],
  ];
  return (
    <div className="flex flex-col gap-4 p-4">
      <p className="text-sm text-muted">{t("indexHelp")}</p>
      {note && (
        <p role="status" className="selectable whitespace-pre-line rounded-lg bg-warn-soft px-4 py-2.5">
          <Said text={note} />
        </p>
      )}
      {progress && (
        <Progress
          label={t("embedding")}
          value={progress.total > 0 ? progress.done / progress.total : null}
          detail={t("doneOf", { done: count(progress.done), total: count(progress.total) })}
        />
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="selectable text-right break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <Button className="self-start" busy={busy} onClick={() => void rebuild()}>
        {t("rebuild")}
      </Button>
    </div>
  );
}
