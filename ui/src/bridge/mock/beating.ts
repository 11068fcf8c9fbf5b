// What the in-memory shell holds of the heartbeat, and a heartbeat without anything to look at.

import type { BeatRow } from "@/bindings/BeatRow";
import type { HeartbeatItem } from "@/bindings/HeartbeatItem";
import type { HeartbeatStatus } from "@/bindings/HeartbeatStatus";
import type { JobRow } from "@/bindings/JobRow";
import type { NoticeRow } from "@/bindings/NoticeRow";
import type { SlotRow } from "@/bindings/SlotRow";

/** What the shell holds of it. */
export interface Beating {
  status: HeartbeatStatus;
  items: HeartbeatItem[];
  log: BeatRow[];
  jobs: JobRow[];
  slots: SlotRow[];
  notices: NoticeRow[];
}

export const emptyBeating = (): Beating => ({
  status: {
    enabled: true,
    off_because: null,
    paused_until: null,
    every: "30m",
    quiet: "22:30-07:30",
    quiet_now: false,
    quiet_until: null,
    zone: "Europe/Oslo",
    shown_today: 0,
    max_per_day: 8,
    pause_on_battery: false,
    time_zone: "",
    next_beat: null,
    battery_saver: false,
    usd_today: 0,
    notices_new: 0,
    notifications_broken: null,
    problems: [],
  },
  items: [],
  log: [],
  jobs: [],
  slots: [],
  notices: [],
});
