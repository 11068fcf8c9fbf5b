// Under a reply: how it ended if not well, what it cost, and what can be done with it.

import clsx from "clsx";
import { Check, Copy, GitBranch, RotateCcw } from "lucide-react";
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
import type { Seen } from "./Conversation";
import { retry } from "./ErrorCard";
import { shortModel } from "./ModelPicker";

interface TurnFootProps {
  turn: Turn;
  last: boolean;
  onLook: (seen: Seen) => void;
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
    </>
  );
}

/** Model, tokens and cost; each opens what the model was given. */
function Chips({ turn, onLook }: { turn: Turn; onLook: (seen: Seen) => void }) {
  const { t } = useTranslation("chat");
  const steps = Math.max(turn.steps, turn.usage.length);
  const final = turn.usage.at(-1);
  if (steps === 0 || turn.id === null) return null;
  const sum = (of: (usage: Usage) => number) => turn.usage.reduce((total, usage) => total + of(usage), 0);
  const usd = sum((usage) => usage.usd);
  const texts = final
    ? [
        shortModel(final.model),
        t("tokens", { input: count(final.input), output: count(sum((usage) => usage.output)) }),
        ...(usd > 0 ? [money(usd)] : []),
      ]
    : [t("sawTitle")];
  return (
    <Tip label={t("sawTitle")}>
      <button
        type="button"
        onClick={() => onLook({ turn: turn.id, step: steps, steps })}
        className="ml-1 flex h-7 items-center gap-2 rounded-md px-2 text-xs text-faint tabular-nums hover:bg-hover hover:text-ink"
      >
        {texts.map((text, at) => (
          <span key={text} className="flex items-center gap-2">
            {at > 0 && <span aria-hidden>·</span>}
            {text}
          </span>
        ))}
      </button>
    </Tip>
  );
}
