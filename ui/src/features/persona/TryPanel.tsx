// Asks the model with the text as it stands in the editor. Nothing of it is kept; no conversation learns of it.

import { Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PersonaTried } from "@/bindings/PersonaTried";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Failure } from "@/shared/components/State";
import { count, money } from "@/shared/format";
import { Markdown } from "@/shared/markdown/Markdown";
import { useGrowth } from "@/shared/useGrowth";
import { useIme } from "@/shared/useIme";
import { useDocuments } from "./documents";
import { type Purpose, purposeOf } from "./files";

interface Exchange {
  number: number;
  question: string;
  answer: PersonaTried | null;
  error: unknown;
}

/** What to ask of a file, where nothing comes to mind; keys of `persona:trySuggestions`. */
const suggestions = (purpose: Purpose) =>
  purpose === "HEARTBEAT"
    ? (["beat"] as const)
    : purpose === "USER" || purpose === "MEMORY"
      ? (["know", "plan"] as const)
      : (["who", "no", "plan"] as const);

function useTrial(path: string) {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const number = useRef(0);
  const busy = exchanges.some(({ answer, error }) => answer === null && error === null);
  const ask = async (question: string) => {
    number.current += 1;
    const mine = number.current;
    const settle = (change: Partial<Exchange>) =>
      setExchanges((all) => all.map((row) => (row.number === mine ? { ...row, ...change } : row)));
    setExchanges((all) => [...all, { number: mine, question, answer: null, error: null }]);
    const text = useDocuments.getState()[path]?.text ?? "";
    await call("persona_try", { request: { path, text, question } }).then(
      (answer) => settle({ answer }),
      (error: unknown) => settle({ error }),
    );
  };
  const running = useRef(false);
  useEffect(() => {
    running.current = busy;
  }, [busy]);
  // Nobody waits for it any more.
  useEffect(() => () => void (running.current && call("persona_stop").catch(() => undefined)), []);
  return { exchanges, busy, ask, stop: () => void call("persona_stop").catch(() => undefined) };
}

export function TryPanel({ path }: { path: string }) {
  const { t } = useTranslation("persona");
  const { exchanges, busy, ask, stop } = useTrial(path);
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows each exchange
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [exchanges]);
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        <p className="text-sm text-muted">{t("tryBody")}</p>
        {exchanges.length === 0 && (
          <ul className="flex flex-col gap-2">
            {suggestions(purposeOf(path)).map((key) => (
              <li key={key}>
                <button
                  type="button"
                  onClick={() => void ask(t(`trySuggestions.${key}`))}
                  className="w-full rounded-md border border-line bg-raised px-3 py-2 text-left transition-colors duration-100 hover:border-line-strong"
                >
                  {t(`trySuggestions.${key}`)}
                </button>
              </li>
            ))}
          </ul>
        )}
        {exchanges.map((exchange) => (
          <ExchangeRow key={exchange.number} exchange={exchange} />
        ))}
        <div ref={end} />
      </div>
      <Asking busy={busy} onAsk={(question) => void ask(question)} onStop={stop} />
    </div>
  );
}

function ExchangeRow({ exchange: { question, answer, error } }: { exchange: Exchange }) {
  const { t } = useTranslation("persona");
  return (
    <article className="flex flex-col gap-2">
      <p className="selectable self-end rounded-xl rounded-tr-sm bg-bubble px-3.5 py-2 break-words whitespace-pre-wrap">
        {question}
      </p>
      {answer && (
        <>
          <Markdown text={answer.reply} className="text-base" />
          <p className="text-xs text-faint tabular-nums">
            {[
              answer.usage.model.slice(answer.usage.model.indexOf("/") + 1),
              t("tryTokens", {
                count: answer.usage.output,
                input: count(answer.usage.input),
                output: count(answer.usage.output),
              }),
              answer.usage.usd > 0 && money(answer.usage.usd),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </>
      )}
      {error !== null && <Failure error={error} />}
      {!answer && error === null && (
        <p role="status" aria-label={t("trying")} className="flex h-6 items-center gap-1.5">
          {[0, 160, 320].map((delay) => (
            <span key={delay} className="dot size-1.5 rounded-full bg-ember" style={{ animationDelay: `${delay}ms` }} />
          ))}
        </p>
      )}
    </article>
  );
}

interface AskingProps {
  busy: boolean;
  onAsk: (question: string) => void;
  onStop: () => void;
}

function Asking({ busy, onAsk, onStop }: AskingProps) {
  const { t } = useTranslation("persona");
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowth(field, text);
  useEffect(() => field.current?.focus(), []);
  const submit = () => {
    if (!text.trim() || busy) return;
    onAsk(text.trim());
    setText("");
  };
  const ime = useIme("chat", (intent) => {
    if (intent !== "send") return false;
    submit();
    return true;
  });
  return (
    <div className="flex shrink-0 items-end gap-2 border-t border-line p-3">
      <textarea
        {...ime}
        ref={field}
        rows={1}
        value={text}
        aria-label={t("tryQuestion")}
        placeholder={t("tryQuestion")}
        onChange={({ target }) => setText(target.value)}
        className="field max-h-40 min-h-9 min-w-0 flex-1 resize-none rounded-md border border-line-strong bg-raised px-3 py-1.5"
      />
      {busy ? (
        <Button className="h-9" icon={<Square aria-hidden className="size-3.5 fill-current" />} onClick={onStop}>
          {t("tryStop")}
        </Button>
      ) : (
        <Button className="h-9" kind="primary" disabled={!text.trim()} onClick={submit}>
          {t("tryAsk")}
        </Button>
      )}
    </div>
  );
}
