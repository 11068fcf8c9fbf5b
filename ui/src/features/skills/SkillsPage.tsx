// The Skills page: every skill with its state, a message to try them on, and what they did in a turn.
// Its path is `/skills/list/NAME`, `/skills/try`, `/skills/turns/SESSION/TURN`.

import { PackagePlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Segmented } from "@/shared/components/Field";
import { PageHeader } from "@/shared/components/Page";
import { go, pathOf, useParts } from "@/shared/route";
import { InstallDialog } from "./InstallDialog";
import { ListView } from "./ListView";
import { TryView } from "./TryView";
import { TurnsView } from "./TurnsView";

const views = ["list", "try", "turns"] as const;
type View = (typeof views)[number];

export function SkillsPage() {
  const { t } = useTranslation("skills");
  const [, first] = useParts();
  const view = views.find((known) => known === first) ?? "list";
  const [installing, setInstalling] = useState(false);
  const Content = { list: ListView, try: TryView, turns: TurnsView }[view];
  return (
    <main aria-label={t("title")} className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader
        title={t("title")}
        actions={
          <>
            <Button
              kind="quiet"
              size="sm"
              className="mr-2"
              icon={<PackagePlus aria-hidden className="size-4" />}
              onClick={() => setInstalling(true)}
            >
              {t("install")}
            </Button>
            <Segmented<View>
              label={t("view")}
              value={view}
              choices={views.map((value) => ({ value, label: t(`views.${value}`) }))}
              onChange={(next) => go(pathOf("skills", next))}
            />
          </>
        }
      />
      <Content />
      {installing && <InstallDialog onClose={() => setInstalling(false)} />}
    </main>
  );
}
