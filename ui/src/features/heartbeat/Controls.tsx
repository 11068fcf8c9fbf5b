// What can be done with the heartbeat as a whole: run it now, see what it would do, pause it and go on.

import { CirclePause, CirclePlay, Eye, HeartPulse } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Menu, MenuItem } from "@/shared/components/Menu";
import { pause, tomorrow, useStatus } from "./data";
import { RunDialog, useRun } from "./RunDialog";

export function Controls() {
  const { t } = useTranslation("heartbeat");
  const status = useStatus().data;
  const running = useRun();
  const icon = "size-4";
  const paused = status?.paused_until != null;
  const later = (seconds: number) => void pause(Math.floor(Date.now() / 1000) + seconds);
  return (
    <div className="mr-2 flex items-center gap-1">
      <Button
        kind="quiet"
        size="sm"
        icon={<Eye aria-hidden className={icon} />}
        onClick={() => void running.start({ item: null }, true)}
      >
        {t("dryRun")}
      </Button>
      <Button
        kind="quiet"
        size="sm"
        icon={<HeartPulse aria-hidden className={icon} />}
        onClick={() => void running.start({ item: null }, false)}
      >
        {t("runNow")}
      </Button>
      {paused ? (
        <Button
          kind="quiet"
          size="sm"
          icon={<CirclePlay aria-hidden className={icon} />}
          onClick={() => void pause(null)}
        >
          {t("goOn")}
        </Button>
      ) : (
        <Menu
          trigger={
            <Button kind="quiet" size="sm" icon={<CirclePause aria-hidden className={icon} />}>
              {t("pause")}
            </Button>
          }
        >
          <MenuItem onSelect={() => later(3600)}>{t("pauseHour")}</MenuItem>
          <MenuItem onSelect={() => void pause(tomorrow())}>{t("pauseTomorrow")}</MenuItem>
        </Menu>
      )}
      <RunDialog running={running} />
    </div>
  );
}
