// An error in a turn: what happened, what to do, and the button that does it.

import { useTranslation } from "react-i18next";
import type { ErrorCode } from "@/bindings/ErrorCode";
import { Alert } from "@/shared/components/Alert";
import { Button } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import { rewind } from "@/shared/conversation/store";
import type { Block, Turn } from "@/shared/conversation/turn";
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
  const remedy = remedies[error.code];
  const action = remedy && (remedy !== "retry" || turn.user?.id) && (
    <Button size="sm" onClick={() => apply(remedy, turn)}>
      {t(`remedy.${remedy}`)}
    </Button>
  );
  return <Alert error={error} action={action} />;
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
