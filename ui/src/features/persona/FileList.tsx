// The files on the left: what each is for, which are missing, which hold text that is not saved.

import type { UseQueryResult } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleAlert, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { FileRow } from "@/bindings/FileRow";
import { Failure, Skeleton } from "@/shared/components/State";
import { useSaid } from "@/shared/i18n/said";
import { pathOf } from "@/shared/route";
import { useDocuments } from "./documents";
import { dayOf, type Files, purposeOf } from "./files";

interface FileListProps {
  files: Files;
  query: UseQueryResult<FileRow[]>;
  current: string | undefined;
}

export function FileList({ files, query, current }: FileListProps) {
  const { t } = useTranslation("persona");
  return (
    <nav
      aria-label={t("files")}
      className="flex w-60 shrink-0 flex-col overflow-y-auto border-r border-line px-2 pb-3 max-[1000px]:w-48"
    >
      <h1 className="flex h-12 shrink-0 items-center px-2 font-semibold">{t("title")}</h1>
      {query.isPending && <Skeleton lines={7} className="p-2" />}
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      <Items rows={files.persona} current={current} />
      {query.data && <Heading>{t("logs")}</Heading>}
      {query.data && files.logs.length === 0 && <p className="px-2 text-sm text-muted">{t("noLogs")}</p>}
      <Items rows={files.logs} current={current} />
      {files.others.length > 0 && <Heading>{t("others")}</Heading>}
      <Items rows={files.others} current={current} />
    </nav>
  );
}

function Heading({ children }: { children: string }) {
  return <h2 className="px-2 pt-5 pb-1 text-xs font-medium text-muted">{children}</h2>;
}

function Items({ rows, current }: { rows: FileRow[]; current: string | undefined }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {rows.map((row) => (
        <FileItem key={row.path} row={row} current={row.path === current} />
      ))}
    </ul>
  );
}

function FileItem({ row, current }: { row: FileRow; current: boolean }) {
  const { t } = useTranslation("persona");
  const told = useSaid();
  const unsaved = useDocuments((all) => {
    const phase = all[row.path]?.phase;
    return phase !== undefined && phase !== "clean" && phase !== "saving";
  });
  const purpose = purposeOf(row.path);
  return (
    <li>
      <a
        href={`#${pathOf("persona", row.path)}`}
        aria-current={current ? "true" : undefined}
        draggable={false}
        className={clsx(
          "flex items-center gap-2 rounded-md px-2 py-1.5 transition-colors duration-100",
          current ? "bg-active" : "hover:bg-hover",
        )}
      >
        <span className="min-w-0 flex-1">
          <span className={clsx("block truncate", row.exists ? "font-medium" : "text-muted")}>{nameOf(row.path)}</span>{" "}
          {row.persona && (
            <span className="block truncate text-sm text-muted">
              {row.exists ? t(`purpose.${purpose}`) : t("missing")}
            </span>
          )}
        </span>
        {row.problem && <CircleAlert role="img" aria-label={told(row.problem)} className="size-4 shrink-0 text-warn" />}
        {unsaved && <span role="img" aria-label={t("unsaved")} className="size-2 shrink-0 rounded-full bg-ember" />}
        {!row.exists && <Plus aria-hidden className="size-4 shrink-0 text-muted" />}
      </a>
    </li>
  );
}

export const nameOf = (path: string): string => dayOf(path) ?? path.replace(/\.md$/, "");
