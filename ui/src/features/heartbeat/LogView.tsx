// What came of each beat and job, the newest first: whether it spoke, why or why not, and what it cost.

import { Collapsible } from "@base-ui/react/collapsible";
import { ChevronRight, ScrollText } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BeatDecision } from "@/bindings/BeatDecision";
import type { BeatRow } from "@/bindings/BeatRow";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { count, moment, money } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { pathOf } from "@/shared/route";
import { Decision } from "./Decision";
import { useLog, useStatus } from "./data";

const which = ["all", "notify", "silent", "held", "failed"] as const;
type Which = (typeof which)[number];

/** A beat that was skipped stayed silent, too. */
const fits = (decision: BeatDecision, shown: Which) =>
  shown === "all" || decision === shown || (shown === "silent" && decision === "skipped");

export function LogView() {
  const { t } = useTranslation("heartbeat");
  const [most, setMost] = useState(100);
  const [shown, setShown] = useState<Which>("all");
  const log = useLog(most);
  const zone = useStatus().data?.zone;
  if (log.isPending) return <Skeleton lines={8} />;
  if (log.error) return <Failure error={log.error} onRetry={() => void log.refetch()} />;
  if (log.data.length === 0)
    return (
      <Empty icon={<ScrollText className="size-8" strokeWidth={1.5} />} title={t("noLog")} body={t("noLogBody")} />
    );
  const rows = log.data.filter(({ decision }) => fits(decision, shown));
  return (
    <>
      <div>
        <Segmented<Which>
          label={t("show")}
          value={shown}
          choices={which.map((value) => ({ value, label: t(`logShown.${value}`) }))}
          onChange={setShown}
        />
      </div>
      {rows.length === 0 && <p className="text-muted">{t("noneOfThese")}</p>}
      <ol className="flex flex-col divide-y divide-line">
        {rows.map((row) => (
          <Beat key={row.id} row={row} zone={zone} />
        ))}
      </ol>
      {log.data.length >= most && (
        <Button className="self-center" busy={log.isFetching} onClick={() => setMost(most * 4)}>
          {t("showMore")}
        </Button>
      )}
    </>
  );
}

function Beat({ row, zone }: { row: BeatRow; zone: string | undefined }) {
  const { t } = useTranslation("heartbeat");
  const told = useSaid();
  const { at, slot, name, decision, why, title, body, model_calls, tokens, usd, session } = row;
  return (
    <li>
      <Collapsible.Root>
        <Collapsible.Trigger className="group flex w-full items-start gap-3 py-2.5 text-left outline-offset-[-2px] hover:bg-hover">
          <Decision decision={decision} className="w-28 text-sm leading-[22px]" />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{name}</span>
            <span className="block text-sm text-muted break-words">{told(why)}</span>
          </span>
          <span className="shrink-0 text-right text-xs leading-[22px] text-faint tabular-nums">
            {moment(at, zone)}
            {usd > 0 && <span className="block">{money(usd)}</span>}
          </span>
          <ChevronRight
            aria-hidden
            className="mt-[3px] size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="flex flex-col gap-2 pb-4 pl-31">
          {(title || body) && (
            <div className="rounded-lg border border-line bg-raised px-4 py-3">
              <p className="selectable font-medium break-words">{told(title)}</p>
              <Markdown text={told(body)} className="text-base" />
            </div>
          )}
          <p className="text-sm text-muted tabular-nums">
            {[
              slot === null ? t("asked") : t("forSlot", { at: moment(slot, zone) }),
              t("modelCalls", { count: model_calls }),
              tokens > 0 && t("tokens", { count: tokens, shown: count(tokens) }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
          {session && (
            <a href={`#${pathOf("chat", session)}`} className="self-start text-ember-ink hover:underline">
              {t("openConversation")}
            </a>
          )}
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}
