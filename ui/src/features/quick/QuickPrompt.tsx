// The quick prompt: one field over everything. The answer streams below it; the last exchange only, since the whole
// conversation is one key away in the main window.

import { ArrowUp, ArrowUpRight, Flame, Square } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { IconButton } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import { send, stop } from "@/shared/conversation/store";
import { useConversation } from "@/shared/conversation/useConversation";
import { keysText } from "@/shared/keys";
import { pathOf } from "@/shared/route";
import { useGrowth } from "@/shared/useGrowth";
import { useIme } from "@/shared/useIme";
import { Exchange } from "./Exchange";

const quickSession = "assistant:quick";

const hide = () => void call("window_hide_quick").catch(sayProblem);

export function QuickPrompt() {
  const { t } = useTranslation("quick");
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { turns, pending, answer, running } = useConversation(quickSession);
  const since = useFreshness(turns.length + pending.length);
  useGrowth(field, text);
  useFocus(field);

  const ask = () => {
    const said = text.trim();
    if (!said) return;
    setText("");
    since.begin();
    void send({ session: quickSession, text: said, origin: "quick" });
  };
  const goOn = () => {
    const said = text.trim();
    if (said) ask();
    void call("window_continue", { path: pathOf("chat", quickSession) }).catch(sayProblem);
  };
  const ime = useIme("quick", (intent) => {
    if (intent === "send") ask();
    else if (intent === "continue") goOn();
    else if (intent === "close") hide();
    else return false;
    return true;
  });
  useWindowKeys(goOn);
  const shown = since.fresh;
  const open = shown && (turns.length > 0 || pending.length > 0 || answer !== null);
  return (
    <main className="flex h-full flex-col overflow-hidden border border-line-strong bg-surface">
      <h1 className="sr-only">{t("title")}</h1>
      <div className="flex items-start gap-3 px-4 py-3" data-tauri-drag-region>
        <Flame aria-hidden className="mt-1.5 size-5 shrink-0 text-ember-ink" />
        <textarea
          {...ime}
          ref={field}
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={t("placeholder")}
          aria-label={t("title")}
          className="field max-h-32 min-w-0 flex-1 resize-none bg-transparent py-1 text-lg leading-6 outline-none"
        />
        {running ? (
          <IconButton
            kind="round"
            label={t("stop")}
            icon={<Square className="size-3.5 fill-current" />}
            onClick={() => void stop(quickSession).catch(sayProblem)}
          />
        ) : (
          <IconButton
            kind="ember"
            label={t("ask")}
            keys={keysText("Enter")}
            disabled={!text.trim()}
            icon={<ArrowUp className="size-[18px]" strokeWidth={2.4} />}
            onClick={ask}
          />
        )}
      </div>
      <Answer open={open}>
        {open ? (
          <Exchange turn={turns.at(-1) ?? null} pending={pending} answer={answer} />
        ) : (
          <p className="px-12 pt-1 text-muted">{t("idle")}</p>
        )}
      </Answer>
      <footer className="flex h-10 shrink-0 items-center gap-1 border-t border-line px-3 text-xs text-muted">
        <Hint keys="Enter">{t("ask")}</Hint>
        <Hint keys="Esc">{t("hide")}</Hint>
        <span className="flex-1" />
        <button
          type="button"
          onClick={goOn}
          className="flex h-7 items-center gap-2 rounded-md px-2 hover:bg-hover hover:text-ink"
        >
          <kbd className="font-sans text-faint">{keysText("Mod+Enter")}</kbd>
          {t("continue")}
          <ArrowUpRight aria-hidden className="size-3.5" />
        </button>
      </footer>
    </main>
  );
}

function Hint({ keys, children }: { keys: string; children: ReactNode }) {
  return (
    <span className="flex items-center gap-1.5 px-2">
      <kbd className="font-sans text-faint">{keysText(keys)}</kbd>
      {children}
    </span>
  );
}

/** Scrolls with the answer while it grows, unless the person scrolled up. */
function Answer({ open, children }: { open: boolean; children: ReactNode }) {
  const { t } = useTranslation("quick");
  const box = useRef<HTMLElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [outside, inside] = [box.current, inner.current];
    if (!outside || !inside) return;
    let following = true;
    let top = 0;
    const scrolled = () => {
      const rest = outside.scrollHeight - outside.scrollTop - outside.clientHeight;
      if (rest < 24) following = true;
      else if (outside.scrollTop < top) following = false;
      top = outside.scrollTop;
    };
    const observer = new ResizeObserver(() => {
      if (following) outside.scrollTop = outside.scrollHeight;
    });
    observer.observe(inside);
    outside.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      outside.removeEventListener("scroll", scrolled);
    };
  }, []);
  return (
    <section
      ref={box}
      tabIndex={open ? 0 : -1}
      aria-label={t("answer")}
      className={open ? "min-h-0 flex-1 overflow-y-auto border-t border-line" : "min-h-0 flex-1"}
    >
      <div ref={inner}>{children}</div>
    </section>
  );
}

/** After some minutes the last answer is no longer what one comes for: the prompt opens empty. */
function useFreshness(count: number) {
  const [fresh, setFresh] = useState(false);
  const last = useRef(0);
  useEffect(() => {
    const shown = () => {
      if (Date.now() - last.current > 10 * 60_000) setFresh(false);
    };
    window.addEventListener("focus", shown);
    return () => window.removeEventListener("focus", shown);
  }, []);
  useEffect(() => {
    if (count > 0 && last.current > 0) last.current = Date.now();
  }, [count]);
  const begin = () => {
    last.current = Date.now();
    setFresh(true);
  };
  return { fresh, begin };
}

/** Whenever the window is shown, one can type. */
function useFocus(field: React.RefObject<HTMLTextAreaElement | null>) {
  useEffect(() => {
    const focus = () => field.current?.focus();
    focus();
    window.addEventListener("focus", focus);
    return () => window.removeEventListener("focus", focus);
  }, [field]);
}

/** Esc and Mod+Enter work outside the field too. */
function useWindowKeys(goOn: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
      if (event.target instanceof HTMLTextAreaElement) return;
      if (event.key === "Escape") hide();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) goOn();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });
}
