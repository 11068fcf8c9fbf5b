// The inbox of notices: what was said or held back, why, and what the person wants done with it.

import clsx from "clsx";
import i18next from "i18next";
import { BellOff, Check, Clock, Inbox, MessageCircle, ThumbsDown, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { NoticeChange } from "@/bindings/NoticeChange";
import type { NoticeRow } from "@/bindings/NoticeRow";
import { Button } from "@/shared/components/Button";
import { Menu, MenuItem } from "@/shared/components/Menu";
import { More } from "@/shared/components/More";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { say } from "@/shared/components/Toasts";
import { moment } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { useNotices } from "@/shared/notices";
import { go, pathOf } from "@/shared/route";
import { useFold } from "@/shared/useFold";
import { changeNotice, evening, tomorrow, useStatus } from "./data";

export function InboxView() {
  const { t } = useTranslation("heartbeat");
  const notices = useNotices();
  const [past, setPast] = useState(false);
  if (notices.isPending) return <Skeleton lines={8} />;
  if (notices.error) return <Failure error={notices.error} onRetry={() => void notices.refetch()} />;
  const of = (...states: NoticeRow["state"][]) => notices.data.filter(({ state }) => states.includes(state));
  const [fresh, snoozed, done] = [of("new"), of("snoozed"), of("done", "muted")];
  if (notices.data.length === 0)
    return (
      <Empty icon={<Inbox className="size-8" strokeWidth={1.5} />} title={t("noNotices")} body={t("noNoticesBody")} />
    );
  return (
    <>
      <Notices title={t("notice.new")} rows={fresh} none={t("nothingNew")} />
      {snoozed.length > 0 && <Notices title={t("notice.snoozed")} rows={snoozed} />}
      {done.length > 0 && (
        <>
          <Button
            size="sm"
            kind="quiet"
            aria-expanded={past}
            className="self-start aria-expanded:bg-active"
            onClick={() => setPast(!past)}
          >
            {t("showPast", { count: done.length })}
          </Button>
          {past && <Notices title={t("notice.done")} rows={done} />}
        </>
      )}
    </>
  );
}

function Notices({ title, rows, none }: { title: string; rows: readonly NoticeRow[]; none?: string }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h2 className="font-semibold">{title}</h2>
      {rows.length === 0 && none && <p className="text-muted">{none}</p>}
      {rows.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

/** Characters; the conversation holds all of a longer text. */
const most = 800;

function Notice({ notice }: { notice: NoticeRow }) {
  const { t } = useTranslation("heartbeat");
  const told = useSaid();
  const zone = useStatus().data?.zone;
  const { title, body, reason, session, message, at, state, snoozed_until, held } = notice;
  const past = state === "done" || state === "muted";
  const { shown, hidden, more } = useFold(told(body), most);
  return (
    <article
      aria-label={told(title)}
      className={clsx(
        "flex flex-col gap-2 rounded-lg border bg-raised px-4 py-3",
        past ? "border-line" : "border-line-strong",
      )}
    >
      <div className="flex items-baseline justify-between gap-4">
        <h3 className={clsx("selectable min-w-0 font-medium break-words", past && "text-muted")}>{told(title)}</h3>
        <span className="shrink-0 text-xs text-faint tabular-nums">{moment(at, zone)}</span>
      </div>
      <Markdown text={shown} className="text-base" />
      <More hidden={hidden} onMore={more} />
      {reason && <p className="selectable text-sm text-muted break-words">{t("why", { reason: told(reason) })}</p>}
      {held && (
        <p className="selectable flex items-start gap-2 text-sm text-warn">
          <BellOff aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{t("heldBack", { why: told(held) })}</span>
        </p>
      )}
      {snoozed_until !== null && state === "snoozed" && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <Clock aria-hidden className="size-4" />
          {t("comesAgain", { at: moment(snoozed_until, zone) })}
        </p>
      )}
      <div className="-ml-2 flex flex-wrap gap-1">
        <Button
          size="sm"
          kind="quiet"
          icon={<MessageCircle aria-hidden className="size-4" />}
          onClick={() => go(pathOf("chat", session, ...(message ? [message] : [])))}
        >
          {t("openConversation")}
        </Button>
        <Answers notice={notice} past={past} />
      </div>
    </article>
  );
}

/** Says what was done, with the way back. */
async function change(notice: NoticeRow, wanted: NoticeChange, said: string): Promise<void> {
  if (!(await changeNotice(notice, wanted))) return;
  say(said, { label: i18next.t("undo"), run: () => void changeNotice(notice, { change: "reopen" }) });
}

function Answers({ notice, past }: { notice: NoticeRow; past: boolean }) {
  const { t } = useTranslation("heartbeat");
  const icon = "size-4";
  if (past)
    return (
      <Button
        size="sm"
        kind="quiet"
        icon={<Undo2 aria-hidden className={icon} />}
        onClick={() => void changeNotice(notice, { change: "reopen" })}
      >
        {t("reopen")}
      </Button>
    );
  const snooze = (until: number) => void change(notice, { change: "snooze", until }, t("said.snoozed"));
  const tonight = evening();
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button size="sm" kind="quiet" icon={<Clock aria-hidden className={icon} />}>
            {t("snooze")}
          </Button>
        }
      >
        <MenuItem onSelect={() => snooze(Math.floor(Date.now() / 1000) + 3600)}>{t("snoozeHour")}</MenuItem>
        {tonight !== null && <MenuItem onSelect={() => snooze(tonight)}>{t("snoozeEvening")}</MenuItem>}
        <MenuItem onSelect={() => snooze(tomorrow())}>{t("snoozeTomorrow")}</MenuItem>
      </Menu>
      <Button
        size="sm"
        kind="quiet"
        icon={<Check aria-hidden className={icon} />}
        onClick={() => void change(notice, { change: "done" }, t("said.done"))}
      >
        {t("done")}
      </Button>
      <Button
        size="sm"
        kind="quiet"
        icon={<ThumbsDown aria-hidden className={icon} />}
        onClick={() => void change(notice, { change: "less" }, t("said.less"))}
      >
        {t("less")}
      </Button>
    </>
  );
}
