// Texts to start this file from: read one, then take it in the place of the text, or below it.

import clsx from "clsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { say } from "@/shared/components/Toasts";
import { Markdown } from "@/shared/markdown/Markdown";
import { typed, useDocuments } from "./documents";
import { purposeOf } from "./files";
import { templatesOf } from "./templates";

export default function TemplateDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const { t, i18n } = useTranslation("persona");
  const templates = templatesOf(purposeOf(path), i18n.language);
  const [at, setAt] = useState(templates.length > 1 ? 1 : 0);
  const chosen = templates[at];
  const [before] = useState(() => useDocuments.getState()[path]?.text ?? "");
  if (!chosen) return null;
  const take = (text: string) => {
    typed(path, text);
    onClose();
    say(t("templateTaken"), { label: t("undo", { ns: "common" }), run: () => typed(path, before) });
  };
  const blank = before.trim() === "";
  const actions = (
    <>
      {!blank && <Button onClick={() => take(`${before.trimEnd()}\n\n${chosen.text}`)}>{t("templateBelow")}</Button>}
      <Button kind="primary" onClick={() => take(chosen.text)}>
        {t(blank ? "templateUse" : "templateReplace")}
      </Button>
    </>
  );
  return (
    <Dialog open wide onClose={onClose} title={t("templates")} description={t("templatesBody")} actions={actions}>
      <div className="grid grid-cols-[240px_1fr] gap-4 max-[760px]:grid-cols-1">
        <ul className="flex flex-col gap-1">
          {templates.map(({ name }, place) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={place === at}
                onClick={() => setAt(place)}
                className={clsx(
                  "w-full rounded-md px-3 py-2 text-left transition-colors duration-100",
                  place === at ? "bg-active" : "hover:bg-hover",
                )}
              >
                <span className="block font-medium">{t(`template.${name}.name`)}</span>
                <span className="block text-sm text-muted">{t(`template.${name}.about`)}</span>
              </button>
            </li>
          ))}
        </ul>
        <section
          aria-label={t("preview")}
          tabIndex={0}
          className="selectable h-[44vh] overflow-y-auto rounded-lg border border-line bg-raised px-4 py-3 break-words"
        >
          {/* Its lines are read one by one, not as Markdown. */}
          {purposeOf(path) === "HEARTBEAT" ? (
            <p className="whitespace-pre-wrap">{chosen.text}</p>
          ) : (
            <Markdown text={chosen.text} className="text-base" />
          )}
        </section>
      </div>
    </Dialog>
  );
}
