// Edits that overlap, side by side. The person keeps theirs, takes the other, or makes one text of both.

import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Segmented } from "@/shared/components/Field";
import { say } from "@/shared/components/Toasts";
import { reading, small, writing } from "./codemirror";
import { type Conflict, settleConflict, typed, useDocuments } from "./documents";

type Side = "beside" | "marked";

export default function ConflictDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const { t } = useTranslation("persona");
  const conflict = useDocuments((all) => all[path]?.conflict);
  const [mine] = useState(() => useDocuments.getState()[path]?.text ?? "");
  const [side, setSide] = useState<Side>("beside");
  const text = useRef(mine);
  if (!conflict) return null;
  const end = (chosen: string) => {
    void settleConflict(path, chosen);
    onClose();
    if (chosen !== mine) say(t("settled"), { label: t("bringMineBack"), run: () => typed(path, mine) });
  };
  const actions = (
    <>
      <Button onClick={() => end(conflict.theirs.text)}>{t("takeTheirs")}</Button>
      <Button onClick={() => end(mine)}>{t("keepMine")}</Button>
      <Button kind="primary" onClick={() => end(text.current)}>
        {t("useText")}
      </Button>
    </>
  );
  return (
    <Dialog open wide onClose={onClose} title={t("conflictTitle")} description={t("conflictBody")} actions={actions}>
      <div className="flex flex-col gap-3">
        <Segmented
          label={t("conflictView")}
          value={side}
          choices={[
            { value: "beside", label: t("beside") },
            { value: "marked", label: t("markedText") },
          ]}
          onChange={setSide}
        />
        {side === "beside" ? (
          <Beside conflict={conflict} mine={mine} text={text} />
        ) : (
          <Marked conflict={conflict} text={text} />
        )}
      </div>
    </Dialog>
  );
}

interface SideProps {
  conflict: Conflict;
  /** What "use this text" takes. */
  text: RefObject<string>;
}

const follow = (text: RefObject<string>) =>
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) text.current = state.doc.toString();
  });

function Beside({ conflict, mine, text }: SideProps & { mine: string }) {
  const { t } = useTranslation("persona");
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    text.current = mine;
    const named = (label: string) => [
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorState.phrases.of({ "$ unchanged lines": t("unchanged") }),
    ];
    const view = new MergeView({
      parent: host.current,
      a: { doc: mine, extensions: [small, reading, writing, named(t("mine")), follow(text)] },
      b: {
        doc: conflict.theirs.text,
        extensions: [small, reading, named(t("theirs")), EditorState.readOnly.of(true)],
      },
      revertControls: "b-to-a",
      renderRevertControl: () => {
        const button = window.document.createElement("button");
        button.type = "button";
        button.textContent = "←";
        button.ariaLabel = t("takeChunk");
        button.title = t("takeChunk");
        return button;
      },
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => view.destroy();
  }, [conflict, mine, text, t]);
  return (
    <>
      <div aria-hidden className="grid grid-cols-2 gap-9 text-sm font-medium text-muted">
        <span>{t("mine")}</span>
        <span>{t("theirs")}</span>
      </div>
      <div ref={host} className="selectable max-h-[50vh] overflow-auto rounded-md border border-line bg-raised" />
    </>
  );
}

function Marked({ conflict, text }: SideProps) {
  const { t } = useTranslation("persona");
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    text.current = conflict.marked;
    const label = EditorView.contentAttributes.of({ "aria-label": t("markedText") });
    const view = new EditorView({
      parent: host.current,
      doc: conflict.marked,
      extensions: [small, reading, writing, label, follow(text)],
    });
    return () => view.destroy();
  }, [conflict, text, t]);
  return (
    <>
      <p className="text-sm text-muted">{t("markedHelp")}</p>
      <div ref={host} className="selectable h-[46vh] rounded-md border border-line bg-raised" />
    </>
  );
}
