// The decision on a message: each skill that was considered, how near it is, why, and where the line was.

import clsx from "clsx";
import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SkillMatch } from "@/bindings/SkillMatch";
import { percent } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { pathOf } from "@/shared/route";

interface RankingProps {
  decision: SkillMatch;
  /** It has happened; else it would. */
  past?: boolean;
}

export function Ranking({ decision, past = false }: RankingProps) {
  const { t } = useTranslation("skills");
  const { ranked, activated, threshold, by_meaning } = decision;
  return (
    <div className="flex flex-col gap-3">
      <p role="status">
        {activated.length === 0
          ? t(past ? "noneActivated" : "noneWouldBe")
          : t(past ? "wereActivated" : "wouldBe", { names: activated.join(", "), count: activated.length })}
      </p>
      {ranked.length > 0 && (
        <ol className="flex flex-col divide-y divide-line rounded-lg border border-line bg-raised">
          {ranked.map(({ name, score, why }) => {
            const chosen = activated.includes(name);
            return (
              <li key={name} className="flex flex-col gap-1 px-4 py-3">
                <div className="flex items-center gap-4">
                  <a
                    href={`#${pathOf("skills", "list", name)}`}
                    className={clsx(
                      "flex min-w-0 flex-1 items-center gap-2 truncate hover:underline",
                      chosen ? "font-semibold" : "font-medium text-muted",
                    )}
                  >
                    <span className="truncate">{name}</span>
                    {chosen && (
                      <span className="flex shrink-0 items-center gap-1 rounded-full bg-ember-soft px-2 text-xs font-normal text-ember-ink">
                        <Check aria-hidden className="size-3" />
                        {t(past ? "loaded" : "wouldLoad")}
                      </span>
                    )}
                  </a>
                  <Bar score={score} threshold={threshold} chosen={chosen} />
                  <span className="w-12 shrink-0 text-right tabular-nums">{percent(score)}</span>
                </div>
                <p className="selectable text-sm text-muted break-words">
                  <Said text={why} />
                </p>
              </li>
            );
          })}
        </ol>
      )}
      <p className="text-sm text-faint">
        {t("threshold", { score: percent(threshold) })} {t(by_meaning ? "byMeaning" : "wordsOnly")}
      </p>
    </div>
  );
}

function Bar({ score, threshold, chosen }: { score: number; threshold: number; chosen: boolean }) {
  const share = (value: number) => `${Math.max(0, Math.min(1, value)) * 100}%`;
  return (
    <span aria-hidden className="relative h-1.5 w-32 shrink-0 rounded-full bg-active max-[1000px]:w-20">
      <span
        className={clsx("block h-full rounded-full", chosen ? "bg-ember" : "bg-line-strong")}
        style={{ width: share(score) }}
      />
      <span className="absolute -top-1 h-3.5 w-px bg-ink" style={{ left: share(threshold) }} />
    </span>
  );
}
