// A built-in model: what it is for, its size and licence, and its download.

import clsx from "clsx";
import { Check, CircleAlert, Download, FolderOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { LocalModelRow } from "@/bindings/LocalModelRow";
import type { PullProgress } from "@/bindings/PullProgress";
import { call, pickFiles } from "@/bridge";
import { Button } from "../components/Button";
import { Progress } from "../components/Progress";
import { sayProblem } from "../components/Toasts";
import { bytes, duration } from "../format";
import { Said, useSaid } from "../i18n/said";
import { keys, queries } from "../queries";
import { startPull, stopPull, usePulls } from "./pulls";

export function LocalModel({ model, className }: { model: LocalModelRow; className?: string }) {
  const { t, i18n } = useTranslation("models");
  const told = useSaid();
  const pull = usePulls((all) => all[model.id]);
  const going = !model.ready && pull && pull.state !== "failed";
  const problem = pull?.state === "failed" ? pull.problem : model.problem;
  const purpose = i18n.exists(`models:purpose.${model.purpose}`)
    ? t(`purpose.${model.purpose}` as "purpose.chat")
    : model.purpose;
  return (
    <div className={clsx("flex flex-col gap-3", className)}>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium">{model.name}</p>
          <p className="text-sm text-muted">{[purpose, bytes(model.bytes), model.license].join(" · ")}</p>
          {model.ready && model.source && (
            <p className="truncate text-sm text-muted">{t("from", { source: told(model.source) })}</p>
          )}
        </div>
        {model.ready ? (
          <span className="flex items-center gap-1.5 text-sm text-good">
            <Check aria-hidden className="size-4" />
            {t("ready")}
          </span>
        ) : (
          !going && <Start model={model} />
        )}
      </div>
      {going && <Going model={model} pull={pull} />}
      {!going && !model.ready && problem && (
        <p role="alert" className="flex items-start gap-2 text-sm break-words text-bad">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="selectable min-w-0">
            <Said text={problem} />
          </span>
        </p>
      )}
    </div>
  );
}

function Start({ model }: { model: LocalModelRow }) {
  const { t } = useTranslation("models");
  const [busy, setBusy] = useState(false);
  const take = async () => {
    const [path] = await pickFiles({ multiple: false, extensions: ["gguf"] });
    if (!path) return;
    setBusy(true);
    try {
      await call("models_import", { id: model.id, path });
      for (const queryKey of [keys.localModels, keys.models]) await queries.invalidateQueries({ queryKey });
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex shrink-0 flex-wrap justify-end gap-2">
      <Button size="sm" icon={<FolderOpen aria-hidden className="size-4" />} busy={busy} onClick={() => void take()}>
        {t("import")}
      </Button>
      <Button
        size="sm"
        kind="primary"
        icon={<Download aria-hidden className="size-4" />}
        onClick={() => void startPull(model.id)}
      >
        {model.have_bytes > 0 ? t("resume") : t("download", { size: bytes(model.bytes) })}
      </Button>
    </div>
  );
}

function Going({ model, pull }: { model: LocalModelRow; pull: PullProgress }) {
  const { t, i18n } = useTranslation("models");
  const { state, done_bytes, total_bytes, bytes_per_s, source } = pull;
  const share = state === "fetching" && total_bytes > 0 ? done_bytes / total_bytes : null;
  const label = i18n.exists(`models:state.${state}`) ? t(`state.${state}` as "state.fetching", { source }) : state;
  return (
    <div className="flex items-end gap-4">
      <div className="min-w-0 flex-1">
        <Progress
          label={label}
          value={share}
          detail={share === null ? undefined : numbers(done_bytes, total_bytes, bytes_per_s, t)}
        />
      </div>
      <Button size="sm" onClick={() => void stopPull(model.id).catch(sayProblem)}>
        {t("stopDownload")}
      </Button>
    </div>
  );
}

function numbers(
  done: number,
  total: number,
  speed: number,
  t: ReturnType<typeof useTranslation<"models">>["t"],
): string {
  const parts = [t("doneOf", { done: bytes(done), total: bytes(total) })];
  if (speed > 0)
    parts.push(t("perSecond", { size: bytes(speed) }), t("left", { time: duration(((total - done) / speed) * 1000) }));
  return parts.join(" · ");
}
