// How the heartbeat stands: whether it beats and why not, the next time, quiet hours, today's notifications and cost.

import { BatteryLow, BellOff, CirclePause, Moon, PowerOff } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { HeartbeatStatus } from "@/bindings/HeartbeatStatus";
import { Button } from "@/shared/components/Button";
import { distance, moment, money, timesOfDay } from "@/shared/format";
import { Said, useSaid } from "@/shared/i18n/said";
import { pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import { pause } from "./data";

export function StatusCard({ status }: { status: HeartbeatStatus }) {
  const { t } = useTranslation("heartbeat");
  const { next_beat, zone, quiet, shown_today, max_per_day, usd_today } = status;
  return (
    <section aria-label={t("status")} className="flex flex-col gap-4 rounded-lg border border-line bg-raised p-4">
      <dl className="grid grid-cols-4 gap-4 max-[1000px]:grid-cols-2">
        <Figure label={t("next")} value={next_beat === null ? t("never") : moment(next_beat, zone)}>
          {next_beat !== null && distance(next_beat)}
        </Figure>
        <Figure label={t("quiet")} value={quiet ? timesOfDay(quiet) : t("noQuiet")}>
          {zone}
        </Figure>
        <Figure label={t("shownToday")} value={t("ofMost", { shown: shown_today, most: max_per_day })}>
          <Onward to={pathOf("heartbeat", "log")} text={t("whySilent")} />
        </Figure>
        <Figure label={t("costToday")} value={money(usd_today)}>
          <Onward to={pathOf("activity", "usage")} text={t("whatItCost")} />
        </Figure>
      </dl>
      <Rest status={status} />
    </section>
  );
}

function Figure({ label, value, children }: { label: string; value: string; children?: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
      {children && <dd className="text-sm text-faint">{children}</dd>}
    </div>
  );
}

const Onward = ({ to, text }: { to: string; text: string }) => (
  <a href={`#${to}`} className="text-ember-ink hover:underline">
    {text}
  </a>
);

/** Why it rests, or speaks less, with the way out. */
function Rest({ status }: { status: HeartbeatStatus }) {
  const { t } = useTranslation("heartbeat");
  const told = useSaid();
  const { enabled, off_because, paused_until, quiet_now, quiet_until, zone, battery_saver } = status;
  const icon = "size-4 shrink-0 text-warn";
  const paused = paused_until !== null;
  return (
    <>
      {paused && (
        <Line
          icon={<CirclePause aria-hidden className={icon} />}
          text={t("pausedUntil", { until: moment(paused_until, zone) })}
          action={t("goOn")}
          onAction={() => void pause(null)}
        />
      )}
      {!enabled && (
        <Line
          icon={<PowerOff aria-hidden className={icon} />}
          text={t("turnedOff")}
          action={t("turnOn")}
          onAction={() => void setSetting("heartbeat.enabled", true)}
        />
      )}
      {enabled && !paused && off_because && (
        <Line icon={<PowerOff aria-hidden className={icon} />} text={told(off_because)} />
      )}
      {quiet_now && (
        <Line
          icon={<Moon aria-hidden className={icon} />}
          text={quiet_until === null ? t("quietNow") : t("quietUntil", { until: moment(quiet_until, zone) })}
        />
      )}
      {battery_saver && <Line icon={<BatteryLow aria-hidden className={icon} />} text={t("batterySaver")} />}
      {status.notifications_broken && (
        <Line icon={<BellOff aria-hidden className={icon} />} text={told(status.notifications_broken)} />
      )}
      {status.problems.map(({ line, message }) => (
        <p key={`${line} ${message}`} className="flex items-start gap-2 text-sm">
          <a
            href={`#${pathOf("persona", "HEARTBEAT.md")}`}
            className="shrink-0 font-medium text-ember-ink tabular-nums hover:underline"
          >
            {t("line", { line })}
          </a>
          <span className="selectable min-w-0 break-words text-muted">
            <Said text={message} />
          </span>
        </p>
      ))}
    </>
  );
}

interface LineProps {
  icon: ReactNode;
  text: string;
  action?: string;
  onAction?: () => void;
}

function Line({ icon, text, action, onAction }: LineProps) {
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2">
      {icon}
      <p className="selectable min-w-0 flex-1 basis-56 break-words">{text}</p>
      {action && (
        <Button size="sm" onClick={onAction}>
          {action}
        </Button>
      )}
    </div>
  );
}
