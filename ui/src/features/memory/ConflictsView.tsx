// Two things that cannot both be true: the person says which one holds.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { EntryConflict } from "@/bindings/EntryConflict";
import type { EntryTake } from "@/bindings/EntryTake";
import { Button } from "@/shared/components/Button";
import { dateTime } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { settle, useConflicts } from "./data";

export function ConflictsView() {
  const { t } = useTranslation("memory");
  const conflicts = useConflicts().data ?? [];
  if (conflicts.length === 0) return <p className="p-4 text-muted">{t("nothingToSettle")}</p>;
  return (
    <ul className="flex flex-col divide-y divide-line px-4">
      {conflicts.map((conflict) => (
        <Conflict key={conflict.conflict} conflict={conflict} />
      ))}
    </ul>
  );
}

const takes = ["held", "other", "both"] as const satisfies readonly EntryTake[];

function Conflict({ conflict }: { conflict: EntryConflict }) {
  const { t } = useTranslation("memory");
  const told = useSaid();
  const { held, text, at, why } = conflict;
  const [busy, setBusy] = useState<EntryTake | null>(null);
  const choose = async (take: EntryTake) => {
    setBusy(take);
    await settle(conflict.conflict, take);
    setBusy(null);
  };
  return (
    <li className="flex flex-col gap-2 py-4">
      <p className="text-sm text-muted">
        {dateTime(at)} {why && `· ${told(why)}`}
      </p>
      <h3 className="text-xs text-faint">{t("conflictHeld")}</h3>
      <Markdown text={held.text} className="text-base" />
      <h3 className="text-xs text-faint">{t("conflictOther")}</h3>
      <Markdown text={text} className="text-base" />
      <div className="flex flex-wrap gap-2">
        {takes.map((take) => (
          <Button key={take} size="sm" busy={busy === take} disabled={busy !== null} onClick={() => void choose(take)}>
            {t(`take.${take}`)}
          </Button>
        ))}
      </div>
    </li>
  );
}
