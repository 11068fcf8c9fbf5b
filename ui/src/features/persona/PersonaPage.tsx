// The persona page: the files that make the assistant what it is, and an editor. Its path is `/persona/FILE`.

import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useParts } from "@/shared/route";
import { DocumentView } from "./DocumentView";
import { followFiles, saveAll } from "./documents";
import { FileList } from "./FileList";
import { sorted, useFiles } from "./files";

export function PersonaPage() {
  const { t } = useTranslation("persona");
  const [, wanted] = useParts();
  const files = useFiles();
  const rows = sorted(files.data ?? []);
  const first = rows.persona.find(({ exists }) => exists) ?? rows.persona[0];
  const path = wanted ?? first?.path;
  useEffect(() => {
    const stop = followFiles();
    return () => {
      saveAll();
      stop();
    };
  }, []);
  return (
    <>
      <FileList files={rows} query={files} current={path} />
      <main aria-label={t("title")} className="flex min-w-0 flex-1 flex-col bg-surface">
        {path && <DocumentView key={path} path={path} row={files.data?.find((row) => row.path === path)} />}
      </main>
    </>
  );
}
