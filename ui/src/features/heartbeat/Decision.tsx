// What came of a beat or a slot, in one word with its colour.

import clsx from "clsx";
import { Bell, BellOff, Check, CircleAlert, Clock, Hourglass, LoaderCircle, Moon, SkipForward } from "lucide-react";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { BeatDecision } from "@/bindings/BeatDecision";
import type { SlotState } from "@/bindings/SlotState";

type Look = [Icon: ComponentType<{ className?: string; "aria-hidden"?: boolean }>, colour: string];

const decisions: Record<BeatDecision, Look> = {
  silent: [BellOff, "text-muted"],
  notify: [Bell, "text-ember-ink"],
  held: [Moon, "text-warn"],
  skipped: [SkipForward, "text-muted"],
  failed: [CircleAlert, "text-bad"],
};

interface DecisionProps {
  decision: BeatDecision;
  /** It has not happened: what would be. */
  dry?: boolean;
  className?: string;
}

export function Decision({ decision, dry, className }: DecisionProps) {
  const { t } = useTranslation("heartbeat");
  const text = dry ? t(`would.${decision}`) : t(`decision.${decision}`);
  return <Word look={decisions[decision]} text={text} className={className} />;
}

const states: Record<SlotState, Look> = {
  queued: [Hourglass, "text-muted"],
  running: [LoaderCircle, "text-ember-ink"],
  ok: [Check, "text-good"],
  failed: [CircleAlert, "text-bad"],
  interrupted: [CircleAlert, "text-warn"],
  missed: [Clock, "text-warn"],
};

export function Slot({ state, className }: { state: SlotState; className?: string }) {
  const { t } = useTranslation("heartbeat");
  return <Word look={states[state]} text={t(`slot.${state}`)} className={className} />;
}

function Word({ look: [Icon, colour], text, className }: { look: Look; text: string; className?: string }) {
  return (
    <span className={clsx("inline-flex shrink-0 items-center gap-1.5 font-medium", colour, className)}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {text}
    </span>
  );
}
