// Takes back what a reply did to files: which ones, then what became of each.

import clsx from "clsx";
import { CircleAlert, CircleCheck, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Undone } from "@/bindings/Undone";
import { call } from "@/bridge";
import { Button, IconButton } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Failure } from "@/shared/components/State";
import { useSaid } from "@/shared/i18n/said";
import { pathOf } from "@/shared/route";

export function TakeBack({ turn, files }: { turn: string; files: readonly string[] }) {
  const { t } = useTranslation("chat");
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        size="sm"
        label={t("takeBack", { count: files.length })}
        icon={<Undo2 className="size-4" />}
        onClick={() => setOpen(true)}
      />
      {open && <TakeBackDialog turn={turn} files={files} onClose={() => setOpen(false)} />}
    </>
  );
}

interface TakeBackDialogProps {
  turn: string;
  files: readonly string[];
  onClose: () => void;
}

function TakeBackDialog({ turn, files, onClose }: TakeBackDialogProps) {
  const { t } = useTranslation(["chat", "common"]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState<Undone[] | null>(null);
  const undo = async () => {
    setBusy(true);
    setError(null);
    await call("turns_undo", { turn }).then(setDone, setError);
    setBusy(false);
  };
  const actions = done ? (
    <Button kind="primary" onClick={onClose}>
      {t("common:close")}
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>{t("common:cancel")}</Button>
      <Button kind="primary" busy={busy} onClick={() => void undo()}>
        {t("takeBackAction")}
      </Button>
    </>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(done ? "takenBack" : "takeBackTitle")}
      description={done ? undefined : t("takeBackBody")}
      actions={actions}
    >
      {error !== null && <Failure error={error} className="mb-3" />}
      <ul aria-live="polite" className="flex flex-col divide-y divide-line">
        {done
          ? done.map((undone) => <Outcome key={`${undone.path} ${undone.why}`} undone={undone} />)
          : files.map((path) => (
              <li key={path} className="selectable py-2 font-mono text-[12.5px] break-words">
                {path}
              </li>
            ))}
      </ul>
    </Dialog>
  );
}

function Outcome({ undone: { path, state, why } }: { undone: Undone }) {
  const { t } = useTranslation("chat");
  const say = useSaid();
  const left = state === "conflict" || state === "refused";
  const Icon = left ? CircleAlert : CircleCheck;
  // A folder, or all of the workspace: no page shows it.
  const isFile = !path.endsWith("/") && path !== ".";
  return (
    <li className="flex items-start gap-3 py-2">
      <Icon aria-hidden className={clsx("mt-0.5 size-4 shrink-0", left ? "text-warn" : "text-good")} />
      <div className="min-w-0">
        {isFile ? (
          <a
            href={`#${pathOf("persona", path)}`}
            className="selectable font-mono text-[12.5px] break-words hover:underline"
          >
            {path}
          </a>
        ) : (
          <span className="selectable font-mono text-[12.5px] break-words">{path}</span>
        )}
        <p className={clsx("text-sm text-muted", left && "selectable break-words")}>
          {left ? t("undone.left", { why: say(why) }) : t(`undone.${state}`)}
        </p>
      </div>
    </li>
  );
}
