// Other words for an entry.

import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Field, TextInput } from "@/shared/components/Field";

interface EntryFormProps {
  /** None: only the text changes. */
  title?: string;
  text: string;
  help?: string;
  onCancel: () => void;
  /** Answers whether it was taken. */
  onSave: (title: string, text: string) => Promise<boolean>;
}

export function EntryForm({ title, text, help, onCancel, onSave }: EntryFormProps) {
  const { t } = useTranslation("memory");
  const [name, setName] = useState(title ?? "");
  const [words, setWords] = useState(text);
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    if (await onSave(name.trim(), words.trim())) onCancel();
    setBusy(false);
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void save(event)}>
      {title !== undefined && (
        <Field label={t("entryTitle")}>
          <TextInput value={name} onChange={({ target }) => setName(target.value)} />
        </Field>
      )}
      <Field label={t("entryText")} help={help}>
        <textarea
          ref={(element) => {
            if (element && document.activeElement === document.body) element.focus();
          }}
          aria-label={t("entryText")}
          value={words}
          rows={6}
          onChange={({ target }) => setWords(target.value)}
          className="field max-h-80 min-h-28 w-full resize-none rounded-md border border-line-strong bg-raised px-3 py-2"
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
        <Button kind="primary" type="submit" busy={busy} disabled={!words.trim()}>
          {t("save", { ns: "common" })}
        </Button>
      </div>
    </form>
  );
}
