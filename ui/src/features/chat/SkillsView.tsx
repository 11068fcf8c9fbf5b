// Which skills a turn considered and used, as a timeline: score and reason, tokens added and freed.

import clsx from "clsx";
import { useTranslation } from "react-i18next";
import type { SkillState } from "@/bindings/SkillState";
import type { SkillStep } from "@/shared/conversation/turn";
import { count, percent } from "@/shared/format";

const dots: Record<SkillState, string> = {
  considered: "border border-line-strong bg-surface",
  activated: "bg-ember",
  reference: "bg-[#4b7ba8]",
  self_check: "bg-good",
  released: "bg-line-strong",
};

export function SkillsView({ skills }: { skills: readonly SkillStep[] }) {
  const { t } = useTranslation("chat");
  return (
    <ol className="flex flex-col px-4 py-3">
      {skills.map(({ name, state, reason, score, tokens }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step's place is its identity
        <li key={at} className="relative flex gap-3 pb-4 pl-5">
          <span aria-hidden className={clsx("absolute top-1.5 left-0 z-10 size-2.5 rounded-full", dots[state])} />
          {at < skills.length - 1 && <span aria-hidden className="absolute top-2 bottom-0 left-[4.5px] w-px bg-line" />}
          <div className="min-w-0 flex-1">
            <p className="flex items-baseline justify-between gap-3">
              <span className="truncate font-medium">{name}</span>
              <span className="shrink-0 text-sm text-muted tabular-nums">
                {state === "considered" ? percent(score) : tokens > 0 && skillTokens(state, tokens)}
              </span>
            </p>
            <p className="text-sm text-muted">{t(`skillState.${state}`)}</p>
            {reason && <p className="selectable text-sm text-muted break-words">{reason}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

const skillTokens = (state: SkillState, tokens: number) => `${state === "released" ? "−" : "+"}${count(tokens)}`;
