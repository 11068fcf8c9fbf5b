// What is odd about a SKILL.md, in words. It is usable all the same, unless its reason says otherwise.

import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";

export function ProblemWords({ codes }: { codes: readonly string[] }) {
  const { t, i18n } = useTranslation("skills");
  if (codes.length === 0) return null;
  const words = (code: string) =>
    i18n.exists(`skills:problem.${code}`) ? t(`problem.${code}` as "problem.no-frontmatter") : code;
  return (
    <section aria-label={t("problems")} className="flex flex-col gap-2">
      <h3 className="font-semibold">{t("problems")}</h3>
      <ul className="flex flex-col gap-1">
        {codes.map((code) => (
          <li key={code} className="flex items-start gap-2.5 text-muted">
            <TriangleAlert aria-hidden className="mt-[3px] size-4 shrink-0 text-warn" />
            <span className="selectable min-w-0 break-words">{words(code)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
