// What a call would do, exactly and in whole: nothing of it is scrolled out of sight above the buttons. A write is shown
// as what changes in the file as it is now.

import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Arguments } from "@/bindings/Arguments";
import { call } from "@/bridge";
import { Skeleton } from "../components/State";
import { TextDiff } from "../components/TextDiff";
import { written } from "../conversation/given";
import { keys } from "../queries";

/** Lines that stay, shown around each change. */
const around = 3;

type Write = { path: string; after: string } | { path: string; old: string; fresh: string };

/** What a call writes into which file, if it is one that does. */
function writes(tool: string, given: Arguments): Write | null {
  if (typeof given === "string") return null;
  const { path, content, old, new: fresh } = given;
  if (typeof path !== "string") return null;
  if (tool === "write_file" && typeof content === "string") return { path, after: content };
  if (tool === "edit_file" && typeof old === "string" && typeof fresh === "string") return { path, old, fresh };
  return null;
}

/** The question, with the file by its name where it is about one. */
export function titleOf(t: TFunction<"approvals">, tool: string, given: Arguments): string {
  const write = writes(tool, given);
  if (!write) return t("title", { tool });
  return t("after" in write ? "titles.write" : "titles.edit", { path: write.path });
}

/** `reason` tells when the file changed under the question: it is read anew then. */
export function Runs({ tool, arguments: given, reason }: { tool: string; arguments: Arguments; reason: string }) {
  const { t } = useTranslation("approvals");
  const write = writes(tool, given);
  if (write) return <Change write={write} reason={reason} />;
  return (
    <>
      <h4 className="sr-only">{t("runs")}</h4>
      <pre className={box}>{written(given)}</pre>
    </>
  );
}

const box =
  "selectable mx-4 mt-3 rounded-md bg-sunken px-3 py-2 font-mono text-[12.5px] leading-5 break-words whitespace-pre-wrap";

function Change({ write, reason }: { write: Write; reason: string }) {
  const { t } = useTranslation("approvals");
  const { path } = write;
  const file = useQuery({
    queryKey: [...keys.file(path), reason],
    queryFn: () => call("files_read", { path }),
    staleTime: 0,
    retry: false,
  });
  if (file.isPending) return <Skeleton lines={3} />;
  const now = file.data?.text ?? "";
  const [before, after] = versions(write, now);
  return (
    <div className="mx-4 mt-3">
      <h4 className="selectable font-mono text-[12.5px] font-medium break-words">{path}</h4>
      {file.isError && "after" in write && <p className="text-sm text-muted">{t("unseen")}</p>}
      {file.data?.exists === false && <p className="text-sm text-muted">{t("newFile")}</p>}
      <section aria-label={t("changes", { path })} className="mt-1 rounded-md bg-sunken px-3 py-2">
        <TextDiff before={before} after={after} mono context={around} />
      </section>
    </div>
  );
}

/** The file before and after; of an edit that does not fit the file any more, the two texts alone. */
function versions(write: Write, now: string): [before: string, after: string] {
  if ("after" in write) return [now, write.after];
  const at = now.indexOf(write.old);
  if (at < 0) return [write.old, write.fresh];
  return [now, now.slice(0, at) + write.fresh + now.slice(at + write.old.length)];
}
