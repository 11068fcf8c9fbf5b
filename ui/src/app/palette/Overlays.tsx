// What stands above every page: the palette (Mod+K) and the list of shortcuts (Mod+/).

import { useEffect, useState } from "react";
import { isKeys } from "@/shared/keys";
import { Palette } from "./Palette";
import { Shortcuts } from "./Shortcuts";

export function Overlays() {
  const [shown, setShown] = useState<"palette" | "keys" | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const wanted = isKeys(event, "Mod+K") ? "palette" : isKeys(event, "Mod+/") ? "keys" : null;
      if (!wanted) return;
      // Before an editor takes them.
      event.preventDefault();
      event.stopPropagation();
      setShown((now) => (now === wanted ? null : wanted));
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, []);
  const close = () => setShown(null);
  return (
    <>
      {shown === "palette" && <Palette onClose={close} onShortcuts={() => setShown("keys")} />}
      {shown === "keys" && <Shortcuts onClose={close} />}
    </>
  );
}
