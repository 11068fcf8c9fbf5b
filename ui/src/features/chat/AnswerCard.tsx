// The answer to a `/` command. It belongs to the window, not to the conversation.

import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/shared/components/Button";
import { type Answer, dropAnswer } from "@/shared/conversation/store";
import { saidLines } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";

export function AnswerCard({ answer }: { answer: Answer }) {
  const { t, i18n } = useTranslation();
  return (
    <section aria-label={answer.asked} className="rounded-lg border border-line bg-page px-4 pt-2 pb-3">
      <header className="flex items-center justify-between">
        <span className="font-mono text-[12.5px] text-muted">{answer.asked}</span>
        <IconButton
          size="sm"
          label={t("close")}
          icon={<X className="size-4" />}
          onClick={() => dropAnswer(answer.id)}
        />
      </header>
      <Markdown text={saidLines(answer.text, i18n.language)} className="text-base" />
    </section>
  );
}
