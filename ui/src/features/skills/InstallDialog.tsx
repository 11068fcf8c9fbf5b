// Skills from a folder, a zip file or a git address: what they would bring and may do is shown first, and exactly that comes.

import { FileArchive, FolderOpen } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SkillInstall } from "@/bindings/SkillInstall";
import { call, pickFiles } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Failure, Skeleton } from "@/shared/components/State";
import { say } from "@/shared/components/Toasts";
import { dateTime } from "@/shared/format";
import { go, pathOf } from "@/shared/route";
import { install, restore, useRemoved } from "./data";
import { Incoming } from "./Incoming";

interface InstallDialogProps {
  onClose: () => void;
  /** The installed skill that is to be updated from where it came. */
  update?: string;
}

export function InstallDialog({ onClose, update }: InstallDialogProps) {
  const { t } = useTranslation("skills");
  const { preview, busy, error, look, take, back } = useInstall(onClose, update);
  const fresh = update === undefined || preview?.skills.some(({ changes }) => changes.length > 0);
  const ready = preview !== null && preview.refused === null && preview.skills.length > 0 && fresh;
  const label = update === undefined ? t("installCount", { count: preview?.skills.length ?? 0 }) : t("update");
  const actions = preview && (
    <>
      {update === undefined && <Button onClick={back}>{t("another")}</Button>}
      {ready && (
        <Button kind="primary" busy={busy} onClick={() => void take(preview)}>
          {label}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      open
      wide={preview !== null}
      onClose={onClose}
      title={update === undefined ? t("installTitle") : t("updateTitle", { name: update })}
      description={t(preview || update !== undefined ? "previewBody" : "installBody")}
      actions={actions}
    >
      <div className="flex flex-col gap-4">
        {!preview && update === undefined && (
          <>
            <Choose onChoose={(path) => void look(path)} busy={busy} />
            <Removed onBack={onClose} />
          </>
        )}
        {busy && !preview && <Skeleton lines={3} />}
        {preview && !fresh && preview.refused === null && <p role="status">{t("upToDate")}</p>}
        {error !== null && <Failure error={error} />}
        {preview && (
          <p className="selectable text-sm text-muted [overflow-wrap:anywhere]">
            {t("fromPath", { path: preview.path })}
          </p>
        )}
        {preview?.refused && (
          <p role="alert" className="selectable rounded-lg bg-bad-soft px-4 py-3 break-words">
            <span className="font-medium">{t("refused")}</span> {preview.refused}
          </p>
        )}
        {preview?.skills.map((skill) => (
          <Incoming key={skill.name} skill={skill} />
        ))}
      </div>
    </Dialog>
  );
}

/** Skills that were removed of late, each with a way back. */
function Removed({ onBack }: { onBack: () => void }) {
  const { t } = useTranslation("skills");
  const removed = useRemoved().data ?? [];
  if (removed.length === 0) return null;
  return (
    <section aria-label={t("removedOnes")} className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{t("removedOnes")}</h3>
      <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
        {removed.map(({ name, at }) => (
          <li key={name} className="flex items-center gap-3">
            <span className="selectable min-w-0 flex-1 break-words">
              {name} <span className="text-sm text-muted">· {dateTime(at)}</span>
            </span>
            <Button
              size="sm"
              aria-label={`${t("restore")} ${name}`}
              onClick={() => {
                onBack();
                void restore(name);
              }}
            >
              {t("restore")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useInstall(onClose: () => void, update?: string) {
  const { t } = useTranslation("skills");
  const [preview, setPreview] = useState<SkillInstall | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await work().catch(setError);
    setBusy(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for once, when the dialog opens
  useEffect(() => {
    if (update !== undefined) void run(async () => setPreview(await call("skills_update_preview", { name: update })));
  }, [update]);
  return {
    ...{ preview, busy, error },
    look: (path: string) => run(async () => setPreview(await call("skills_install_preview", { path }))),
    take: (shown: SkillInstall) =>
      run(async () => {
        const rows = await install(shown, update);
        say(update === undefined ? t("installed", { count: rows.length }) : t("updated", { name: update }));
        onClose();
        if (rows[0]) go(pathOf("skills", "list", rows[0].name));
      }),
    back: () => {
      setPreview(null);
      setError(null);
    },
  };
}

function Choose({ onChoose, busy }: { onChoose: (path: string) => void; busy: boolean }) {
  const { t } = useTranslation("skills");
  const [path, setPath] = useState("");
  const pick = async (folder: boolean) => {
    const [picked] = await pickFiles(folder ? { multiple: false, folder } : { multiple: false, extensions: ["zip"] });
    if (picked) onChoose(picked);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim()) onChoose(path.trim());
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button icon={<FolderOpen aria-hidden className="size-4" />} disabled={busy} onClick={() => void pick(true)}>
          {t("folder")}
        </Button>
        <Button icon={<FileArchive aria-hidden className="size-4" />} disabled={busy} onClick={() => void pick(false)}>
          {t("zip")}
        </Button>
      </div>
      <form className="flex gap-2" onSubmit={submit}>
        <input
          aria-label={t("path")}
          placeholder={t("path")}
          value={path}
          spellCheck={false}
          onChange={({ target }) => setPath(target.value)}
          className="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-3"
        />
        <Button type="submit" className="h-9" disabled={!path.trim() || busy}>
          {t("look")}
        </Button>
      </form>
    </>
  );
}
