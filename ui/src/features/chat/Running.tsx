// How long something has been running, once that is a second.

import { useEffect, useState } from "react";
import { duration } from "@/shared/format";

export function Running({ since }: { since: number | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  const ms = since === null ? 0 : now - since * 1000;
  return ms >= 1000 ? duration(Math.floor(ms / 1000) * 1000) : null;
}
