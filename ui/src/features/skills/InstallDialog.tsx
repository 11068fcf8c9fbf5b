// Skills from a folder, a zip file or a git address: what they would bring and may do is shown first, and exactly that comes.

import { FileArchive, FolderOpen } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SkillInstall } from "@/bindings/SkillInstall";
import { call, pickFiles } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Failure, Skeleton } from "@/shared/components/State";
import { say } from "@/shared/components/Toasts";
import { go, pathOf } from "@/shared/route";
import { install } from "./data";
import { Incoming } from "./Incoming";

export function InstallDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("skills");
  const { preview, busy, error, look, take, back } = useInstall(onClose);
  const ready = preview !== null && preview.refused === null && preview.skills.length > 0;
  const actions = preview && (
    <>
      <Button onClick={back}>{t("another")}</Button>
      {ready && (
        <Button kind="primary" busy={busy} onClick={() => void take(preview)}>
          {t("installCount", { count: preview.skills.length })}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      open
      wide={preview !== null}
      onClose={onClose}
      title={t("installTitle")}
      description={t(preview ? "previewBody" : "installBody")}
      actions={actions}
    >
      <div className="flex flex-col gap-4">
        {!preview && <Choose onChoose={(path) => void look(path)} busy={busy} />}
        {busy && !preview && <Skeleton lines={3} />}
        {error !== null && <Failure error={error} />}
        {preview && (
          <p className="selectable text-sm text-muted break-all">
            {t("from")}: {preview.path}
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

function useInstall(onClose: () => void) {
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
  return {
    ...{ preview, busy, error },
    look: (path: string) => run(async () => setPreview(await call("skills_install_preview", { path }))),
    take: (shown: SkillInstall) =>
      run(async () => {
        const rows = await install(shown);
        say(t("installed", { count: rows.length }));
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
