// One piece of work at a time: which one goes on, and what went wrong with the last.

import { useState } from "react";

export interface Work<What extends string> {
  busy: What | null;
  /** Anything that was thrown; null where all went well. */
  error: unknown;
  /** Answers whether it was done. */
  run: (what: What, work: () => Promise<unknown>) => Promise<boolean>;
}

export function useWork<What extends string>(): Work<What> {
  const [busy, setBusy] = useState<What | null>(null);
  const [error, setError] = useState<unknown>(null);
  const run = async (what: What, work: () => Promise<unknown>) => {
    setBusy(what);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(null);
    }
  };
  return { busy, error, run };
}
