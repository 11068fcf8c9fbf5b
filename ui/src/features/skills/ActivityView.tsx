// The activation view of one turn: what it cost against carrying everything, the decision, what was active with its
// references and self-check, and everything in order.

import { Check, Sparkles, Square } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { SkillActive } from "@/bindings/SkillActive";
import type { SkillActivity } from "@/bindings/SkillActivity";
import type { SkillBox } from "@/bindings/SkillBox";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { clock, count, percent } from "@/shared/format";
import { Said, useSaid } from "@/shared/i18n/said";
import { SkillSteps } from "@/shared/skills/SkillSteps";
import { useActivity } from "./data";
import { Ranking } from "./Ranking";

export function ActivityView({ session, turn }: { session: string; turn: string }) {
  const { t } = useTranslation("skills");
  const activity = useActivity(session, turn);
  return (
    <section aria-label={t("activity")} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      {activity.isPending && <Skeleton lines={10} className="p-6" />}
      {activity.error && <Failure error={activity.error} onRetry={() => void activity.refetch()} className="m-6" />}
      {activity.data === null && (
        <Empty
          icon={<Sparkles className="size-8" strokeWidth={1.5} />}
          title={t("noActivity")}
          body={t("noActivityBody")}
        />
      )}
      {activity.data && <Shown activity={activity.data} turn={turn} />}
    </section>
  );
}

function Shown({ activity, turn }: { activity: SkillActivity; turn: string }) {
  const { t } = useTranslation("skills");
  const { decision, active, timeline } = activity;
  return (
    <div className="mx-auto flex max-w-[760px] flex-col gap-7 px-6 py-6">
      <Cost activity={activity} />
      <Part title={t("decision")}>
        <blockquote className="selectable line-clamp-4 border-l-2 border-line-strong pl-3 text-muted break-words whitespace-pre-wrap">
          {decision.text}
        </blockquote>
        <Ranking decision={decision} past />
      </Part>
      {active.length > 0 && (
        <Part title={t("active")}>
          {active.map((skill) => (
            <Active key={`${skill.name} ${skill.at}`} skill={skill} earlier={skill.since !== turn} />
          ))}
        </Part>
      )}
      {timeline.length > 0 && (
        <Part title={t("timeline")}>
          <SkillSteps steps={timeline} />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** Tokens that skills took, against carrying every body in each call. */
function Cost({ activity: { index_tokens, added, freed, all_tokens } }: { activity: SkillActivity }) {
  const { t } = useTranslation("skills");
  const carried = index_tokens + added;
  const most = Math.max(all_tokens, carried, 1);
  const share = (tokens: number) => `${(100 * tokens) / most}%`;
  const figures = [
    { label: t("index"), value: count(index_tokens), look: "bg-[#4b7ba8]" },
    { label: t("added"), value: `+${count(added)}`, look: "bg-ember" },
    { label: t("freed"), value: `−${count(freed)}`, look: "bg-line-strong" },
    { label: t("instead"), value: count(all_tokens), look: "bg-active" },
  ];
  return (
    <section aria-label={t("cost")} className="flex flex-col gap-3 rounded-lg border border-line bg-raised p-4">
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-active">
        <span className="bg-[#4b7ba8]" style={{ width: share(index_tokens) }} />
        <span className="bg-ember" style={{ width: share(added) }} />
      </div>
      <dl className="grid grid-cols-4 gap-4 max-[1000px]:grid-cols-2">
        {figures.map(({ label, value, look }) => (
          <div key={label} className="flex flex-col-reverse">
            <dt className="flex items-center gap-1.5 text-sm text-muted">
              <span aria-hidden className={`size-2 shrink-0 rounded-full ${look}`} />
              {label}
            </dt>
            <dd className="text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {all_tokens > carried && (
        <p className="text-sm text-muted">{t("saved", { share: percent(1 - carried / all_tokens) })}</p>
      )}
    </section>
  );
}

function Active({ skill, earlier }: { skill: SkillActive; earlier: boolean }) {
  const { t } = useTranslation("skills");
  const told = useSaid();
  const { name, reason, score, at, tokens, by, references, self_check, released_at, released_why } = skill;
  const done = self_check.filter(({ ticked }) => ticked).length;
  return (
    <article aria-label={name} className="flex flex-col gap-3 rounded-lg border border-line bg-raised px-4 py-3">
      <div>
        <p className="flex items-baseline justify-between gap-3">
          <span className="truncate font-medium">{name}</span>
          <span className="shrink-0 text-sm text-muted tabular-nums">
            {t("tokens", { count: tokens, shown: count(tokens) })} · {percent(score)}
          </span>
        </p>
        <p className="selectable text-sm text-muted break-words">
          {t(earlier ? "sinceEarlier" : "sinceAt", { at: clock(at) })}
          {by && ` ${t("broughtBy", { name: by })}`} <Said text={reason} />
        </p>
        <p className="selectable text-sm text-muted break-words">
          {released_at === null
            ? t("stillActive")
            : t("releasedAt", { at: clock(released_at), why: told(released_why) })}
        </p>
      </div>
      {references.length > 0 && (
        <ul aria-label={t("references")} className="flex flex-col gap-0.5">
          {references.map(({ path, tokens: size, at: read }) => (
            <li key={`${path} ${read}`} className="flex items-baseline justify-between gap-3 text-sm">
              <span className="selectable min-w-0 truncate font-mono text-[12.5px]">{path}</span>
              <span className="shrink-0 text-muted tabular-nums">
                +{count(size)} · {clock(read)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {self_check.length > 0 && (
        <section aria-label={t("selfCheck")} className="flex flex-col gap-1.5">
          <h3 className="text-sm font-medium">{t("selfCheckOf", { done, count: self_check.length })}</h3>
          <ul className="flex flex-col gap-1.5">
            {self_check.map((box) => (
              <Box key={box.text} box={box} />
            ))}
          </ul>
        </section>
      )}
    </article>
  );
}

function Box({ box: { text, ticked, evidence } }: { box: SkillBox }) {
  const { t } = useTranslation("skills");
  return (
    <li className="flex items-start gap-2.5">
      {ticked ? (
        <Check aria-label={t("ticked")} className="mt-[3px] size-4 shrink-0 text-good" />
      ) : (
        <Square aria-label={t("open")} className="mt-[3px] size-4 shrink-0 text-warn" />
      )}
      <div className="min-w-0">
        <p className="selectable break-words">{text}</p>
        <p className="selectable text-sm text-muted break-words">{ticked ? evidence : t("boxOpen")}</p>
      </div>
    </li>
  );
}
