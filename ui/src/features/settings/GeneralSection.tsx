// Language, look, how it starts, and what a message does while it is busy.

import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Segmented, Select, Switch } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { go, pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import type { SectionProps } from "./SettingsPage";
import { ShortcutField } from "./ShortcutField";

const themes = ["system", "light", "dark"] as const;
const busies = ["steer", "queue", "interrupt"] as const;

export function GeneralSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const busy = busies.find((way) => way === settings.busy) ?? "steer";
  return (
    <>
      <Group title={t("appearance")}>
        <Row label={t("language")}>
          <div className="w-56">
            <Select
              label={t("language")}
              value={settings.language}
              choices={[
                { value: "system", label: t("followSystem") },
                { value: "en", label: "English" },
                { value: "zh-CN", label: "简体中文" },
              ]}
              onChange={(language) => void setSetting("ui.language", language)}
            />
          </div>
        </Row>
        <Row label={t("theme")}>
          <Segmented
            label={t("theme")}
            value={settings.theme}
            choices={themes.map((value) => ({ value, label: t(`themes.${value}`) }))}
            onChange={(theme) => void setSetting("ui.theme", theme)}
          />
        </Row>
      </Group>
      <Group title={t("desktop")}>
        <Row label={t("shortcut")} help={t("shortcutHelp")}>
          <ShortcutField value={settings.shortcut} onChange={(keys) => setSetting("ui.shortcut", keys)} />
        </Row>
        <Row label={t("login")} help={t("loginHelp")}>
          <Switch
            label={t("login")}
            checked={settings.start_at_login}
            onChange={(on) => void setSetting("ui.start_at_login", on)}
          />
        </Row>
        <Row label={t("notifications")} help={t("notificationsHelp")}>
          <Button onClick={() => go(pathOf("heartbeat", "items"))}>{t("openHeartbeat")}</Button>
        </Row>
      </Group>
      <Group title={t("conversation")}>
        <Row label={t("busy")} help={t(`busyHelp.${busy}`)}>
          <Segmented
            label={t("busy")}
            value={busy}
            choices={busies.map((value) => ({ value, label: t(`busyWay.${value}`) }))}
            onChange={(way) => void setSetting("context.busy", way)}
          />
        </Row>
      </Group>
    </>
  );
}
