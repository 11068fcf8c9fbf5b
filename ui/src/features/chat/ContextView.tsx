// What did it see? The context manifest of one model call: tokens by section as one bar, and each section to read.

import { Collapsible } from "@base-ui/react/collapsible";
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ContextManifest } from "@/bindings/ContextManifest";
import type { ManifestSection } from "@/bindings/ManifestSection";
import { call } from "@/bridge";
import { Select } from "@/shared/components/Field";
import { Failure, Skeleton } from "@/shared/components/State";
import { count, percent } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { Budget } from "@/shared/usage/Budget";
import { inLayers, type Layer, type LayerSum } from "./layers";
import type { CallLook } from "./look";

interface ContextViewProps {
  session: string;
  look: CallLook;
  onStep: (step: number) => void;
}

export function ContextView({ session, look, onStep }: ContextViewProps) {
  const { t } = useTranslation("chat");
  const { turn, step, steps } = look;
  const manifest = useQuery({
    queryKey: ["context", session, turn, step],
    queryFn: () => call("context_call", { session, turn, step }),
    // What the next call will see changes with every file and message.
    gcTime: turn === null ? 0 : 300_000,
  });
  return (
    <div className="flex flex-col gap-4 p-4">
      {steps > 1 && (
        <Select
          label={t("step")}
          value={String(step)}
          choices={Array.from({ length: steps }, (_, at) => ({
            value: String(at + 1),
            label: t("stepOf", { step: at + 1, steps }),
          }))}
          onChange={(value) => onStep(Number(value))}
        />
      )}
      {manifest.isPending && <Skeleton lines={8} />}
      {manifest.error && <Failure error={manifest.error} onRetry={() => void manifest.refetch()} />}
      {manifest.data && <Manifest manifest={manifest.data} />}
      {manifest.data && <Budget />}
    </div>
  );
}

const colours: Record<Layer, string> = {
  self: "bg-[#c2470f]",
  rules: "bg-[#d98e3c]",
  tools: "bg-[#8f9a4b]",
  memory: "bg-[#4f8f7b]",
  conversation: "bg-[#4b7ba8]",
  other: "bg-[#8a7a6a]",
};

function Manifest({ manifest }: { manifest: ContextManifest }) {
  const { t } = useTranslation("chat");
  const { sections, total_tokens, window, model, exact } = manifest;
  const share = window > 0 ? total_tokens / window : 0;
  const reused = sections.reduce((sum, { cached_part, tokens }) => sum + (cached_part ? tokens : 0), 0);
  const groups = inLayers(sections);
  return (
    <>
      <div className="flex flex-col gap-2">
        <p className="flex items-baseline justify-between gap-4">
          <span className="font-medium tabular-nums">
            {exact ? "" : "≈ "}
            {t("tokensTotal", { count: total_tokens, shown: count(total_tokens) })}
          </span>
          <span className="text-sm text-muted tabular-nums">
            {t("ofWindow", { share: percent(share), window: count(window) })}
          </span>
        </p>
        <div role="img" aria-label={t("barLabel")} className="flex h-3 gap-px overflow-hidden rounded-full bg-active">
          {groups.map(({ layer, tokens }) => (
            <span key={layer} className={colours[layer]} style={{ flexGrow: tokens, flexBasis: 0 }} />
          ))}
        </div>
        <p className="flex justify-between gap-4 text-sm text-muted">
          <span className="truncate">{model}</span>
          {reused > 0 && <span className="shrink-0 tabular-nums">{t("reusable", { tokens: count(reused) })}</span>}
        </p>
      </div>
      {groups.map((group) => (
        <LayerGroup key={group.layer} group={group} total={total_tokens} />
      ))}
    </>
  );
}

function LayerGroup({ group, total }: { group: LayerSum; total: number }) {
  const { t } = useTranslation("chat");
  const { layer, sections, tokens } = group;
  return (
    <section aria-label={t(`layer.${layer}`)}>
      <h3 className="flex items-center gap-2.5 px-2 pb-1 text-sm font-medium">
        <span aria-hidden className={clsx("size-2.5 shrink-0 rounded-full", colours[layer])} />
        <span className="flex-1">{t(`layer.${layer}`)}</span>
        <span className="text-muted tabular-nums">
          {count(tokens)} · {percent(total > 0 ? tokens / total : 0)}
        </span>
      </h3>
      <ol className="flex flex-col">
        {sections.map((section, at) => (
          <SectionRow key={section.name + String(at)} section={section} />
        ))}
      </ol>
    </section>
  );
}

function SectionRow({ section }: { section: ManifestSection }) {
  const { t, i18n } = useTranslation("chat");
  const { name, source, reason, tokens, truncated, chars, raw_chars, text } = section;
  const label = i18n.exists(`chat:section.${name}`) ? t(`section.${name}` as "section.soul") : name;
  return (
    <li>
      <Collapsible.Root className="rounded-md">
        <Collapsible.Trigger className="group flex min-h-8 w-full items-center gap-2.5 rounded-md py-1 pr-2 pl-[30px] text-left hover:bg-hover">
          <span className="min-w-0 flex-1 truncate">{label}</span>
          <span className="max-w-32 truncate text-sm text-muted">
            <Said text={source} />
          </span>
          <span className="w-12 shrink-0 text-right text-sm tabular-nums">{count(tokens)}</span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="pr-2 pb-2 pl-[30px]">
          <p className="pb-2 text-sm text-muted">
            <Said text={reason} />
            {truncated && ` ${t("cut", { chars: count(chars), raw: count(raw_chars) })}`}
          </p>
          <pre
            tabIndex={0}
            className="selectable max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-[12.5px] leading-5 whitespace-pre-wrap"
          >
            {text ?? ""}
          </pre>
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}
