// Step three: the first conversation, with something to say.

import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SettingsView } from "@/bindings/SettingsView";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { writeDraft } from "@/shared/drafts";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import { offerTour } from "@/shared/tour";
import type { StepProps } from "./FirstStart";
import { StepFrame } from "./StepFrame";

const starts = ["hello", "week", "can"] as const;
const session = "assistant:main";

async function begin(text: string): Promise<void> {
  if (text) writeDraft(session, text);
  go(pathOf("chat", session));
  offerTour();
  if (await setSetting("ui.first_start_done", true)) return;
  // It could not be written down, which was said; the person is let in all the same.
  queries.setQueryData<SettingsView>(keys.settings, (view) => view && { ...view, first_start_done: true });
}

export function Begin({ onBack }: StepProps) {
  const { t } = useTranslation("firstStart");
  const models = useQuery({ queryKey: keys.models, queryFn: () => call("models_list") });
  const actions = (
    <Button kind="primary" onClick={() => void begin("")}>
      {t("open")}
    </Button>
  );
  return (
    <StepFrame title={t("beginTitle")} body={t("beginBody")} onBack={onBack} actions={actions}>
      {models.data && !models.data.some(({ ready }) => ready) && (
        <p role="status" className="rounded-lg bg-warn-soft px-4 py-2.5">
          {t("notReady")}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {starts.map((key) => (
          <li key={key}>
            <button
              type="button"
              onClick={() => void begin(t(`starts.${key}`))}
              className="w-full rounded-lg border border-line bg-raised px-4 py-3 text-left transition-colors duration-100 hover:border-line-strong"
            >
              {t(`starts.${key}`)}
            </button>
          </li>
        ))}
      </ul>
    </StepFrame>
  );
}
