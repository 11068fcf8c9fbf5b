// A question of the assistant: answers to choose from, or one in the person's own words.

import { MessageCircleQuestion } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import type { QuestionBlock } from "@/shared/conversation/turn";
import { useIme } from "@/shared/useIme";

export function QuestionCard({ block }: { block: QuestionBlock }) {
  const { t } = useTranslation("chat");
  const { id, text, choices, open, answer } = block;
  const [given, setGiven] = useState<string | null>(null);
  const say = async (words: string) => {
    if (!words.trim() || given !== null) return;
    setGiven(words.trim());
    await call("questions_answer", { id, text: words.trim() }).catch((error) => {
      setGiven(null);
      sayProblem(error);
    });
  };
  const said = answer ?? given;
  return (
    <section
      aria-label={t("question")}
      className={`rounded-lg border bg-raised px-4 py-3 ${open && said === null ? "border-ember shadow-sm" : "border-line"}`}
    >
      <p className="selectable flex items-start gap-3 font-medium">
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-5 shrink-0 text-ember-ink" />
        <span className="min-w-0 break-words whitespace-pre-wrap">{text}</span>
      </p>
      <div className="mt-2 pl-8">
        {said !== null && <p className="selectable text-muted break-words">{t("answered", { answer: said })}</p>}
        {said === null && !open && <p className="text-muted">{t("unanswered")}</p>}
        {said === null && open && <Answering choices={choices} onSay={(words) => void say(words)} />}
      </div>
    </section>
  );
}

function Answering({ choices, onSay }: { choices: readonly string[]; onSay: (text: string) => void }) {
  const { t } = useTranslation("chat");
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  // Enter of an input method ends a word, not the answer.
  const ime = useIme("rename", (intent) => {
    if (intent === "choose") form.current?.requestSubmit();
    return intent === "choose";
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSay(text);
  };
  return (
    <div className="flex flex-col gap-2">
      {choices.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {choices.map((choice) => (
            <Button
              key={choice}
              size="sm"
              className="h-auto! min-h-7 max-w-full py-0.5 text-left [overflow-wrap:anywhere] whitespace-normal!"
              onClick={() => onSay(choice)}
            >
              {choice}
            </Button>
          ))}
        </div>
      )}
      <form ref={form} className="flex gap-2" onSubmit={submit}>
        <input
          {...ime}
          value={text}
          aria-label={t("ownAnswer")}
          placeholder={t(choices.length > 0 ? "ownAnswer" : "answerHere")}
          onChange={({ target }) => setText(target.value)}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-3"
        />
        <Button type="submit" disabled={!text.trim()}>
          {t("answer")}
        </Button>
      </form>
    </div>
  );
}
