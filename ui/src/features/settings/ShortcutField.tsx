// Records a new combination of keys for the quick prompt, or turns it off.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { keys } from "@/shared/queries";
import { combination, shortcutText } from "./shortcut";

interface ShortcutFieldProps {
  value: string;
  onChange: (keys: string) => Promise<boolean>;
}

const apple = /Mac/.test(navigator.platform);

export function ShortcutField({ value, onChange }: ShortcutFieldProps) {
  const { t } = useTranslation("settings");
  const [recording, setRecording] = useState(false);
  const press = (event: React.KeyboardEvent) => {
    // Tab leaves the button as always.
    if (!recording || event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return setRecording(false);
    const pressed = combination(event, apple);
    if (!pressed) return;
    setRecording(false);
    void onChange(pressed);
  };
  const shown = recording ? t("pressKeys") : value ? shortcutText(value, apple) : t("none");
  const { taken = null, offered = null } = useTaken().data ?? {};
  return (
    <div className="flex max-w-full flex-col items-end gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          aria-label={recording ? t("pressKeys") : t("recordShortcut", { keys: shown })}
          className={recording ? "min-w-44 border-ember text-ember-ink" : "min-w-44"}
          onClick={() => setRecording(true)}
          onKeyDown={press}
          onBlur={() => setRecording(false)}
        >
          {shown}
        </Button>
        {value && (
          <Button kind="quiet" onClick={() => void onChange("")}>
            {t("turnOff")}
          </Button>
        )}
      </div>
      {taken !== null && taken === value && (
        <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-sm text-bad">
          {t("shortcutTaken", { keys: shortcutText(taken, apple) })}
          {offered && (
            <Button size="sm" onClick={() => void onChange(offered)}>
              {t("useInstead", { keys: shortcutText(offered, apple) })}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Whether another program holds the shortcut. Read again after each change of the settings (`app/signals`). */
function useTaken() {
  return useQuery({ queryKey: keys.shortcut, queryFn: () => call("window_shortcut") });
}
