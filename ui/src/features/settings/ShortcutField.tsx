// Records a new combination of keys for the quick prompt, or turns it off.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
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
    const keys = combination(event, apple);
    if (!keys) return;
    setRecording(false);
    void onChange(keys);
  };
  const shown = recording ? t("pressKeys") : value ? shortcutText(value, apple) : t("none");
  return (
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
  );
}
