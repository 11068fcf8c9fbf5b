// Where the person writes: a field that grows, files, commands, the model, send and stop.

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ArrowUp, Paperclip, Square } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Attachment } from "@/bindings/Attachment";
import type { CommandRow } from "@/bindings/CommandRow";
import { call, onDrop, pickFiles } from "@/bridge";
import { IconButton } from "@/shared/components/Button";
import { sayProblem } from "@/shared/components/Toasts";
import { send, stop } from "@/shared/conversation/store";
import { readDraft, writeDraft } from "@/shared/drafts";
import { keys } from "@/shared/queries";
import { useIme } from "@/shared/useIme";
import { pastedPaths, withFiles } from "./attachments";
import { FileChips } from "./FileChips";
import { ModelPicker } from "./ModelPicker";
import { SlashMenu } from "./SlashMenu";
import { createSession } from "./sessions";
import { completed, fitting, isCommand } from "./slash";

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
  const [files, setFiles] = useState<Attachment[]>([]);
  const [marked, setMarked] = useState(0);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const commands = useQuery({ queryKey: keys.commands, queryFn: () => call("chat_commands") }).data ?? [];
  const choices = text === closedAt ? [] : fitting(text, commands);
  const menu = choices.length > 0;
  const over = useDroppedFiles((paths) => setFiles((known) => withFiles(known, paths)));

  useGrowth(field, text);
  useEffect(() => writeDraft(session, text), [session, text]);
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
    setFiles([]);
    onSent();
    if (isCommand(said, "new", commands)) void createSession();
    else void send({ session, text: said, attachments: files, origin: "window" });
  };
  const choose = (command: CommandRow | undefined) => {
    if (!command) return;
    const next = completed(command, i18n.language);
    setText(next);
    setClosedAt(next);
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
  const pick = async () => {
    const paths = await pickFiles({ multiple: true });
    setFiles((known) => withFiles(known, paths));
  };
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
        <FileChips files={files} onRemove={(path) => setFiles((known) => known.filter((file) => file.path !== path))} />
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
          onPaste={(event) => {
            const paths = pastedPaths(event.clipboardData.getData("text/uri-list"));
            if (paths.length === 0) return;
            event.preventDefault();
            setFiles((known) => withFiles(known, paths));
          }}
          className="max-h-[40vh] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-md outline-none"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <IconButton
            label={t("attach")}
            icon={<Paperclip className="size-4" />}
            onClick={() => void pick().catch(sayProblem)}
          />
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

/** The field is as high as its text. */
function useGrowth(field: React.RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}

/** Whether files hover over the window; dropped ones are handed on. */
function useDroppedFiles(take: (paths: string[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    const ending = onDrop((drop) => {
      setOver(drop.over);
      if (drop.paths.length > 0) latest.current(drop.paths);
    });
    return () => void ending.then((end) => end());
  }, []);
  return over;
}
