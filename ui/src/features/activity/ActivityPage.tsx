// What happens and happened: calls that wait for a word, what runs, what it cost, the audit log, the log. Its path is `/activity/VIEW`.

import { useTranslation } from "react-i18next";
import { Segmented } from "@/shared/components/Field";
import { PageHeader } from "@/shared/components/Page";
import { go, pathOf, useParts } from "@/shared/route";
import { ApprovalsView } from "./ApprovalsView";
import { AuditView } from "./AuditView";
import { LogsView } from "./LogsView";
import { RunningView } from "./RunningView";
import { UsageView } from "./UsageView";

const views = ["approvals", "running", "usage", "audit", "logs"] as const;
type View = (typeof views)[number];

export function ActivityPage() {
  const { t } = useTranslation("activity");
  const [, first] = useParts();
  const view = views.find((known) => known === first) ?? "approvals";
  const Content = {
    approvals: ApprovalsView,
    running: RunningView,
    usage: UsageView,
    audit: AuditView,
    logs: LogsView,
  }[view];
  return (
    <main aria-label={t("title")} className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader
        title={t("title")}
        actions={
          <Segmented<View>
            label={t("view")}
            value={view}
            choices={views.map((value) => ({ value, label: t(`views.${value}`) }))}
            onChange={(next) => go(pathOf("activity", next))}
          />
        }
      />
      <section
        aria-label={t(`views.${view}`)}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <div className="mx-auto flex max-w-[820px] flex-col gap-6 px-6 py-6">
          <Content />
        </div>
      </section>
    </main>
  );
}
