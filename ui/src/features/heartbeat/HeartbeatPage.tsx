// The Heartbeat page: what it looks at by itself and when, jobs, the log with its reasons, the inbox of notices.
// Its path is `/heartbeat/VIEW`.

import { useTranslation } from "react-i18next";
import { Segmented } from "@/shared/components/Field";
import { PageHeader } from "@/shared/components/Page";
import { go, pathOf, useParts } from "@/shared/route";
import { Controls } from "./Controls";
import { useStatus } from "./data";
import { InboxView } from "./InboxView";
import { ItemsView } from "./ItemsView";
import { JobsView } from "./JobsView";
import { LogView } from "./LogView";

const views = ["items", "jobs", "log", "inbox"] as const;
type View = (typeof views)[number];

export function HeartbeatPage() {
  const { t } = useTranslation("heartbeat");
  const [, first] = useParts();
  const view = views.find((known) => known === first) ?? "items";
  const fresh = useStatus().data?.notices_new ?? 0;
  const Content = { items: ItemsView, jobs: JobsView, log: LogView, inbox: InboxView }[view];
  const name = (value: View) =>
    value === "inbox" && fresh > 0 ? t("inboxCount", { count: fresh }) : t(`views.${value}`);
  return (
    <main aria-label={t("title")} className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader
        title={t("title")}
        actions={
          <>
            <Controls />
            <Segmented<View>
              label={t("view")}
              value={view}
              choices={views.map((value) => ({ value, label: name(value) }))}
              onChange={(next) => go(pathOf("heartbeat", next))}
            />
          </>
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
