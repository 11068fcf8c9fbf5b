// Lines of hearth.toml that could not be used. The rest of the file holds.

import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SettingsProblem } from "@/bindings/SettingsProblem";
import { Said } from "@/shared/i18n/said";

export function Problems({ problems }: { problems: readonly SettingsProblem[] }) {
  const { t } = useTranslation("settings");
  if (problems.length === 0) return null;
  return (
    <div role="status" className="flex items-start gap-3 rounded-lg bg-warn-soft px-4 py-3">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
      <div className="selectable min-w-0">
        <p className="font-medium">{t("problems", { count: problems.length })}</p>
        <ul className="mt-1 flex flex-col gap-0.5 text-sm">
          {problems.map(({ line, key, message }) => (
            <li key={`${line} ${key}`} className="break-words">
              <span className="font-medium tabular-nums">{t("line", { line })}</span> <code>{key}</code>{" "}
              <span className="text-muted">
                <Said text={message} />
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
