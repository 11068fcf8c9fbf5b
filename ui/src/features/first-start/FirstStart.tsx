// The first start: choose how it thinks, meet, begin. Each step can be skipped; the settings lead here again.

import { Flame } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Begin } from "./Begin";
import { Meet } from "./Meet";
import { Think } from "./Think";

const steps = [Think, Meet, Begin];

export interface StepProps {
  onNext: () => void;
  onBack?: () => void;
}

export function FirstStart() {
  const { t } = useTranslation("firstStart");
  const [at, setAt] = useState(0);
  const main = useRef<HTMLElement>(null);
  const Step = steps[at] ?? Begin;
  // A new step is read from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each step
  useEffect(() => {
    main.current?.focus();
    main.current?.scrollTo(0, 0);
  }, [at]);
  return (
    <main ref={main} tabIndex={-1} aria-label={t("title")} className="h-full overflow-y-auto bg-surface outline-none">
      <div className="mx-auto flex min-h-full max-w-[600px] flex-col px-6 pt-[clamp(20px,5vh,40px)]">
        <header className="flex items-center justify-between gap-4 pb-[clamp(16px,4vh,32px)]">
          <p className="flex items-center gap-2.5 font-semibold">
            <span className="flex size-8 items-center justify-center rounded-lg bg-ember-soft text-ember-ink">
              <Flame aria-hidden className="size-4.5" />
            </span>
            {t("welcome")}
          </p>
          <Dots at={at} />
        </header>
        <Step onNext={() => setAt(at + 1)} onBack={at > 0 ? () => setAt(at - 1) : undefined} />
      </div>
    </main>
  );
}

function Dots({ at }: { at: number }) {
  const { t } = useTranslation("firstStart");
  return (
    <p className="flex items-center gap-1.5">
      <span className="sr-only">{t("step", { step: at + 1, steps: steps.length })}</span>
      {steps.map((step, place) => (
        <span
          key={step.name}
          aria-hidden
          className={place === at ? "h-1.5 w-5 rounded-full bg-ember" : "size-1.5 rounded-full bg-line-strong"}
        />
      ))}
    </p>
  );
}
