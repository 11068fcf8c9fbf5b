// Under a reply: how it ended if not well, what it cost, and what can be done with it.

import clsx from "clsx";
import { Brain, Check, Copy, GitBranch, RotateCcw, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { StopReason } from "@/bindings/StopReason";
import type { Usage } from "@/bindings/Usage";
import { IconButton } from "@/shared/components/Button";
import { Tip } from "@/shared/components/Tip";
import { sayProblem } from "@/shared/components/Toasts";
import { rewind } from "@/shared/conversation/store";
import { replyOf, type Turn } from "@/shared/conversation/turn";
import { count, money } from "@/shared/format";
import { go, pathOf } from "@/shared/route";
import { useCopy } from "@/shared/useCopy";
import { retry } from "./ErrorCard";
import type { Look } from "./look";
import { shortModel } from "./ModelPicker";
import { TakeBack } from "./TakeBack";

interface TurnFootProps {
  turn: Turn;
  last: boolean;
  onLook: (look: Look) => void;
}

export function TurnFoot({ turn, last, onLook }: TurnFootProps) {
  return (
    <>
      <Ending turn={turn} />
      <div
        className={clsx(
          "-ml-2 flex flex-wrap items-center gap-x-1 gap-y-1 transition-opacity duration-100",
          !last && "opacity-0 focus-within:opacity-100 [article:hover_&]:opacity-100",
        )}
      >
        <Actions turn={turn} />
        <Chips turn={turn} onLook={onLook} />
      </div>
    </>
  );
}

/** Reasons that the person should read; a good end and an error (which stands above) need no words. */
const told: readonly StopReason[] = ["steps", "time", "budget", "repeat", "cancelled"];

function Ending({ turn }: { turn: Turn }) {
  const { t } = useTranslation("chat");
  const { id, stop } = turn;
  if (stop === null && id !== null) return <p className="text-sm text-warn">{t("interrupted")}</p>;
  if (stop === null || !told.includes(stop)) return null;
  return <p className="text-sm text-muted">{t(`ended.${stop as "steps"}`)}</p>;
}

function Actions({ turn }: { turn: Turn }) {
  const { t } = useTranslation("chat");
  const [copied, copy] = useCopy();
  const reply = replyOf(turn);
  const { session, user } = turn;
  const branch = async () => {
    if (!user?.id) return;
    go(pathOf("chat", await rewind({ session, message: user.id, text: user.text, changed: false, branch: true })));
  };
  const icon = "size-4";
  return (
    <>
      {reply && (
        <IconButton
          size="sm"
          label={t(copied ? "copied" : "copyReply")}
          icon={copied ? <Check className={clsx(icon, "text-good")} /> : <Copy className={icon} />}
          onClick={() => copy(reply)}
        />
      )}
      {user?.id && (
        <>
          <IconButton size="sm" label={t("retry")} icon={<RotateCcw className={icon} />} onClick={() => retry(turn)} />
          <IconButton
            size="sm"
            label={t("branch")}
            icon={<GitBranch className={icon} />}
            onClick={() => void branch().catch(sayProblem)}
          />
        </>
      )}
      {turn.id !== null && turn.files.length > 0 && <TakeBack turn={turn.id} files={turn.files} />}
    </>
  );
}

/** Memories, skills, tokens and cost; each opens what stands behind it. */
function Chips({ turn, onLook }: { turn: Turn; onLook: (look: Look) => void }) {
  const { t } = useTranslation("chat");
  const { id, memories, skills } = turn;
  const used = new Set(skills.filter(({ state }) => state === "activated").map(({ name }) => name));
  return (
    <>
      {memories.length > 0 && (
        <Chip tip={t("memoriesTitle")} onPress={() => onLook({ kind: "memories", memories })}>
          <Brain aria-hidden className="size-3.5" />
          {t("memories", { count: new Set(memories.map((memory) => memory.id)).size })}
        </Chip>
      )}
      {used.size > 0 && (
        <Chip tip={t("skillsTitle")} onPress={() => onLook({ kind: "skills", turn: id, skills })}>
          <Sparkles aria-hidden className="size-3.5" />
          {used.size === 1 ? [...used][0] : t("skillsUsed", { count: used.size })}
        </Chip>
      )}
      {id !== null && <CostChip turn={turn} onLook={onLook} />}
    </>
  );
}

/** Model, tokens and cost of a turn. */
function CostChip({ turn, onLook }: { turn: Turn; onLook: (look: Look) => void }) {
  const { t } = useTranslation("chat");
  const steps = Math.max(turn.steps, turn.usage.length);
  const final = turn.usage.at(-1);
  if (steps === 0) return null;
  const sum = (of: (usage: Usage) => number) => turn.usage.reduce((total, usage) => total + of(usage), 0);
  const [usd, written] = [sum((usage) => usage.usd), sum((usage) => usage.output)];
  const texts = final
    ? [
        shortModel(final.model),
        t("tokens", { count: written, input: count(final.input), output: count(written) }),
        ...(usd > 0 ? [money(usd)] : []),
      ]
    : [t("sawTitle")];
  return (
    <Chip tip={t("sawTitle")} onPress={() => onLook({ kind: "call", turn: turn.id, step: steps, steps })}>
      {texts.map((text, at) => (
        <span key={text} className="flex items-center gap-2">
          {at > 0 && <span aria-hidden>·</span>}
          {text}
        </span>
      ))}
    </Chip>
  );
}

function Chip({ tip, onPress, children }: { tip: string; onPress: () => void; children: ReactNode }) {
  return (
    <Tip label={tip}>
      <button
        type="button"
        onClick={onPress}
        className="flex h-7 items-center gap-2 rounded-md px-2 text-xs text-faint tabular-nums hover:bg-hover hover:text-ink"
      >
        {children}
      </button>
    </Tip>
  );
}
