// What may leave this machine, each with the place where it is decided, and one button that keeps everything here.

import { useQuery } from "@tanstack/react-query";
import { Bot, Globe, Info, Server, ShieldCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Confirm } from "@/shared/components/Dialog";
import { Group, Row } from "@/shared/components/Group";
import { sayProblem } from "@/shared/components/Toasts";
import { keys, queries } from "@/shared/queries";
import { pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import { isNothing, keepingHere, type Leaving, leaving, withWeb } from "./leaving";
import { saveServer, useServers } from "./mcp";
import type { SectionProps } from "./SettingsPage";
import { useUpdates } from "./updates";

const builtIn = "local/qwen";

export function PrivacySection({ settings }: SectionProps) {
  const { t } = useTranslation("privacy");
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") }).data ?? [];
  const servers = useServers().data ?? [];
  const out = leaving(settings, sessions, servers);
  const [asking, setAsking] = useState(false);
  const nothing = isNothing(out);
  const keep = async () => {
    for (const [key, value] of keepingHere(settings, builtIn)) if (!(await setSetting(key, value))) return;
    for (const { key } of out.sessions)
      await call("sessions_change", { session: key, change: { title: null, pinned: null, archived: null, model: "" } });
    for (const { server } of servers)
      if (server.enabled && server.url && out.servers.includes(new URL(server.url).hostname))
        await saveServer({ ...server, enabled: false }, null);
    await queries.invalidateQueries({ queryKey: keys.sessions });
  };
  return (
    <>
      <section
        aria-label={t("state")}
        className="flex flex-wrap items-center gap-4 rounded-lg border border-line bg-raised p-4"
      >
        <ShieldCheck aria-hidden className={nothing ? "size-6 text-good" : "size-6 text-faint"} strokeWidth={1.5} />
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-semibold">{t(nothing ? "allHere" : "someLeaves")}</h3>
          <p className="text-sm text-muted">{t(nothing ? "allHereBody" : "someLeavesBody")}</p>
        </div>
        {!nothing && <Button onClick={() => setAsking(true)}>{t("keep")}</Button>}
        <Confirm
          open={asking}
          onClose={() => setAsking(false)}
          title={t("keepTitle")}
          body={t("keepBody")}
          action={t("keepAction")}
          onConfirm={() => keep().catch(sayProblem)}
        />
      </section>
      <Group title={t("leaves")} help={t("leavesHelp")}>
        <Models out={out} />
        <Row label={t("web")} help={t(out.web ? "webOpen" : "webClosed")}>
          {out.web ? (
            <Way to="guard" icon={<Globe aria-hidden className="size-4" />} text={t("permissions")} />
          ) : (
            <Button onClick={() => void setSetting("guard.deny_tools", withWeb(settings.guard.deny_tools))}>
              {t("allowWeb")}
            </Button>
          )}
        </Row>
        <Row
          label={t("tools")}
          help={out.servers.length > 0 ? t("toolsLeave", { names: out.servers.join(", ") }) : t("toolsHere")}
        >
          <Way to="mcp" icon={<Server aria-hidden className="size-4" />} text={t("servers")} />
        </Row>
        <NewVersions />
      </Group>
      <Group title={t("stays")}>
        <Row label={t("staysFiles")} help={t("staysFilesHelp")} />
        <Row label={t("staysKeys")} help={t("staysKeysHelp")} />
        <Row label={t("staysUse")} help={t("staysUseHelp")} />
      </Group>
    </>
  );
}

function Models({ out: { models, sessions } }: { out: Leaving }) {
  const { t } = useTranslation("privacy");
  const help = (
    <>
      {models.length === 0 && <p>{t("modelsHere")}</p>}
      {models.map(({ model, server }) => (
        <p key={model} className="break-words">
          {t("modelLeaves", { model, server })}
        </p>
      ))}
      {sessions.length > 0 && <p>{t("sessionsLeave", { count: sessions.length })}</p>}
    </>
  );
  return (
    <Row label={t("models")} help={help}>
      <Way to="models" icon={<Bot aria-hidden className="size-4" />} text={t("chooseModel")} />
    </Row>
  );
}

function NewVersions() {
  const { t } = useTranslation("privacy");
  const server = useUpdates().data?.server ?? null;
  return (
    <Row label={t("updates")} help={server === null ? t("updatesNobody") : t("updatesAsk", { server })}>
      <Way to="about" icon={<Info aria-hidden className="size-4" />} text={t("aboutUpdates")} />
    </Row>
  );
}

function Way({ to, icon, text }: { to: string; icon: ReactNode; text: string }) {
  return (
    <a
      href={`#${pathOf("settings", to)}`}
      className="inline-flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-3 font-medium shadow-sm hover:border-line-strong"
    >
      {icon}
      {text}
    </a>
  );
}
