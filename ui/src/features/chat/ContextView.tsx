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
import type { Seen } from "./Conversation";

interface ContextViewProps {
  session: string;
  seen: Seen;
  onStep: (step: number) => void;
}

export function ContextView({ session, seen, onStep }: ContextViewProps) {
  const { t } = useTranslation("chat");
  const { turn, step, steps } = seen;
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
    </div>
  );
}

/** Colours by place, so that neighbours differ. */
const colours = [
  "bg-[#c2470f]",
  "bg-[#d98e3c]",
  "bg-[#8f9a4b]",
  "bg-[#4f8f7b]",
  "bg-[#4b7ba8]",
  "bg-[#7f6aa8]",
  "bg-[#a8607f]",
  "bg-[#8a7a6a]",
];
const colour = (at: number) => colours[at % colours.length];

function Manifest({ manifest }: { manifest: ContextManifest }) {
  const { t } = useTranslation("chat");
  const { sections, total_tokens, window, model, exact } = manifest;
  const share = window > 0 ? total_tokens / window : 0;
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
          {sections.map(({ name, tokens }, at) => (
            <span key={name + String(at)} className={colour(at)} style={{ flexGrow: tokens, flexBasis: 0 }} />
          ))}
        </div>
        <p className="truncate text-sm text-muted">{model}</p>
      </div>
      <ol className="flex flex-col gap-1">
        {sections.map((section, at) => (
          <SectionRow key={section.name + String(at)} section={section} swatch={colour(at)} total={total_tokens} />
        ))}
      </ol>
    </>
  );
}

interface SectionRowProps {
  section: ManifestSection;
  swatch: string | undefined;
  total: number;
}

function SectionRow({ section, swatch, total }: SectionRowProps) {
  const { t, i18n } = useTranslation("chat");
  const { name, source, reason, tokens, truncated, chars, raw_chars, text } = section;
  const label = i18n.exists(`chat:section.${name}`) ? t(`section.${name}` as "section.soul") : name;
  return (
    <li>
      <Collapsible.Root className="rounded-md">
        <Collapsible.Trigger className="group flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover">
          <span aria-hidden className={clsx("size-2.5 shrink-0 rounded-full", swatch)} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{label}</span>
            <span className="block truncate text-sm text-muted">{source}</span>
          </span>
          <span className="shrink-0 text-right text-sm text-muted tabular-nums">
            <span className="block text-ink">{count(tokens)}</span>
            {percent(total > 0 ? tokens / total : 0)}
          </span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Panel className="px-2 pb-2">
          <p className="pb-2 text-sm text-muted">
            {reason}
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
