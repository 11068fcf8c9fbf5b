// A tool call: what was asked of it, what it prints, what came back, how long it took. Folded until opened.

import { Collapsible } from "@base-ui/react/collapsible";
import { ChevronRight, CircleX, LoaderCircle, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { wordOf } from "@/shared/conversation/ended";
import { gist, written } from "@/shared/conversation/given";
import type { ToolBlock } from "@/shared/conversation/turn";
import { duration } from "@/shared/format";
import { Running } from "./Running";

export function ToolCard({ block }: { block: ToolBlock }) {
  const { t } = useTranslation("chat");
  const { ended } = block;
  const word = wordOf(ended);
  return (
    <Collapsible.Root className="overflow-hidden rounded-lg border border-line bg-surface">
      <Collapsible.Trigger className="group flex h-9 w-full items-center gap-2 px-3 text-left text-sm outline-offset-[-2px] hover:bg-hover">
        <Status ended={ended} />
        <span className="font-mono text-[12.5px] font-medium">{block.tool}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-[12.5px] text-muted">{gist(block.arguments)}</span>
        <span className={word ? "shrink-0 text-bad tabular-nums" : "shrink-0 text-faint tabular-nums"}>
          {word && `${t(word)} `}
          {ended ? !!ended.ms && duration(ended.ms) : <Running since={block.at} />}
        </span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
        />
      </Collapsible.Trigger>
      {!ended && block.output && <Output>{lastLines(block.output)}</Output>}
      <Collapsible.Panel className="border-t border-line">
        <Part label={t("toolArguments")}>{written(block.arguments)}</Part>
        <Part label={t(ended ? "toolResult" : "toolOutput")}>
          {(ended ? ended.result : block.output) || t("toolNothing")}
        </Part>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-4).join("\n");

function Status({ ended }: { ended: ToolBlock["ended"] }) {
  const { t } = useTranslation("chat");
  if (!ended)
    return <LoaderCircle role="img" aria-label={t("toolRunning")} className="spin size-4 shrink-0 text-ember-ink" />;
  // The word beside it says which.
  if (!ended.ok) return <CircleX aria-hidden className="size-4 shrink-0 text-bad" />;
  return <Wrench aria-hidden className="size-4 shrink-0 text-faint" />;
}

function Part({ label, children }: { label: string; children: string }) {
  return (
    <section className="not-first:border-t not-first:border-line">
      <p className="px-3 pt-2 text-xs text-faint">{label}</p>
      <Output>{children}</Output>
    </section>
  );
}

function Output({ children }: { children: ReactNode }) {
  return (
    <pre
      tabIndex={0}
      className="selectable max-h-72 overflow-auto px-3 pt-1 pb-2.5 font-mono text-[12.5px] leading-5 whitespace-pre-wrap outline-offset-[-2px]"
    >
      {children}
    </pre>
  );
}
