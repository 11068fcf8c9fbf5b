// A skill that would be installed: what it is for, and every right it asks for.

import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SkillFileFate } from "@/bindings/SkillFileFate";
import type { SkillIncoming } from "@/bindings/SkillIncoming";
import { bytes } from "@/shared/format";
import { Needs } from "./Needs";
import { ProblemWords } from "./ProblemWords";
import { Chips, Fact, Facts } from "./parts";

const fates: Record<SkillFileFate, string> = { added: "text-good", changed: "text-warn", removed: "text-bad" };
const signs: Record<SkillFileFate, string> = { added: "+", changed: "~", removed: "−" };

export function Incoming({ skill }: { skill: SkillIncoming }) {
  const { t } = useTranslation("skills");
  const { name, description, files, scripts, hosts, requires, allowed_tools, problems, replaces, changes, rival } =
    skill;
  return (
    <article aria-label={name} tabIndex={0} className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <div>
        <h3 className="selectable font-semibold break-words">{name}</h3>
        <p className="selectable text-muted break-words">{description}</p>
        <p className="mt-1 text-sm text-faint">
          {t("files", { count: files })} · {bytes(skill.bytes)}
          {replaces !== null && ` · ${replaces ? t("replaces", { version: replaces }) : t("replacesUnknown")}`}
        </p>
      </div>
      {rival && (
        <p className="selectable flex items-start gap-3 rounded-lg bg-warn-soft px-4 py-3">
          <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
          <span className="min-w-0 break-words">
            {t(rival.wins ? "rivalWins" : "rivalLoses", { source: t(`source.${rival.source}`) })}
          </span>
        </p>
      )}
      <Facts>
        <Fact label={t("tools")}>
          {allowed_tools === null ? t("allTools") : <Chips names={allowed_tools} none={t("noTools")} />}
        </Fact>
        <Fact label={t("scripts")}>
          {scripts.length === 0 && t("noScripts")}
          <ul className="flex flex-col gap-0.5">
            {scripts.map(({ path, runs_with, bytes: size }) => (
              <li key={path} className="selectable break-all">
                <span className="font-mono text-[12.5px]">{path}</span>
                <span className="text-sm text-muted">
                  {" "}
                  {[runs_with === "native" ? t("native") : runs_with || t("unknownRunner"), bytes(size)].join(" · ")}
                </span>
              </li>
            ))}
          </ul>
        </Fact>
        {hosts.length > 0 && (
          <Fact label={t("hosts")}>
            <Chips names={hosts} />
          </Fact>
        )}
        <Needs requires={requires} showOnly />
      </Facts>
      {changes.length > 0 && (
        <section aria-label={t("changes")}>
          <h4 className="pb-1 text-sm font-medium">{t("changes")}</h4>
          <ul className="flex max-h-40 flex-col overflow-y-auto font-mono text-[12.5px]">
            {changes.map(({ path, change }) => (
              <li key={path} className="flex gap-2">
                <span className={clsx("w-20 shrink-0 whitespace-nowrap", fates[change])}>
                  {signs[change]} {t(`fate.${change}`)}
                </span>
                <span className="selectable min-w-0 break-all">{path}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ProblemWords codes={problems} />
    </article>
  );
}
