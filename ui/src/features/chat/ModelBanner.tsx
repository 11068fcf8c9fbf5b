// Says when no model can answer, and leads to where that is mended.

import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { go, pathOf } from "@/shared/route";
import { useModels } from "./ModelPicker";

export function ModelBanner() {
  const { t } = useTranslation("chat");
  const models = useModels().data;
  if (!models || models.some(({ ready }) => ready)) return null;
  return (
    <div className="mx-auto w-full max-w-[776px] px-4 pb-2">
      <div role="status" className="flex items-center gap-3 rounded-lg bg-warn-soft px-4 py-2">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-warn" />
        <p className="min-w-0 flex-1">{t("noModelReady")}</p>
        <Button size="sm" onClick={() => go(pathOf("settings", "models"))}>
          {t("chooseModel")}
        </Button>
      </div>
    </div>
  );
}
