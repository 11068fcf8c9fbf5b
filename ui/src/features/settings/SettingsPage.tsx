// The settings: sections on the left, the open one beside them. Its path is `/settings/SECTION`.

import clsx from "clsx";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { SettingsView } from "@/bindings/SettingsView";
import { PageHeader } from "@/shared/components/Page";
import { Failure, Skeleton } from "@/shared/components/State";
import { pathOf, useParts } from "@/shared/route";
import { useSettings } from "@/shared/settings";
import { AboutSection } from "./AboutSection";
import { BudgetSection } from "./BudgetSection";
import { GeneralSection } from "./GeneralSection";
import { GuardSection } from "./GuardSection";
import { McpSection } from "./McpSection";
import { ModelsSection } from "./ModelsSection";
import { PrivacySection } from "./PrivacySection";
import { Problems } from "./Problems";
import { StorageSection } from "./StorageSection";
import { type Section, sections } from "./sections";
import { TransferSection } from "./TransferSection";

export interface SectionProps {
  settings: SettingsView;
}

const contents: Record<Section, ComponentType<SectionProps>> = {
  models: ModelsSection,
  general: GeneralSection,
  privacy: PrivacySection,
  guard: GuardSection,
  mcp: McpSection,
  budget: BudgetSection,
  storage: StorageSection,
  transfer: TransferSection,
  about: AboutSection,
};

export function SettingsPage() {
  const { t } = useTranslation("settings");
  const [, wanted] = useParts();
  const settings = useSettings();
  const section = sections.find((id) => id === wanted) ?? sections[0];
  const Content = contents[section];
  return (
    <>
      <nav aria-label={t("title")} className="flex w-48 shrink-0 flex-col border-r border-line px-2">
        <h1 className="flex h-12 items-center px-2 font-semibold">{t("title")}</h1>
        <ul className="flex flex-col gap-0.5">
          {sections.map((id) => (
            <li key={id}>
              <a
                href={`#${pathOf("settings", id)}`}
                aria-current={id === section ? "page" : undefined}
                draggable={false}
                className={clsx(
                  "flex h-8 items-center rounded-md px-2 transition-colors duration-100",
                  id === section ? "bg-active font-medium" : "text-muted hover:bg-hover hover:text-ink",
                )}
              >
                {t(`section.${id}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main aria-label={t(`section.${section}`)} className="flex min-w-0 flex-1 flex-col bg-surface">
        <PageHeader title={t(`section.${section}`)} level={2} />
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div key={section} className="mx-auto flex max-w-[720px] flex-col gap-8 px-6 py-6">
            {settings.isPending && <Skeleton lines={8} />}
            {settings.error && <Failure error={settings.error} onRetry={() => void settings.refetch()} />}
            {settings.data && <Problems problems={settings.data.problems} />}
            {settings.data && <Content settings={settings.data} />}
          </div>
        </div>
      </main>
    </>
  );
}
