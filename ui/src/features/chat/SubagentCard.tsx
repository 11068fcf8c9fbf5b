// A sub-agent at work on a part of the task: what it does, how long, and what it handed back.

import { Collapsible } from "@base-ui/react/collapsible";
import { Bot, ChevronRight, CircleX, LoaderCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import type { SubagentBlock } from "@/shared/conversation/turn";
import { duration } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { go, pathOf } from "@/shared/route";
import { Running } from "./Running";

export function SubagentCard({ block, session }: { block: SubagentBlock; session: string }) {
  const { t } = useTranslation("chat");
  const told = useSaid();
  const { id, task, state, result, ms } = block;
  const own = `${session.split(":")[0]}:subagent:${id}`;
  return (
    <Collapsible.Root className="overflow-hidden rounded-lg border border-line bg-surface">
      <Collapsible.Trigger className="group flex min-h-9 w-full items-center gap-2 px-3 py-1.5 text-left text-sm outline-offset-[-2px] hover:bg-hover">
        <Status state={state} />
        <span className="shrink-0 font-medium">{t("subagent")}</span>
        <span className="min-w-0 flex-1 truncate text-muted">{task}</span>
        <span className="shrink-0 text-faint tabular-nums">
          {state === "started" ? <Running since={block.at} /> : ms !== null && duration(ms)}
        </span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Panel className="border-t border-line px-4 py-3">
        {task && (
          <>
            <h3 className="text-xs text-faint">{t("subagentTask")}</h3>
            <p className="selectable mb-3 whitespace-pre-wrap break-words">{task}</p>
          </>
        )}
        {result !== null && (
          <>
            <h3 className="text-xs text-faint">{t("toolResult")}</h3>
            <Markdown text={state === "failed" ? told(result) : result} className="text-base" />
          </>
        )}
        <Button size="sm" className="mt-3" onClick={() => go(pathOf("chat", own))}>
          {t("subagentOpen")}
        </Button>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

function Status({ state }: { state: SubagentBlock["state"] }) {
  const { t } = useTranslation("chat");
  if (state === "started")
    return <LoaderCircle role="img" aria-label={t("toolRunning")} className="spin size-4 shrink-0 text-ember-ink" />;
  if (state === "failed")
    return <CircleX role="img" aria-label={t("toolFailed")} className="size-4 shrink-0 text-bad" />;
  return <Bot aria-hidden className="size-4 shrink-0 text-faint" />;
}
