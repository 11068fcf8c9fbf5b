// What happens and happened: calls that wait for a word, what runs, what it cost, the audit log, the log. Its path is `/activity/VIEW`.

import { useTranslation } from "react-i18next";
import { Views } from "@/shared/components/Page";
import { go, pathOf, useParts } from "@/shared/route";
import { ApprovalsView } from "./ApprovalsView";
import { AuditView } from "./AuditView";
import { LogsView } from "./LogsView";
import { RunningView } from "./RunningView";
import { UsageView } from "./UsageView";
import { type View, views } from "./views";

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
    <Views<View>
      title={t("title")}
      label={t("view")}
      view={view}
      views={views.map((value) => ({ value, label: t(`views.${value}`) }))}
      onView={(next) => go(pathOf("activity", next))}
    >
      <Content />
    </Views>
  );
}
