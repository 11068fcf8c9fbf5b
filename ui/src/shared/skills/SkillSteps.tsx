// What happened to skills, as a timeline: score and reason, tokens added and freed.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import type { SkillState } from "@/bindings/SkillState";
import { count, percent } from "../format";
import { Said } from "../i18n/said";

const dots: Record<SkillState, string> = {
  considered: "border border-line-strong bg-surface",
  activated: "bg-ember",
  reference: "bg-[#4b7ba8]",
  self_check: "bg-good",
  released: "bg-line-strong",
};

/** One moment in the life of a skill. */
interface SkillStep {
  name: string;
  state: SkillState;
  reason: string;
  score: number;
  tokens: number;
}

interface SkillStepsProps {
  steps: readonly SkillStep[];
  className?: string;
}

export function SkillSteps({ steps, className }: SkillStepsProps) {
  const { t } = useTranslation("skills");
  return (
    <ol className={clsx("flex flex-col", className)}>
      {steps.map(({ name, state, reason, score, tokens }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step's place is its identity
        <li key={at} className="relative flex gap-3 pb-4 pl-5">
          <span aria-hidden className={clsx("absolute top-1.5 left-0 z-10 size-2.5 rounded-full", dots[state])} />
          {at < steps.length - 1 && <span aria-hidden className="absolute top-2 bottom-0 left-[4.5px] w-px bg-line" />}
          <div className="min-w-0 flex-1">
            <p className="flex items-baseline justify-between gap-3">
              <span className="truncate font-medium">{name}</span>
              <span className="shrink-0 text-sm text-muted tabular-nums">
                {state === "considered" ? percent(score) : tokens > 0 && change(state, tokens)}
              </span>
            </p>
            <p className="text-sm text-muted">{t(`state.${state}`)}</p>
            {reason && (
              <p className="selectable text-sm text-muted break-words">
                <Said text={reason} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

const change = (state: SkillState, tokens: number) => `${state === "released" ? "−" : "+"}${count(tokens)}`;
