// Where the person writes: a field that grows, files, commands, the model, send and stop.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ArrowUp, Paperclip, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CommandRow } from "@/bindings/CommandRow";
import type { SkillRow } from "@/bindings/SkillRow";
import { call } from "@/bridge";
import { IconButton } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import { send, stop } from "@/shared/conversation/store";
import { readDraft, writeDraft } from "@/shared/drafts";
import { keys } from "@/shared/queries";
import { useGrowth } from "@/shared/useGrowth";
import { useIme } from "@/shared/useIme";
import { FileChips } from "./FileChips";
import { ModelPicker } from "./ModelPicker";
import { SlashMenu } from "./SlashMenu";
import { createSession } from "./sessions";
import { type Choice, completed, fitting, isCommand, skillsFitting } from "./slash";
import { useFiles } from "./useFiles";

interface ComposerProps {
  session: string;
  running: boolean;
  /** A text to start from, such as a suggestion; `count` tells two alike apart. */
  seed: { text: string; count: number };
  onSent: () => void;
}

export function Composer({ session, running, seed, onSent }: ComposerProps) {
  const { t, i18n } = useTranslation("chat");
  const [text, setText] = useState(() => readDraft(session));
  const { files, over, paste, pick, remove, clear } = useFiles();
  const [marked, setMarked] = useState(0);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const commands = useQuery({ queryKey: keys.commands, queryFn: () => call("chat_commands") }).data ?? [];
  const skills = useSkillNames(commands, text);
  const choices = text === closedAt ? [] : [...fitting(text, commands), ...skillsFitting(text, skills)];
  const menu = choices.length > 0;

  useGrowth(field, text);
  useDraft(session, text);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (!seed.count) return;
    setText(seed.text);
    field.current?.focus();
  }, [seed]);

  const submit = () => {
    const said = text.trim();
    if (!said && files.length === 0) return;
    setText("");
    clear();
    onSent();
    if (isCommand(said, "new", commands)) void createSession();
    else void send({ session, text: said, attachments: files, origin: "window" });
  };
  const choose = (command: Choice | undefined) => {
    if (!command) return;
    const next = completed(command, i18n.language);
    setText(next);
    // What follows it can be completed, too.
    setClosedAt(command.name === "skill" ? null : next);
    field.current?.focus();
  };
  const ime = useIme(menu ? "menu" : "chat", (intent) => {
    const at = Math.min(marked, choices.length - 1);
    if (intent === "send") submit();
    else if (intent === "choose") choose(choices[at]);
    else if (intent === "next") setMarked((at + 1) % choices.length);
    else if (intent === "previous") setMarked((at + choices.length - 1) % choices.length);
    else if (intent === "close" && menu) setClosedAt(text);
    else if (intent === "close" && running) void stop(session).catch(sayProblem);
    else return false;
    return true;
  });
  const label = t("message");
  return (
    <div className="relative mx-auto w-full max-w-[776px] px-4 pb-4">
      {menu && <SlashMenu choices={choices} marked={Math.min(marked, choices.length - 1)} onChoose={choose} />}
      <div
        className={clsx(
          "flex flex-col rounded-xl border bg-raised shadow-md transition-colors duration-100",
          over
            ? "border-ember bg-ember-soft"
            : "border-line focus-within:border-[color-mix(in_oklab,var(--ember)_50%,var(--line-strong))]",
        )}
      >
        <FileChips files={files} onRemove={remove} />
        <textarea
          {...ime}
          ref={field}
          rows={1}
          value={text}
          aria-label={label}
          placeholder={over ? t("dropHere") : t("placeholder")}
          aria-haspopup="listbox"
          aria-controls={menu ? "slash-menu" : undefined}
          aria-activedescendant={menu ? `slash-${Math.min(marked, choices.length - 1)}` : undefined}
          aria-autocomplete="list"
          onChange={(event) => {
            setText(event.target.value);
            setMarked(0);
            setClosedAt(null);
          }}
          onPaste={paste}
          className="field max-h-[40vh] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-md outline-none"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <IconButton label={t("attach")} icon={<Paperclip className="size-4" />} onClick={pick} />
          <ModelPicker session={session} />
          <span className="flex-1" />
          {running && (
            <IconButton
              label={t("stop")}
              keys="Esc"
              icon={<Square className="size-3.5 fill-current" />}
              kind="round"
              onClick={() => void stop(session).catch(sayProblem)}
            />
          )}
          {(!running || text.trim()) && (
            <IconButton
              label={t(running ? "steer" : "send")}
              keys="Enter"
              icon={<ArrowUp className="size-[18px]" strokeWidth={2.4} />}
              disabled={!text.trim() && files.length === 0}
              kind="ember"
              onClick={submit}
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** Keeps what is typed and not sent: after a pause, and at once when the conversation or the window goes. */
function useDraft(session: string, text: string) {
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
    const timer = setTimeout(() => writeDraft(session, text), 300);
    return () => clearTimeout(timer);
  }, [session, text]);
  useEffect(() => {
    const keep = () => writeDraft(session, latest.current);
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [session]);
}

const none: SkillRow[] = [];

/** The skills, once a command is being typed and there is one that takes them. */
function useSkillNames(commands: readonly CommandRow[], text: string): readonly SkillRow[] {
  const wanted = commands.some(({ name }) => name === "skill") && /^[/／]/u.test(text);
  const key = [...keys.skills, "list"];
  return useQuery({ queryKey: key, queryFn: () => call("skills_list"), enabled: wanted }).data ?? none;
}
