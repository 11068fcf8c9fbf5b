// Whether what is on the screen is on the disk, in a word.

import { useTranslation } from "react-i18next";
import { useDocuments } from "./documents";

export function SaveState({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const phase = useDocuments((all) => all[path]?.phase ?? "clean");
  const exists = useDocuments((all) => all[path]?.exists ?? true);
  const word = phase === "clean" && !exists ? "notYet" : phase;
  return <span className="pr-2 text-sm text-muted">{t(`phase.${word}`)}</span>;
}
