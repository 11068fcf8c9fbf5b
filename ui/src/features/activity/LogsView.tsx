// The log of this machine, the newest first. Secrets are masked before a line is written.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Check, Copy, RotateCw, ScrollText } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { dateTime } from "@/shared/format";
import { useCopy } from "@/shared/useCopy";
import { type LogLine, logLine } from "./log";

const shown = ["all", "wrong"] as const;
const colours: Partial<Record<string, string>> = { ERROR: "text-bad", WARN: "text-warn" };

export function LogsView() {
  const { t } = useTranslation("activity");
  const [which, setWhich] = useState<(typeof shown)[number]>("all");
  const [copied, copy] = useCopy();
  const tail = useQuery({ queryKey: ["logs"], queryFn: () => call("logs_tail", { count: 1000 }), staleTime: 0 });
  const lines = useMemo(() => tail.data?.map(logLine).toReversed() ?? [], [tail.data]);
  if (tail.isPending) return <Skeleton lines={10} />;
  if (tail.error) return <Failure error={tail.error} onRetry={() => void tail.refetch()} />;
  if (lines.length === 0)
    return (
      <Empty
        icon={<ScrollText className="size-8" strokeWidth={1.5} />}
        title={t("logEmpty")}
        body={t("logEmptyBody")}
      />
    );
  const fitting = which === "all" ? lines : lines.filter(({ level }) => level === "ERROR" || level === "WARN");
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label={t("logShow")}
          value={which}
          choices={shown.map((value) => ({ value, label: t(`logShown.${value}`) }))}
          onChange={setWhich}
        />
        <span className="flex-1" />
        <Button
          icon={copied ? <Check aria-hidden className="size-4 text-good" /> : <Copy aria-hidden className="size-4" />}
          onClick={() => copy((tail.data ?? []).join("\n"))}
        >
          {t("logCopy")}
        </Button>
        <Button
          busy={tail.isFetching}
          icon={<RotateCw aria-hidden className="size-4" />}
          onClick={() => void tail.refetch()}
        >
          {t("logAgain")}
        </Button>
      </div>
      {fitting.length === 0 && <p className="text-muted">{t("logNothingWrong")}</p>}
      <ol className="selectable flex flex-col font-mono text-[12.5px] leading-5">
        {fitting.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity
          <Line key={at} line={line} />
        ))}
      </ol>
    </>
  );
}

function Line({ line: { at, level, target, text } }: { line: LogLine }) {
  const seconds = Date.parse(at) / 1000;
  return (
    <li className="flex flex-wrap gap-x-3 border-b border-line py-1.5">
      {at && <span className="text-faint">{Number.isFinite(seconds) ? dateTime(seconds) : at}</span>}
      {level && <span className={clsx("w-12", colours[level] ?? "text-muted")}>{level}</span>}
      {target && <span className="text-faint">{target}</span>}
      <span className="w-full min-w-0 break-words">{text}</span>
    </li>
  );
}
