// The memories that a turn used or changed: what each says now, where it stands, and why it was taken.

import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Skeleton } from "@/shared/components/State";
import type { MemoryTouch } from "@/shared/conversation/turn";
import { Said } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { keys } from "@/shared/queries";
import { pathOf } from "@/shared/route";

export function MemoriesView({ memories }: { memories: readonly MemoryTouch[] }) {
  return (
    <ol className="flex flex-col divide-y divide-line px-4">
      {memories.map((memory, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same memory may come twice
        <MemoryItem key={`${memory.id}-${memory.kind}-${at}`} memory={memory} />
      ))}
    </ol>
  );
}

function MemoryItem({ memory }: { memory: MemoryTouch }) {
  const { t } = useTranslation("chat");
  const { id, kind, path, from, to, why } = memory;
  const file = useQuery({ queryKey: keys.file(path), queryFn: () => call("files_read", { path }) });
  const text = file.data?.text
    .split("\n")
    .slice(from - 1, to)
    .map((line) => line.replaceAll(/<!--.*?-->/g, ""))
    .join("\n")
    .trim();
  return (
    <li className="flex flex-col gap-1 py-3">
      <p className="flex items-baseline justify-between gap-3 text-sm">
        <span className="font-medium">{t(`memoryKind.${kind}`)}</span>
        <span className="selectable min-w-0 truncate text-right text-muted">
          {path}:{from === to ? from : `${from}–${to}`}
        </span>
      </p>
      {file.isPending && <Skeleton lines={2} />}
      {text && <Markdown text={text} className="text-base" />}
      {file.error && <p className="text-muted">{t("memoryGone")}</p>}
      {why && (
        <p className="selectable text-sm text-muted break-words">
          <Said text={why} />
        </p>
      )}
      <a href={`#${pathOf("memory", "timeline", id)}`} className="self-start text-sm text-ember-ink hover:underline">
        {t("memoryOpen")}
      </a>
    </li>
  );
}
