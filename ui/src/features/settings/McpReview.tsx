// What is not as it was allowed: each new or changed tool, word for word, and allowing all of it.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { McpRow } from "@/bindings/McpRow";
import type { McpToolRow } from "@/bindings/McpToolRow";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Failure } from "@/shared/components/State";
import { TextDiff } from "@/shared/components/TextDiff";
import { say } from "@/shared/components/Toasts";
import { allowServer, toReview } from "./mcp";

export function McpReview({ row, onClose }: { row: McpRow; onClose: () => void }) {
  const { t } = useTranslation(["mcp", "common"]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { id } = row.server;
  const allow = async () => {
    setBusy(true);
    setError(null);
    try {
      await allowServer(id);
      say(t("allowed", { name: id }));
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const actions = (
    <>
      <Button onClick={onClose}>{t("common:cancel")}</Button>
      <Button kind="primary" busy={busy} onClick={() => void allow()}>
        {t("allow")}
      </Button>
    </>
  );
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("reviewTitle", { name: id })}
      description={t("reviewBody")}
      actions={actions}
    >
      <div className="flex flex-col gap-5">
        {toReview(row).map((tool) => (
          <Changed key={tool.name} tool={tool} />
        ))}
        {error !== null && <Failure error={error} />}
      </div>
    </Dialog>
  );
}

const pretty = (schema: unknown) => JSON.stringify(schema, null, 2);

function Changed({ tool }: { tool: McpToolRow }) {
  const { t } = useTranslation("mcp");
  const { name, state, description, schema, taken } = tool;
  const parts = [
    { label: t("description"), before: taken?.description, after: description || t("noDescription"), mono: false },
    { label: t("arguments"), before: taken && pretty(taken.schema), after: pretty(schema), mono: true },
  ];
  // Of a changed tool, only what changed.
  const shown = parts.filter(({ before, after }) => before !== after);
  return (
    <section aria-label={name} className="flex flex-col gap-2">
      <h3 className="flex items-baseline gap-2">
        <span className="selectable font-mono text-[13px] font-semibold">{name}</span>
        <span className="text-sm text-warn">{t(`toolState.${state}`)}</span>
      </h3>
      {shown.map(({ label, before, after, mono }) => (
        <div key={label} tabIndex={0} className="max-h-72 overflow-y-auto rounded-md bg-sunken px-3 py-2">
          <p className="pb-1 text-xs text-muted">{label}</p>
          <TextDiff before={before ?? after} after={after} mono={mono} />
        </div>
      ))}
    </section>
  );
}
