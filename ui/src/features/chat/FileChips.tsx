// Files that go with a message.

import { File, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Attachment } from "@/bindings/Attachment";

interface FileChipsProps {
  files: readonly Pick<Attachment, "name" | "path">[];
  onRemove: (path: string) => void;
}

export function FileChips({ files, onRemove }: FileChipsProps) {
  const { t } = useTranslation("chat");
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-3">
      {files.map(({ name, path }) => (
        <li key={path} title={path} className="flex h-8 items-center gap-2 rounded-md bg-active pr-1 pl-2.5 text-sm">
          <File aria-hidden className="size-4 text-muted" />
          <span className="max-w-56 truncate">{name}</span>
          <button
            type="button"
            aria-label={t("removeFile", { name })}
            onClick={() => onRemove(path)}
            className="rounded-sm p-1 text-muted hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}
