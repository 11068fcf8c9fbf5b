// The conversations on the left: search, groups by time, and what can be done with each.

import clsx from "clsx";
import { Archive, ArchiveRestore, Ellipsis, PencilLine, Pin, PinOff, Search, SquarePen, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionInfo } from "@/bindings/SessionInfo";
import { IconButton } from "@/shared/components/Button";
import { Confirm } from "@/shared/components/Dialog";
import { Menu, MenuItem, MenuLine } from "@/shared/components/Menu";
import { Failure, Skeleton } from "@/shared/components/State";
import { when } from "@/shared/format";
import { keysText } from "@/shared/keys";
import { pathOf } from "@/shared/route";
import { useIme } from "@/shared/useIme";
import { archiveSession, changeSession, createSession, deleteSession, grouped, titleOf, useSessions } from "./sessions";

export function SessionList({ current }: { current: string }) {
  const { t } = useTranslation("chat");
  const [query, setQuery] = useState("");
  const [archived, setArchived] = useState(false);
  const sessions = useSessions();
  const rows = sessions.data ?? [];
  const groups = grouped(rows, query, archived);
  const hidden = rows.filter((row) => row.archived).length;
  return (
    <section
      aria-label={t("sessions")}
      className="flex w-64 shrink-0 flex-col border-r border-line bg-page max-[760px]:w-44"
    >
      <header className="flex h-12 shrink-0 items-center justify-between pr-2 pl-4">
        <h2 className="font-semibold">{t("sessions")}</h2>
        <IconButton
          label={t("newSession")}
          keys={keysText("Mod+N")}
          icon={<SquarePen className="size-4" />}
          onClick={() => void createSession()}
        />
      </header>
      <label className="relative mx-3 mb-2 block">
        <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
        <input
          type="search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          placeholder={t("searchSessions")}
          aria-label={t("searchSessions")}
          className="h-8 w-full rounded-md bg-active pr-2 pl-8 text-base"
        />
      </label>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {sessions.isPending && <Skeleton className="p-2" lines={6} />}
        {sessions.error && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
        {sessions.data && groups.length === 0 && (
          <p className="px-2 py-3 text-sm text-muted">{query ? t("noMatch", { query }) : t("noSessions")}</p>
        )}
        {groups.map(({ group, rows: members }) => (
          <section key={group} aria-label={t(group)} className="mb-3">
            <h3 className="px-2 py-1 text-xs font-medium text-faint">{t(group)}</h3>
            <ul>
              {members.map((row) => (
                <SessionRow key={row.key} row={row} open={row.key === current} />
              ))}
            </ul>
          </section>
        ))}
        {hidden > 0 && !archived && !query && (
          <button
            type="button"
            onClick={() => setArchived(true)}
            className="mx-1 rounded-sm px-1 text-sm text-muted hover:text-ink hover:underline"
          >
            {t("showArchived", { count: hidden })}
          </button>
        )}
      </div>
    </section>
  );
}

function SessionRow({ row, open }: { row: SessionInfo; open: boolean }) {
  const { t } = useTranslation("chat");
  const [renaming, setRenaming] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const title = titleOf(row);
  if (renaming) return <RenameRow row={row} onDone={() => setRenaming(false)} />;
  return (
    <li className="group/row relative">
      <a
        href={`#${pathOf("chat", row.key)}`}
        aria-current={open ? "page" : undefined}
        draggable={false}
        onDoubleClick={() => setRenaming(true)}
        className={clsx(
          "flex h-9 items-center gap-2 rounded-md px-2 transition-colors duration-100",
          open ? "bg-active" : "hover:bg-hover",
        )}
      >
        {row.running && (
          <span role="img" aria-label={t("running")} className="size-2 shrink-0 animate-pulse rounded-full bg-ember" />
        )}
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <span className="shrink-0 text-xs text-faint tabular-nums group-focus-within/row:invisible group-hover/row:invisible">
          {when(row.updated_at)}
        </span>
      </a>
      <div className="absolute inset-y-0 right-1 flex items-center opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100">
        <SessionMenu row={row} title={title} onRename={() => setRenaming(true)} onDelete={() => setDeleting(true)} />
      </div>
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={t("deleteTitle")}
        body={t("deleteBody", { title })}
        action={t("delete")}
        danger
        onConfirm={() => deleteSession(row.key, open)}
      />
    </li>
  );
}

interface SessionMenuProps {
  row: SessionInfo;
  title: string;
  onRename: () => void;
  onDelete: () => void;
}

function SessionMenu({ row, title, onRename, onDelete }: SessionMenuProps) {
  const { t } = useTranslation("chat");
  const icon = "size-4";
  const trigger = <IconButton size="sm" label={t("sessionMenu", { title })} icon={<Ellipsis className={icon} />} />;
  return (
    <Menu trigger={trigger} align="start">
      <MenuItem
        icon={row.pinned ? <PinOff className={icon} /> : <Pin className={icon} />}
        onSelect={() => void changeSession(row.key, { pinned: !row.pinned })}
      >
        {t(row.pinned ? "unpin" : "pin")}
      </MenuItem>
      <MenuItem icon={<PencilLine className={icon} />} onSelect={onRename}>
        {t("rename")}
      </MenuItem>
      {row.archived ? (
        <MenuItem
          icon={<ArchiveRestore className={icon} />}
          onSelect={() => void changeSession(row.key, { archived: false })}
        >
          {t("unarchive")}
        </MenuItem>
      ) : (
        <MenuItem icon={<Archive className={icon} />} onSelect={() => void archiveSession(row)}>
          {t("archive")}
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={<Trash2 className={icon} />} danger onSelect={onDelete}>
        {t("delete")}
      </MenuItem>
    </Menu>
  );
}

function RenameRow({ row, onDone }: { row: SessionInfo; onDone: () => void }) {
  const { t } = useTranslation("chat");
  const [name, setName] = useState(titleOf(row));
  const finished = useRef(false);
  const finish = (keep: boolean) => {
    // Leaving the field ends the renaming too, also when Enter or Escape has just done so.
    if (finished.current) return;
    finished.current = true;
    if (keep && name.trim() && name.trim() !== row.title) void changeSession(row.key, { title: name.trim() });
    onDone();
  };
  const ime = useIme("rename", (intent) => {
    if (intent === "choose") finish(true);
    if (intent === "close") finish(false);
    return true;
  });
  return (
    <li>
      <input
        {...ime}
        ref={(input) => input?.select()}
        aria-label={t("newName")}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onBlur={(event) => {
          ime.onBlur(event);
          finish(true);
        }}
        className="h-9 w-full rounded-md border border-line-strong bg-raised px-2"
      />
    </li>
  );
}
