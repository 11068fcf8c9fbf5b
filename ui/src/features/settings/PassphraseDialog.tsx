// Asks for a passphrase, a new one twice. The fields are emptied whatever comes of it.

import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/shared/components/Alert";
import { Button } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { SecretField } from "@/shared/components/Field";

interface PassphraseDialogProps {
  title: string;
  description: string;
  action: string;
  /** It is a new one. */
  twice?: boolean;
  onClose: () => void;
  /** Done: the dialog closes. False: the person thought better of it. */
  onEnter: (passphrase: string) => Promise<boolean>;
}

const shortest = 8;

export function PassphraseDialog({ title, description, action, twice, onClose, onEnter }: PassphraseDialogProps) {
  const { t } = useTranslation("transfer");
  const form = useId();
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const short = twice && passphrase !== "" && [...passphrase].length < shortest;
  const differs = twice && again !== "" && again !== passphrase;
  const complete = passphrase !== "" && !short && (!twice || again === passphrase);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (!complete) return;
    setBusy(true);
    setError(null);
    try {
      if (await onEnter(passphrase)) onClose();
    } catch (problem) {
      setPassphrase("");
      setAgain("");
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const actions = (
    <>
      <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
      <Button kind="primary" type="submit" form={form} busy={busy} disabled={!complete}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={title} description={description} actions={actions}>
      <form id={form} className="flex flex-col gap-4" onSubmit={(event) => void enter(event)}>
        <SecretField
          label={t("passphrase")}
          help={twice && !short ? t("passphraseHelp") : undefined}
          error={short ? t("passphraseShort") : null}
          value={passphrase}
          onChange={setPassphrase}
        />
        {twice && (
          <SecretField
            label={t("passphraseAgain")}
            error={differs ? t("passphraseDiffers") : null}
            value={again}
            onChange={setAgain}
          />
        )}
        {error !== null && <Alert error={error} />}
      </form>
    </Dialog>
  );
}
