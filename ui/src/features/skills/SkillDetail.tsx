// One skill: whether it can be used and why not, what it needs and may do, its self-check, its text.

import { CircleAlert, FlaskConical, RefreshCw, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SkillRow } from "@/bindings/SkillRow";
import type { SkillView } from "@/bindings/SkillView";
import { Button } from "@/shared/components/Button";
import { Confirm } from "@/shared/components/Dialog";
import { Switch } from "@/shared/components/Field";
import { Failure, Skeleton } from "@/shared/components/State";
import { count, dateTime } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { go, pathOf } from "@/shared/route";
import { remove, turn, useSkill } from "./data";
import { InstallDialog } from "./InstallDialog";
import { Needs } from "./Needs";
import { ProblemWords } from "./ProblemWords";
import { Chips, Fact, Facts } from "./parts";

export function SkillDetail({ row }: { row: SkillRow }) {
  const { t } = useTranslation("skills");
  const told = useSaid();
  const { name, emoji, version, source, enabled, eligible, reason, description, installed } = row;
  const view = useSkill(name);
  return (
    <section aria-label={name} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      <div className="mx-auto flex max-w-[760px] flex-col gap-6 px-6 py-6">
        <header className="flex items-start gap-4">
          <div className="min-w-0 flex-1">
            <h2 className="selectable text-xl font-semibold break-words">
              {emoji && <span aria-hidden>{emoji} </span>}
              {name}
            </h2>
            <p className="text-sm text-muted">
              {[
                t(`source.${source}`),
                version && t("version", { version }),
                t("tokens", { count: row.tokens, shown: count(row.tokens) }),
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
          </div>
          <span className="flex h-8 items-center gap-2.5 text-sm text-muted">
            <span aria-hidden>{t(enabled ? "on" : "off")}</span>
            <Switch label={t("use", { name })} checked={enabled} onChange={(on) => void turn(row, on)} />
          </span>
        </header>
        {!eligible && reason && enabled && <Note text={told(reason)} />}
        {installed?.changed && <Note text={t("changedSince")} />}
        <p className="selectable break-words">{description}</p>
        <Actions row={row} />
        <Facts>
          <Triggers row={row} />
          <Needs requires={row.requires} />
          <Fact label={t("tools")}>
            {row.allowed_tools === null ? t("allTools") : <Chips names={row.allowed_tools} none={t("noTools")} />}
          </Fact>
          {row.scripts.length > 0 && (
            <Fact label={t("scripts")}>
              <Chips names={row.scripts} />
            </Fact>
          )}
          {row.references.length > 0 && (
            <Fact label={t("references")}>
              <Chips names={row.references} />
            </Fact>
          )}
          {row.uses.length > 0 && (
            <Fact label={t("uses")}>
              <Chips names={row.uses} link={(used) => pathOf("skills", "list", used)} />
            </Fact>
          )}
          {view.data && <More view={view.data} />}
          <Fact label={t("file")}>
            <span className="selectable font-mono text-[12.5px] break-all">{row.path}</span>
          </Fact>
          {installed && (
            <Fact label={t("from")}>
              <span className="selectable break-all">{installed.from}</span>
              <span className="text-muted"> · {dateTime(installed.at)}</span>
            </Fact>
          )}
        </Facts>
        <ProblemWords codes={row.problems} />
        {view.isPending && <Skeleton lines={6} />}
        {view.error && <Failure error={view.error} onRetry={() => void view.refetch()} />}
        {view.data && <Text view={view.data} />}
      </div>
    </section>
  );
}

function Note({ text }: { text: string }) {
  return (
    <p className="selectable flex items-start gap-3 rounded-lg bg-warn-soft px-4 py-3">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  );
}

function Actions({ row: { name, installed } }: { row: SkillRow }) {
  const { t } = useTranslation("skills");
  const [removing, setRemoving] = useState(false);
  const [updating, setUpdating] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="sm"
        icon={<FlaskConical aria-hidden className="size-4" />}
        onClick={() => go(pathOf("skills", "try"))}
      >
        {t("tryIt")}
      </Button>
      {installed && (
        <Button size="sm" icon={<RefreshCw aria-hidden className="size-4" />} onClick={() => setUpdating(true)}>
          {t("updateNow")}
        </Button>
      )}
      {updating && <InstallDialog update={name} onClose={() => setUpdating(false)} />}
      {installed && (
        <Button size="sm" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setRemoving(true)}>
          {t("remove")}
        </Button>
      )}
      <Confirm
        open={removing}
        onClose={() => setRemoving(false)}
        title={t("removeTitle", { name })}
        body={t("removeBody")}
        action={t("remove")}
        danger
        onConfirm={async () => {
          if (await remove(name)) go(pathOf("skills", "list"), { replace: true });
        }}
      />
    </div>
  );
}

function Triggers({ row: { triggers, user_invocable, model_invocable, name } }: { row: SkillRow }) {
  const { t } = useTranslation("skills");
  const ways: ReactNode[] = [];
  if (user_invocable) ways.push(t("byCommand", { name }));
  ways.push(t(model_invocable ? "byItself" : "byPersonAlone"));
  return (
    <Fact label={t("when")}>
      <p>{ways.join(" · ")}</p>
      {triggers.length > 0 && <Chips names={triggers} className="mt-1.5" />}
    </Fact>
  );
}

function More({ view: { license, homepage, hints } }: { view: SkillView }) {
  const { t } = useTranslation("skills");
  return (
    <>
      {hints.length > 0 && (
        <Fact label={t("hints")}>
          <ul className="selectable font-mono text-[12.5px]">
            {hints.map((hint) => (
              <li key={hint} className="break-words">
                {hint}
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {license && <Fact label={t("license")}>{license}</Fact>}
      {homepage && (
        <Fact label={t("homepage")}>
          {/^https?:\/\//.test(homepage) ? (
            <a href={homepage} className="break-all text-ember-ink hover:underline">
              {homepage}
            </a>
          ) : (
            homepage
          )}
        </Fact>
      )}
    </>
  );
}

/** The body as text, whatever it holds: nothing in it runs or loads. */
function Text({ view: { body, self_check } }: { view: SkillView }) {
  const { t } = useTranslation("skills");
  return (
    <>
      {self_check.length > 0 && (
        <section aria-label={t("selfCheck")} className="flex flex-col gap-2">
          <h3 className="font-semibold">{t("selfCheck")}</h3>
          <ul className="flex flex-col gap-1.5">
            {self_check.map((box) => (
              <li key={box} className="flex items-start gap-2.5">
                <span aria-hidden className="mt-[3px] size-4 shrink-0 rounded-[4px] border border-line-strong" />
                <span className="selectable min-w-0 break-words">{box}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label={t("body")} className="flex flex-col gap-2">
        <h3 className="font-semibold">{t("body")}</h3>
        <div className="rounded-lg border border-line bg-raised px-5 py-4">
          {body.trim() ? <Markdown text={body} /> : <p className="text-muted">{t("noBody")}</p>}
        </div>
      </section>
    </>
  );
}
