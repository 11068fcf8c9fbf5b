// Colour and icon of what happened to a memory.

import {
  BrainCircuit,
  Check,
  CirclePlus,
  Clock,
  Combine,
  EyeOff,
  MessageSquareQuote,
  PencilLine,
  Replace,
  RotateCcw,
} from "lucide-react";
import type { ReactNode } from "react";
import type { EntryChange } from "@/bindings/EntryChange";

const icon = "size-4";

export const kindIcons: Record<EntryChange, ReactNode> = {
  created: <CirclePlus className={icon} />,
  strengthened: <Check className={icon} />,
  superseded: <Replace className={icon} />,
  edited: <PencilLine className={icon} />,
  forgotten: <EyeOff className={icon} />,
  restored: <RotateCcw className={icon} />,
  expired: <Clock className={icon} />,
  consolidated: <Combine className={icon} />,
  recalled: <MessageSquareQuote className={icon} />,
};

export const kindColours: Record<EntryChange, string> = {
  created: "bg-good-soft text-good",
  strengthened: "bg-good-soft text-good",
  superseded: "bg-warn-soft text-warn",
  edited: "bg-ember-soft text-ember-ink",
  forgotten: "bg-bad-soft text-bad",
  restored: "bg-good-soft text-good",
  expired: "bg-active text-muted",
  consolidated: "bg-active text-muted",
  recalled: "bg-active text-muted",
};

export const memoryIcon = <BrainCircuit className="size-8" strokeWidth={1.5} />;
