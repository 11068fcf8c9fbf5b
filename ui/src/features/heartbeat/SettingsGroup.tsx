// How often the heartbeat looks, when it is quiet or rests, on whose clock, and how many notifications a day it may show.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { HeartbeatStatus } from "@/bindings/HeartbeatStatus";
import { Select, Switch } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { keys, queries } from "@/shared/queries";
import { setSetting } from "@/shared/settings";
import { ownZone, zoneName, zones } from "@/shared/zones";

async function set(key: string, value: string | number | boolean): Promise<void> {
  await setSetting(`heartbeat.${key}`, value);
  await queries.invalidateQueries({ queryKey: keys.heartbeat });
}

const often = ["15m", "30m", "1h", "2h", "4h"] as const;

export function SettingsGroup({ status }: { status: HeartbeatStatus }) {
  const { t } = useTranslation("heartbeat");
  const { enabled, every, max_per_day, pause_on_battery } = status;
  const choices = often.map((value) => ({ value: value as string, label: t(`every.${value}`) }));
  if (!choices.some(({ value }) => value === every)) choices.unshift({ value: every, label: every });
  const most = [1, 2, 4, 8, 12, 20].map(String);
  if (!most.includes(String(max_per_day))) most.unshift(String(max_per_day));
  return (
    <Group title={t("settings")}>
      <Row label={t("enabled")} help={t("enabledHelp")}>
        <Switch label={t("enabled")} checked={enabled} onChange={(on) => void set("enabled", on)} />
      </Row>
      <Row label={t("often")} help={t("oftenHelp")}>
        <div className="w-44">
          <Select label={t("often")} value={every} choices={choices} onChange={(value) => void set("every", value)} />
        </div>
      </Row>
      <Quiet value={status.quiet} />
      <Row label={t("most")} help={t("mostHelp")}>
        <div className="w-44">
          <Select
            label={t("most")}
            value={String(max_per_day)}
            choices={most.map((value) => ({ value, label: value }))}
            onChange={(value) => void set("max_per_day", Number(value))}
          />
        </div>
      </Row>
      <Zone value={status.time_zone} />
      <Row label={t("battery")} help={t("batteryHelp")}>
        <Switch label={t("battery")} checked={pause_on_battery} onChange={(on) => void set("pause_on_battery", on)} />
      </Row>
    </Group>
  );
}

/** The zone of the settings; none: the system's. */
function Zone({ value }: { value: string }) {
  const { t } = useTranslation("heartbeat");
  const known = [...new Set([...zones(), ...(value ? [value] : [])])];
  const choices = [
    { value: "", label: t("zoneSystem", { zone: zoneName(ownZone()) }) },
    ...known.map((zone) => ({ value: zone, label: zoneName(zone) })),
  ];
  return (
    <Row label={t("zone")} help={t("zoneHelp")}>
      <div className="w-60">
        <Select label={t("zone")} value={value} choices={choices} onChange={(zone) => void set("time_zone", zone)} />
      </div>
    </Row>
  );
}

const usual = "22:30-07:30";

/** `7` and `7:30` as a field for times wants them. */
function fullTime(time: string): string {
  const [hour = "", minute = "00"] = time.trim().split(":");
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

/** `22:30-07:30`, as two times; the end may lie on the next day. */
function Quiet({ value }: { value: string }) {
  const { t } = useTranslation("heartbeat");
  const [from, to] = value.split(/[-–]/).map(fullTime);
  const [typed, setTyped] = useState<{ from: string; to: string } | null>(null);
  const shown = typed ?? { from: from ?? "", to: to ?? "" };
  const save = () => {
    if (!typed?.from || !typed.to) return setTyped(null);
    void set("quiet", `${typed.from}-${typed.to}`).then(() => setTyped(null));
  };
  const field = (part: "from" | "to") => (
    <input
      type="time"
      aria-label={t(part === "from" ? "quietFrom" : "quietTo")}
      value={shown[part]}
      onChange={({ target }) => setTyped({ ...shown, [part]: target.value })}
      onBlur={save}
      className="h-9 rounded-md border border-line-strong bg-raised px-2 tabular-nums"
    />
  );
  return (
    <Row label={t("quiet")} help={t("quietHelp")}>
      <div className="flex items-center gap-3">
        {value && (
          <span className="flex items-center gap-2">
            {field("from")}
            <span aria-hidden>–</span>
            {field("to")}
          </span>
        )}
        <Switch label={t("quiet")} checked={value !== ""} onChange={(on) => void set("quiet", on ? usual : "")} />
      </div>
    </Row>
  );
}
