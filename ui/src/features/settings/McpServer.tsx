// One MCP server: its state in a word, its tools, a test, and what can be done with it.

import { Collapsible } from "@base-ui/react/collapsible";
import clsx from "clsx";
import {
  ChevronRight,
  CircleAlert,
  CircleCheck,
  MoreHorizontal,
  Pencil,
  Power,
  PowerOff,
  ShieldAlert,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { McpRow } from "@/bindings/McpRow";
import type { McpState } from "@/bindings/McpState";
import type { McpToolRow } from "@/bindings/McpToolRow";
import { Button, IconButton } from "@/shared/components/Button";
import { Menu, MenuItem } from "@/shared/components/Menu";
import { useRemoval } from "@/shared/components/Removal";
import { sayProblem } from "@/shared/components/Toasts";
import { useSaid } from "@/shared/i18n/said";
import { lineOf } from "./commandLine";
import { McpReview } from "./McpReview";
import { removeServer, saveServer, testServer, toReview } from "./mcp";

const dots: Record<McpState, string> = {
  off: "border border-line-strong",
  asleep: "bg-line-strong",
  running: "bg-good",
  failed: "bg-bad",
};

export function McpServer({ row, onEdit }: { row: McpRow; onEdit: () => void }) {
  const { t } = useTranslation("mcp");
  const told = useSaid();
  const { server, state, problem } = row;
  const [testing, setTesting] = useState(false);
  const [tested, setTested] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const changed = toReview(row).length;
  const test = async () => {
    setTesting(true);
    setTested(false);
    await testServer(server.id).then(() => setTested(true), sayProblem);
    setTesting(false);
  };
  return (
    <article aria-label={server.id} className="flex flex-col gap-2 py-3">
      <div className="flex items-center gap-4">
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2">
            <span aria-hidden className={clsx("size-2 shrink-0 rounded-full", dots[state])} />
            <span className="truncate font-medium">{server.id}</span>
            <span className="shrink-0 text-sm text-muted">{t(`state.${state}`)}</span>
          </p>
          <p className="selectable truncate font-mono text-[12.5px] text-muted">
            {server.url || lineOf(server.command)}
          </p>
        </div>
        <Button size="sm" busy={testing} disabled={!server.enabled} onClick={() => void test()}>
          {t("test")}
        </Button>
        <Actions row={row} onEdit={onEdit} />
      </div>
      {state === "failed" && problem && !testing && <Tested ok={false} text={told(problem)} />}
      {state === "running" && tested && <Tested ok text={t("works", { count: row.tools.length })} />}
      {changed > 0 && (
        <div role="status" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2">
          <ShieldAlert aria-hidden className="size-4 shrink-0 text-warn" />
          <p className="min-w-0 flex-1 basis-56 text-sm">{t("toReview", { count: changed })}</p>
          <Button size="sm" onClick={() => setReviewing(true)}>
            {t("review")}
          </Button>
        </div>
      )}
      {state !== "off" && <Tools tools={row.tools} />}
      {reviewing && <McpReview row={row} onClose={() => setReviewing(false)} />}
    </article>
  );
}

function Tested({ ok, text }: { ok: boolean; text: string }) {
  const Icon = ok ? CircleCheck : CircleAlert;
  return (
    <p role="status" className="selectable flex items-start gap-2 text-sm">
      <Icon aria-hidden className={clsx("mt-0.5 size-4 shrink-0", ok ? "text-good" : "text-bad")} />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  );
}

function Actions({ row: { server }, onEdit }: { row: McpRow; onEdit: () => void }) {
  const { t } = useTranslation("mcp");
  const { id, enabled } = server;
  const icon = "size-4";
  const removal = useRemoval({
    title: t("removeTitle", { name: id }),
    body: t("removeBody"),
    action: t("remove"),
    onRemove: () => removeServer(id).catch(sayProblem),
  });
  const turn = () => void saveServer({ ...server, enabled: !enabled }, null).catch(sayProblem);
  return (
    <>
      <Menu trigger={<IconButton label={t("menu", { name: id })} icon={<MoreHorizontal className={icon} />} />}>
        <MenuItem icon={<Pencil aria-hidden className={icon} />} onSelect={onEdit}>
          {t("edit")}
        </MenuItem>
        <MenuItem
          icon={enabled ? <PowerOff aria-hidden className={icon} /> : <Power aria-hidden className={icon} />}
          onSelect={turn}
        >
          {t(enabled ? "turnOff" : "turnOn")}
        </MenuItem>
        {removal.entry}
      </Menu>
      {removal.question}
    </>
  );
}

function Tools({ tools }: { tools: readonly McpToolRow[] }) {
  const { t } = useTranslation("mcp");
  if (tools.length === 0) return <p className="text-sm text-muted">{t("noTools")}</p>;
  return (
    <Collapsible.Root>
      <Collapsible.Trigger className="group flex h-7 items-center gap-1 rounded-md pr-2 text-sm text-muted hover:text-ink">
        <ChevronRight
          aria-hidden
          className="size-4 transition-transform duration-100 group-data-[panel-open]:rotate-90"
        />
        {t("tools", { count: tools.length })}
      </Collapsible.Trigger>
      <Collapsible.Panel>
        <ul className="flex flex-col gap-2 py-1 pl-5">
          {tools.map(({ name, description, state }) => (
            <li key={name}>
              <p className="flex items-baseline gap-2">
                <span className={clsx("selectable font-mono text-[12.5px]", state === "gone" && "line-through")}>
                  {name}
                </span>
                {state !== "same" && <span className="text-xs text-warn">{t(`toolState.${state}`)}</span>}
              </p>
              <p className="selectable line-clamp-3 text-sm text-muted">{description || t("noDescription")}</p>
            </li>
          ))}
        </ul>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}
