// A message that the transcript does not hold yet: on its way, waiting for its turn, or not delivered.

import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { dropPending, type Pending, sendAgain } from "@/shared/conversation/store";
import { asProblem } from "@/shared/problem";
import { UserText } from "./UserMessageRow";

export function PendingRow({ message }: { message: Pending }) {
  const { t } = useTranslation("chat");
  const { state, error } = message;
  return (
    <div className="flex flex-col items-end gap-1.5">
      <UserText text={message.text} files={message.attachments.map(({ name }) => name)} />
      {state === "steering" && <p className="text-sm text-muted">{t("steering")}</p>}
      {state === "sent" && <p className="text-sm text-muted">{t("inLine")}</p>}
      {state === "failed" && (
        <div role="alert" className="flex max-w-[84%] flex-wrap items-center justify-end gap-2 text-sm">
          <span className="text-bad">
            {t("notSent")} {error && asProblem(error).title}{" "}
            <span className="text-muted">{error && asProblem(error).detail}</span>
          </span>
          <Button size="sm" kind="quiet" onClick={() => dropPending(message.messageId)}>
            {t("discard")}
          </Button>
          <Button size="sm" onClick={() => void sendAgain(message, "window")}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </div>
      )}
    </div>
  );
}
