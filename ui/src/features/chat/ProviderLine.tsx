// The model's server makes us wait: why, and how long still.

import { LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderBlock } from "@/shared/conversation/turn";
import { Said } from "@/shared/i18n/said";
import { shortModel } from "./ModelPicker";

export function ProviderLine({ block }: { block: ProviderBlock }) {
  const { t } = useTranslation("chat");
  const left = useSecondsLeft(block.at + block.seconds);
  const model = shortModel(block.model);
  return (
    <p role="status" className="flex items-center gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
      <LoaderCircle aria-hidden className="spin size-4 shrink-0 text-warn" />
      <span>
        {block.state === "waiting" && left > 0 ? t("waiting", { model, count: left }) : t("retrying", { model })}{" "}
        <span className="text-muted">
          <Said text={block.why} />
        </span>
      </span>
    </p>
  );
}

function useSecondsLeft(until: number): number {
  const left = () => Math.max(0, Math.ceil(until - Date.now() / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const tick = setInterval(() => setSeconds(Math.max(0, Math.ceil(until - Date.now() / 1000))), 500);
    return () => clearInterval(tick);
  }, [until]);
  return seconds;
}
