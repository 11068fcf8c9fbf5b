// Moving in and out: imports from other assistants, a backup, and bringing one back.

import { BackupGroup } from "./BackupGroup";
import { ImportGroup } from "./ImportGroup";

export function TransferSection() {
  return (
    <>
      <ImportGroup />
      <BackupGroup />
    </>
  );
}
