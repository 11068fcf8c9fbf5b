// A conversation that has not begun: a welcome, and ways to begin.

import { Flame } from "lucide-react";
import { useTranslation } from "react-i18next";

const starts = ["start.about", "start.plan", "start.explain"] as const;

export function Greeting({ onPick }: { onPick: (text: string) => void }) {
  const { t } = useTranslation("chat");
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-6 pb-8 text-center">
      <div className="flex size-14 items-center justify-center rounded-xl bg-ember-soft text-ember-ink">
        <Flame aria-hidden className="size-7" strokeWidth={1.75} />
      </div>
      <div className="flex flex-col gap-1">
        <h2 className="text-xl font-semibold">{t("greeting")}</h2>
        <p className="text-muted text-balance">{t("greetingBody")}</p>
      </div>
      <ul className="flex flex-col gap-2 self-stretch">
        {starts.map((key) => (
          <li key={key}>
            <button
              type="button"
              onClick={() => onPick(t(key))}
              className="w-full rounded-lg border border-line bg-raised px-4 py-2.5 text-left transition-colors duration-100 hover:border-line-strong"
            >
              {t(key)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
