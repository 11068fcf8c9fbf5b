// Lines that the engine cannot understand; each leads to its line.

import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Said } from "@/shared/i18n/said";
import { useDocuments } from "./documents";

export function Problems({ path, onGo }: { path: string; onGo: (line: number) => void }) {
  const { t } = useTranslation("persona");
  const problems = useDocuments((all) => all[path]?.problems);
  if (!problems?.length) return null;
  return (
    <section aria-label={t("problems")} className="max-h-32 shrink-0 overflow-y-auto border-t border-line px-4 py-1.5">
      <ul>
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <button
              type="button"
              onClick={() => onGo(line)}
              className="flex w-full items-start gap-2 rounded-sm px-2 py-1 text-left text-sm hover:bg-hover"
            >
              <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <span className="shrink-0 font-medium tabular-nums">{t("line", { line })}</span>
              <span className="min-w-0 break-words text-muted">
                <Said text={message} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
