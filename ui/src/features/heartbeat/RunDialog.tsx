// What one beat did, or would do: the decision, what was said, why, and what it cost.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { HeartbeatRun } from "@/bindings/HeartbeatRun";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Failure, Skeleton } from "@/shared/components/State";
import { money } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { go, pathOf } from "@/shared/route";
import { Decision } from "./Decision";
import { run, type Work } from "./data";

export interface Running {
  /** What runs, or ran; none: nothing is shown. */
  shown: { work: Work; dry: boolean } | null;
  result: HeartbeatRun | null;
  error: unknown;
  start: (work: Work, dry: boolean) => Promise<void>;
  close: () => void;
}

export function useRun(): Running {
  const [shown, setShown] = useState<Running["shown"]>(null);
  const [result, setResult] = useState<HeartbeatRun | null>(null);
  const [error, setError] = useState<unknown>(null);
  const start = async (work: Work, dry: boolean) => {
    setShown({ work, dry });
    setResult(null);
    setError(null);
    await run(work, dry).then(setResult, setError);
  };
  return { shown, result, error, start, close: () => setShown(null) };
}

export function RunDialog({ running }: { running: Running }) {
  const { t } = useTranslation(["heartbeat", "common"]);
  const { shown, result, error, start, close } = running;
  if (!shown) return null;
  const { work, dry } = shown;
  const actions = result && (
    <>
      {result.session && (
        <Button onClick={() => go(pathOf("chat", result.session ?? "", ...(result.message ? [result.message] : [])))}>
          {t("openConversation")}
        </Button>
      )}
      {dry && (
        <Button kind="primary" onClick={() => void start(work, false)}>
          {t("runNow")}
        </Button>
      )}
      {!dry && (
        <Button kind="primary" onClick={close}>
          {t("common:close")}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      open
      onClose={close}
      title={t(dry ? "wouldDo" : "didNow")}
      description={t(dry ? "wouldDoBody" : "didNowBody")}
      actions={actions}
    >
      {!result && error === null && <Skeleton lines={4} />}
      {error !== null && <Failure error={error} onRetry={() => void start(work, dry)} />}
      {result && <Result result={result} dry={dry} />}
    </Dialog>
  );
}

function Result({ result, dry }: { result: HeartbeatRun; dry: boolean }) {
  const { t } = useTranslation("heartbeat");
  const { decision, title, body, why, model_calls, usd } = result;
  return (
    <div role="status" className="flex flex-col gap-3">
      <p>
        <Decision decision={decision} dry={dry} />
      </p>
      {(title || body) && (
        <div className="rounded-lg border border-line bg-raised px-4 py-3">
          <p className="selectable font-medium break-words">{title}</p>
          <Markdown text={body} className="text-base" />
        </div>
      )}
      <p className="selectable text-muted break-words">
        <Said text={why} />
      </p>
      <p className="text-sm text-faint tabular-nums">
        {t("modelCalls", { count: model_calls })}
        {usd > 0 && ` · ${money(usd)}`}
      </p>
    </div>
  );
}
