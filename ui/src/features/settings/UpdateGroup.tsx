// The version that runs, and a newer one on its way: each step is taken by the person.

import { RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { UpdateView } from "@/bindings/UpdateView";
import { Button } from "@/shared/components/Button";
import { Group, Row } from "@/shared/components/Group";
import { Progress } from "@/shared/components/Progress";
import { Failure, Skeleton } from "@/shared/components/State";
import { sayProblem } from "@/shared/components/Toasts";
import { bytes } from "@/shared/format";
import { takeStep, useUpdates } from "./updates";

export function UpdateGroup() {
  const { t } = useTranslation("updates");
  const { data: view, error, refetch } = useUpdates();
  return (
    <Group title={t("title")}>
      {error && <Failure error={error} onRetry={() => void refetch()} className="my-4" />}
      {!view && !error && <Skeleton lines={1} className="py-4" />}
      {view && <Version view={view} />}
      {view?.problem && <Problem view={view} />}
      {view && <Newer view={view} />}
    </Group>
  );
}

function Version({ view: { version, kind, server, step } }: { view: UpdateView }) {
  const { t } = useTranslation("updates");
  const at = step.step;
  if (server === null) return <Row label={t("version", { version })} help={t(`asksNobody.${kind}`)} />;
  const help = at === "current" ? t("current") : t(at === "checking" ? "checking" : "asksOnlyNow", { server });
  return (
    <Row label={t("version", { version })} help={<p role="status">{help}</p>}>
      <Button
        busy={at === "checking"}
        disabled={at === "downloading" || at === "installing"}
        icon={<RefreshCw aria-hidden className="size-4" />}
        onClick={() => void takeStep("updates_check").catch(sayProblem)}
      >
        {t("check")}
      </Button>
    </Row>
  );
}

function Problem({ view: { problem } }: { view: UpdateView }) {
  const { t } = useTranslation("updates");
  if (!problem) return null;
  return (
    <div role="alert" className="selectable py-3">
      <p className="font-medium text-bad">{t(`fault.${problem.fault}`)}</p>
      <p className="text-sm break-words text-muted">{problem.detail}</p>
    </div>
  );
}

function Newer({ view: { step, kind } }: { view: UpdateView }) {
  const { t } = useTranslation("updates");
  switch (step.step) {
    case "available":
      return <Available version={step.version} notes={step.notes} />;
    case "downloading": {
      const { version, done_bytes, total_bytes } = step;
      const done = bytes(done_bytes);
      return (
        <div className="py-4">
          <Progress
            label={t("downloading", { version })}
            value={total_bytes ? done_bytes / total_bytes : null}
            detail={total_bytes ? t("ofBytes", { done, total: bytes(total_bytes) }) : done}
          />
        </div>
      );
    }
    case "ready":
      return (
        <Row label={t("ready", { version: step.version })} help={t(`readyHelp.${kind}`)}>
          <Step command="updates_install" text={t("install")} />
        </Row>
      );
    case "installing":
      return <Row label={t("installing", { version: step.version })} help={t(`readyHelp.${kind}`)} />;
    default:
      return null;
  }
}

function Available({ version, notes }: { version: string; notes: string | null }) {
  const { t } = useTranslation("updates");
  return (
    <>
      <Row label={t("available", { version })} help={t("availableHelp")}>
        <Step command="updates_download" text={t("download")} />
      </Row>
      {notes && (
        <section aria-label={t("notes")} className="selectable py-3">
          <p className="text-sm font-medium">{t("notes")}</p>
          <p className="max-h-60 overflow-y-auto text-sm break-words whitespace-pre-wrap text-muted">{notes}</p>
        </section>
      )}
    </>
  );
}

function Step({ command, text }: { command: "updates_download" | "updates_install"; text: string }) {
  return (
    <Button kind="primary" onClick={() => void takeStep(command).catch(sayProblem)}>
      {text}
    </Button>
  );
}
