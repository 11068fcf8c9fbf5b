// Where things are on this machine, and how keys are kept.

import { Check, Copy } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button, IconButton } from "@/shared/components/Button";
import { SecretField } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { asProblem } from "@/shared/problem";
import { keys, queries } from "@/shared/queries";
import { useCopy } from "@/shared/useCopy";
import type { SectionProps } from "./SettingsPage";

export function StorageSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const state = settings.secrets === "locked" || settings.secrets === "passphrase" ? settings.secrets : "keyring";
  return (
    <>
      <Group title={t("places")}>
        <Place label={t("home")} help={t("homeHelp")} path={settings.home} />
        <Place label={t("workspace")} help={t("workspaceHelp")} path={settings.workspace} />
      </Group>
      <Group title={t("secrets")}>
        <Row label={t(`secretsState.${state}`)} help={t(`secretsHelp.${state}`)} />
        {state === "locked" && <Unlock />}
      </Group>
    </>
  );
}

function Place({ label, help, path }: { label: string; help: string; path: string }) {
  const { t } = useTranslation("settings");
  const [copied, copy] = useCopy();
  const about = (
    <>
      <p>{help}</p>
      <p className="selectable font-mono text-[12.5px] break-all text-ink">{path}</p>
    </>
  );
  return (
    <Row label={label} help={about}>
      <IconButton
        label={copied ? t("copied", { ns: "common" }) : t("copyPath", { name: label })}
        icon={copied ? <Check className="size-4" /> : <Copy className="size-4" />}
        onClick={() => copy(path)}
      />
    </Row>
  );
}

function Unlock() {
  const { t } = useTranslation("settings");
  const [passphrase, setPassphrase] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const unlock = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      queries.setQueryData(keys.settings, await call("settings_unlock", { passphrase }));
    } catch (error) {
      const { title, detail } = asProblem(error);
      setProblem(`${title} ${detail}`);
    } finally {
      setPassphrase("");
      setBusy(false);
    }
  };
  return (
    <form className="flex items-end gap-3 py-4" onSubmit={(event) => void unlock(event)}>
      <div className="min-w-0 flex-1">
        <SecretField
          label={t("passphrase")}
          help={t("passphraseHelp")}
          error={problem}
          value={passphrase}
          onChange={setPassphrase}
        />
      </div>
      <Button type="submit" kind="primary" className="h-9 self-start mt-[26px]" busy={busy} disabled={!passphrase}>
        {t("unlock")}
      </Button>
    </form>
  );
}
