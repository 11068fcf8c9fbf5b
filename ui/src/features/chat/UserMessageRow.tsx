// What the person asked. It can be copied, and changed and sent again.

import { Check, Copy, File, PencilLine } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/shared/components/Button";
import { More } from "@/shared/components/More";
import { sayProblem } from "@/shared/components/Toasts";
import { rewind } from "@/shared/conversation/store";
import type { Turn, UserMessage } from "@/shared/conversation/turn";
import { go, pathOf } from "@/shared/route";
import { useCopy } from "@/shared/useCopy";
import { useFold } from "@/shared/useFold";
import { useGrowth } from "@/shared/useGrowth";
import { useIme } from "@/shared/useIme";

export function UserMessageRow({ turn, user }: { turn: Turn; user: UserMessage }) {
  const [editing, setEditing] = useState(false);
  if (editing && user.id)
    return <Editor session={turn.session} id={user.id} before={user.text} onDone={() => setEditing(false)} />;
  return <Bubble user={user} editable={!turn.running && user.id !== null} onEdit={() => setEditing(true)} />;
}

interface BubbleProps {
  user: UserMessage;
  editable: boolean;
  onEdit: () => void;
}

function Bubble({ user, editable, onEdit }: BubbleProps) {
  const { t } = useTranslation("chat");
  const [copied, copy] = useCopy();
  return (
    <div className="group/mine flex items-center justify-end gap-1">
      <h2 className="sr-only">{t("you")}</h2>
      <div className="flex shrink-0 opacity-0 transition-opacity duration-100 group-focus-within/mine:opacity-100 group-hover/mine:opacity-100">
        <IconButton
          size="sm"
          label={t(copied ? "copied" : "copyMessage")}
          icon={copied ? <Check className="size-4 text-good" /> : <Copy className="size-4" />}
          onClick={() => copy(user.text)}
        />
        {editable && (
          <IconButton size="sm" label={t("edit")} icon={<PencilLine className="size-4" />} onClick={onEdit} />
        )}
      </div>
      <UserText text={user.text} files={user.attachments.map(({ name }) => name)} />
    </div>
  );
}

/** Characters; a longer message is folded. */
const most = 6000;

export function UserText({ text, files }: { text: string; files: readonly string[] }) {
  const { shown, hidden, more } = useFold(text, most);
  return (
    <div className="selectable max-w-[84%] rounded-xl rounded-tr-sm bg-bubble px-4 py-2.5 text-md">
      {files.length > 0 && (
        <ul className="mb-1 flex flex-wrap gap-2 text-sm text-muted">
          {files.map((name) => (
            <li key={name} className="flex items-center gap-1.5">
              <File aria-hidden className="size-4" />
              {name}
            </li>
          ))}
        </ul>
      )}
      <p className="plain whitespace-pre-wrap break-words">{shown}</p>
      <More hidden={hidden} onMore={more} />
    </div>
  );
}

interface EditorProps {
  session: string;
  id: string;
  before: string;
  onDone: () => void;
}

function Editor({ session, id, before, onDone }: EditorProps) {
  const { t } = useTranslation("chat");
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowth(field, text);
  const resend = async (branch: boolean) => {
    if (!text.trim()) return;
    onDone();
    const target = await rewind({ session, message: id, text: text.trim(), changed: text.trim() !== before, branch });
    if (branch) go(pathOf("chat", target));
  };
  const ime = useIme("chat", (intent) => {
    if (intent === "send") void resend(false).catch(sayProblem);
    else if (intent === "close") onDone();
    return true;
  });
  return (
    <div className="flex flex-col gap-2 rounded-xl border border-line-strong bg-raised p-2">
      <textarea
        {...ime}
        ref={(element) => {
          field.current = element;
          if (element && document.activeElement !== element && text === before) {
            element.focus();
            element.setSelectionRange(before.length, before.length);
          }
        }}
        rows={1}
        value={text}
        aria-label={t("edit")}
        onChange={(event) => setText(event.target.value)}
        className="field max-h-[40vh] resize-none bg-transparent px-2 py-1 text-md outline-none"
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="sm" kind="quiet" onClick={onDone}>
          {t("cancel", { ns: "common" })}
        </Button>
        <Button size="sm" onClick={() => void resend(true).catch(sayProblem)}>
          {t("sendAsBranch")}
        </Button>
        <Button size="sm" kind="primary" disabled={!text.trim()} onClick={() => void resend(false).catch(sayProblem)}>
          {t("send")}
        </Button>
      </div>
    </div>
  );
}
