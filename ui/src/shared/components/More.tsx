// Below the beginning of a very long text: how much more there is, and the way to it.

import { useTranslation } from "react-i18next";
import { count } from "../format";
import { Button } from "./Button";

export function More({ hidden, onMore }: { hidden: number; onMore: () => void }) {
  const { t } = useTranslation();
  if (hidden === 0) return null;
  return (
    <Button size="sm" className="mt-3" onClick={onMore}>
      {t("showRest", { count: hidden, shown: count(hidden) })}
    </Button>
  );
}
