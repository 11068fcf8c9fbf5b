// The items of HEARTBEAT.md: when each runs next, how its last run went, what it costs; and how often it may speak.

import { Collapsible } from "@base-ui/react/collapsible";
import { ChevronRight, CirclePause, Eye, HeartPulse, MoreHorizontal, Pencil } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { HeartbeatItem } from "@/bindings/HeartbeatItem";
import { Button, IconButton } from "@/shared/components/Button";
import { Menu, MenuItem, MenuLine } from "@/shared/components/Menu";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { distance, moment, money } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { go, pathOf } from "@/shared/route";
import { Decision } from "./Decision";
import { useItems, useStatus } from "./data";
import { RunDialog, type Running, useRun } from "./RunDialog";
import { SettingsGroup } from "./SettingsGroup";
import { StatusCard } from "./StatusCard";

const edit = () => go(pathOf("persona", "HEARTBEAT.md"));

export function ItemsView() {
  const { t } = useTranslation("heartbeat");
  const status = useStatus();
  const items = useItems();
  const running = useRun();
  if (status.isPending || items.isPending) return <Skeleton lines={8} />;
  const error = status.error ?? items.error;
  if (error || !status.data || !items.data)
    return <Failure error={error} onRetry={() => void Promise.all([status.refetch(), items.refetch()])} />;
  return (
    <>
      <StatusCard status={status.data} />
      <section aria-label={t("items")} className="flex flex-col gap-2">
        <div className="flex min-h-8 items-end justify-between gap-4">
          <div>
            <h2 className="font-semibold">{t("items")}</h2>
            <p className="text-sm text-muted">{t("itemsHelp")}</p>
          </div>
          <Button size="sm" icon={<Pencil aria-hidden className="size-4" />} onClick={edit}>
            {t("edit")}
          </Button>
        </div>
        {items.data.length === 0 && (
          <div className="rounded-lg border border-line bg-raised py-6">
            <Empty
              icon={<HeartPulse className="size-8" strokeWidth={1.5} />}
              title={t("noItems")}
              body={t("noItemsBody")}
              level={3}
              action={
                <Button kind="primary" onClick={edit}>
                  {t("write")}
                </Button>
              }
            />
          </div>
        )}
        {items.data.length > 0 && (
          <div className="rounded-lg border border-line bg-raised">
            <p
              aria-hidden
              className="flex gap-2 border-b border-line py-1.5 pr-13 pl-8 text-xs text-faint [&>span]:shrink-0"
            >
              <span className="min-w-0 flex-1">{t("column.item")}</span>
              <span className="w-36 max-[1000px]:w-28">{t("next")}</span>
              <span className="w-36 max-[1000px]:w-28">{t("column.last")}</span>
              <span className="w-16 text-right">{t("column.cost")}</span>
            </p>
            <ul className="flex flex-col divide-y divide-line">
              {items.data.map((item) => (
                <Item key={item.item} item={item} zone={status.data.zone} running={running} />
              ))}
            </ul>
          </div>
        )}
      </section>
      <SettingsGroup status={status.data} />
      <RunDialog running={running} />
    </>
  );
}

interface ItemProps {
  item: HeartbeatItem;
  zone: string;
  running: Running;
}

function Item({ item, zone, running }: ItemProps) {
  const { t } = useTranslation("heartbeat");
  const { name, kind, schedule, action, next, error, line, paused, last, usd_month, text } = item;
  const [soonest] = next;
  return (
    <li>
      <Collapsible.Root>
        <div className="flex items-center gap-2 py-2.5 pr-3 pl-2">
          <Collapsible.Trigger className="group flex min-w-0 flex-1 items-center gap-2 rounded-md py-0.5 text-left hover:bg-hover">
            <ChevronRight
              aria-hidden
              className="size-4 shrink-0 text-faint transition-transform duration-100 group-data-[panel-open]:rotate-90"
            />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate text-sm text-muted">
                {t(`kind.${kind}`)} · <span className="font-mono text-[12.5px]">{schedule}</span>
              </span>
            </span>
            <span className="w-36 shrink-0 text-sm max-[1000px]:w-28">
              {soonest !== undefined && !error && !paused && (
                <>
                  <span className="block tabular-nums">{moment(soonest, zone)}</span>
                  <span className="block text-faint">{distance(soonest)}</span>
                </>
              )}
              {paused && <span className="text-warn">{t("rests")}</span>}
              {error && <span className="text-bad">{t("cannotRead")}</span>}
            </span>
            <span className="w-36 shrink-0 text-sm max-[1000px]:w-28">
              {last ? (
                <>
                  <Decision decision={last.decision} className="text-sm" />
                  <span className="block text-faint">{distance(last.at)}</span>
                </>
              ) : (
                <span className="text-faint">{t("notYet")}</span>
              )}
            </span>
            <span className="w-16 shrink-0 text-right text-sm text-muted tabular-nums">{money(usd_month)}</span>
          </Collapsible.Trigger>
          <ItemMenu item={item} running={running} />
        </div>
        {(error || paused) && (
          <p className="selectable flex items-start gap-2 px-4 pb-3 pl-8 text-sm">
            {paused && <CirclePause aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />}
            <span className="min-w-0 break-words">
              {error && (
                <a
                  href={`#${pathOf("persona", "HEARTBEAT.md")}`}
                  className="mr-2 font-medium text-ember-ink hover:underline"
                >
                  {t("line", { line })}
                </a>
              )}
              <Said text={error ?? paused ?? ""} />
            </span>
          </p>
        )}
        <Collapsible.Panel className="flex flex-col gap-2 px-4 pb-4 pl-8">
          {text && <p className="selectable break-words whitespace-pre-wrap">{text}</p>}
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
            <dt className="text-muted">{t("does")}</dt>
            <dd>{t(`action.${action}`)}</dd>
            {next.length > 0 && (
              <>
                <dt className="text-muted">{t("nextTimes")}</dt>
                <dd className="tabular-nums">{next.map((at) => moment(at, zone)).join(" · ")}</dd>
              </>
            )}
            {last && (
              <>
                <dt className="text-muted">{t("lastWhy")}</dt>
                <dd className="selectable min-w-0 break-words">
                  <Said text={last.why} />
                  {last.usd > 0 && ` · ${money(last.usd)}`}
                </dd>
              </>
            )}
          </dl>
        </Collapsible.Panel>
      </Collapsible.Root>
    </li>
  );
}

function ItemMenu({ item: { item, name, error }, running }: Omit<ItemProps, "zone">) {
  const { t } = useTranslation("heartbeat");
  const icon = "size-4";
  return (
    <Menu trigger={<IconButton label={t("menu", { name })} icon={<MoreHorizontal className={icon} />} />}>
      <MenuItem
        icon={<HeartPulse aria-hidden className={icon} />}
        disabled={Boolean(error)}
        onSelect={() => void running.start({ item }, false)}
      >
        {t("runNow")}
      </MenuItem>
      <MenuItem
        icon={<Eye aria-hidden className={icon} />}
        disabled={Boolean(error)}
        onSelect={() => void running.start({ item }, true)}
      >
        {t("dryRun")}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Pencil aria-hidden className={icon} />} onSelect={edit}>
        {t("edit")}
      </MenuItem>
    </Menu>
  );
}
