// One encrypted file of everything, and bringing it back. A passphrase is typed here and goes out once.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BackupCounts } from "@/bindings/BackupCounts";
import type { BackupMade } from "@/bindings/BackupMade";
import type { Restored } from "@/bindings/Restored";
import { call, pickFiles, pickPlace } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Group, Row } from "@/shared/components/Group";
import { sayProblem } from "@/shared/components/Toasts";
import { bytes, dateTime } from "@/shared/format";
import { Said } from "@/shared/i18n/said";
import { PassphraseDialog } from "./PassphraseDialog";

export function BackupGroup() {
  const { t } = useTranslation("transfer");
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<BackupMade | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [ready, setReady] = useState<Restored | null>(null);
  const make = async (passphrase: string) => {
    const path = await pickPlace(`hearth-${new Date().toISOString().slice(0, 10)}.backup`);
    if (!path) return false;
    setMade(await call("backups_make", { path, passphrase }));
    return true;
  };
  const choose = async () => {
    const [path] = await pickFiles({ multiple: false });
    if (path) setChosen(path);
  };
  const prepare = async (passphrase: string) => {
    setReady(await call("backups_prepare", { path: chosen ?? "", passphrase }));
    return true;
  };
  return (
    <Group title={t("backup")} help={t("backupHelp")}>
      <Row label={t("make")} help={t("makeHelp")}>
        <Button onClick={() => setMaking(true)}>{t("makeAction")}</Button>
      </Row>
      {made && <Made made={made} />}
      <Row label={t("restore")} help={t("restoreHelp")}>
        <Button onClick={() => void choose().catch(sayProblem)}>{t("restoreAction")}</Button>
      </Row>
      {ready && <Ready ready={ready} onLater={() => setReady(null)} />}
      {making && (
        <PassphraseDialog
          title={t("make")}
          description={t("makeHelp")}
          action={t("choosePlace")}
          twice
          onClose={() => setMaking(false)}
          onEnter={make}
        />
      )}
      {chosen !== null && (
        <PassphraseDialog
          title={t("restoreTitle")}
          description={t("restoreBody", { path: chosen })}
          action={t("restoreGo")}
          onClose={() => setChosen(null)}
          onEnter={prepare}
        />
      )}
    </Group>
  );
}

/** What a backup holds, in words. */
function useHolds({ sessions, workspace_files, skill_files, secrets }: BackupCounts) {
  const { t } = useTranslation("transfer");
  return t("holds", {
    sessions: t("heldSessions", { count: sessions }),
    files: t("heldFiles", { count: workspace_files + skill_files }),
    secrets: t("heldSecrets", { count: secrets }),
  });
}

function Made({ made: { path, bytes: size, counts, left_out } }: { made: BackupMade }) {
  const { t } = useTranslation("transfer");
  const holds = useHolds(counts);
  return (
    <div role="status" className="selectable py-3">
      <p className="font-medium text-good">{t("made")}</p>
      <p className="text-sm break-words text-muted">{t("madeBody", { path, size: bytes(size), holds })}</p>
      {left_out.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="cursor-pointer text-warn">{t("notIn", { count: left_out.length })}</summary>
          <ul className="mt-1 flex flex-col gap-0.5">
            {left_out.map(({ name, why }) => (
              <li key={name} className="break-words">
                <code>{name}</code>{" "}
                <span className="text-muted">
                  <Said text={why} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Ready({ ready: { made_at, counts, secrets: state }, onLater }: { ready: Restored; onLater: () => void }) {
  const { t } = useTranslation("transfer");
  const [busy, setBusy] = useState(false);
  const holds = useHolds(counts);
  const restart = async () => {
    setBusy(true);
    await call("window_restart").catch((error: unknown) => {
      setBusy(false);
      sayProblem(error);
    });
  };
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 py-3">
      <div className="selectable min-w-0 flex-1 basis-60">
        <p className="font-medium text-good">{t("ready")}</p>
        <p className="text-sm text-muted">{t("readyBody", { made: dateTime(made_at), holds })}</p>
        {state === "locked" && <p className="text-sm text-warn">{t("readyLocked")}</p>}
        {state === "passphrase" && <p className="text-sm">{t("readyPassphrase")}</p>}
      </div>
      <Button kind="quiet" onClick={onLater}>
        {t("later")}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => void restart()}>
        {t("restart")}
      </Button>
    </div>
  );
}
