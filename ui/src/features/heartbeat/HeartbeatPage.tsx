// The Heartbeat page: what it looks at by itself and when, jobs, the log with its reasons, the inbox of notices.
// Its path is `/heartbeat/VIEW`.

import { useTranslation } from "react-i18next";
import { Views } from "@/shared/components/Page";
import { go, pathOf, useParts } from "@/shared/route";
import { Controls } from "./Controls";
import { useStatus } from "./data";
import { InboxView } from "./InboxView";
import { ItemsView } from "./ItemsView";
import { JobsView } from "./JobsView";
import { LogView } from "./LogView";
import { type View, views } from "./views";

export function HeartbeatPage() {
  const { t } = useTranslation("heartbeat");
  const [, first] = useParts();
  const view = views.find((known) => known === first) ?? "items";
  const fresh = useStatus().data?.notices_new ?? 0;
  const Content = { items: ItemsView, jobs: JobsView, log: LogView, inbox: InboxView }[view];
  const name = (value: View) =>
    value === "inbox" && fresh > 0 ? t("inboxCount", { count: fresh }) : t(`views.${value}`);
  return (
    <Views<View>
      title={t("title")}
      label={t("view")}
      view={view}
      views={views.map((value) => ({ value, label: name(value) }))}
      onView={(next) => go(pathOf("heartbeat", next))}
      actions={<Controls />}
    >
      <Content />
    </Views>
  );
}
