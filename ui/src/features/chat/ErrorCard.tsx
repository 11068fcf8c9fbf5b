// An error in a turn: what happened, what to do, and the button that does it.

import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "@/bindings/ErrorCode";
import { Button } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import { rewind } from "@/shared/conversation/store";
import type { Block, Turn } from "@/shared/conversation/turn";
import { asProblem } from "@/shared/problem";
import { go, pathOf } from "@/shared/route";
import { createSession } from "./sessions";

type Remedy = "settings" | "download" | "budget" | "newSession" | "retry";

const remedies: Partial<Record<ErrorCode, Remedy>> = {
  bad_key: "settings",
  budget: "budget",
  context_overflow: "newSession",
  model_missing: "settings",
  model_not_downloaded: "download",
  provider_rejected: "retry",
  provider_unavailable: "retry",
  quota: "settings",
  rate_limited: "retry",
  secrets_locked: "settings",
};

export function ErrorCard({ error, turn }: { error: Extract<Block, { kind: "error" }>; turn: Turn }) {
  const { t } = useTranslation("chat");
  const { title, detail } = asProblem(error);
  const remedy = remedies[error.code];
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-bad-soft px-4 py-3">
      <CircleAlert aria-hidden className="size-5 shrink-0 self-start text-bad" />
      <div className="selectable min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        {detail && <p className="text-sm text-muted break-words">{detail}</p>}
      </div>
      {remedy && (remedy !== "retry" || turn.user?.id) && (
        <Button size="sm" onClick={() => apply(remedy, turn)}>
          {t(`remedy.${remedy}`)}
        </Button>
      )}
    </div>
  );
}

function apply(remedy: Remedy, turn: Turn): void {
  if (remedy === "newSession") void createSession();
  else if (remedy === "retry") retry(turn);
  else go(pathOf("settings", remedy === "budget" ? "budget" : "models"));
}

/** Sends the turn's message again. */
export function retry({ session, user }: Turn): void {
  if (!user?.id) return;
  void rewind({ session, message: user.id, text: user.text, changed: false, branch: false }).catch(sayProblem);
}
