// The buttons of a form that can be tried: save and test, or save and be done.

import type { Work } from "../useWork";
import { Button } from "./Button";

export type Saving = "save" | "test";

interface SaveActionsProps {
  work: Pick<Work<Saving>, "busy">;
  disabled: boolean;
  saveAndTest: string;
  save: string;
  onTest: () => void;
  onSave: () => void;
}

export function SaveActions({ work: { busy }, disabled, saveAndTest, save, onTest, onSave }: SaveActionsProps) {
  const still = disabled || busy !== null;
  return (
    <>
      <Button busy={busy === "test"} disabled={still} onClick={onTest}>
        {saveAndTest}
      </Button>
      <Button kind="primary" busy={busy === "save"} disabled={still} onClick={onSave}>
        {save}
      </Button>
    </>
  );
}
