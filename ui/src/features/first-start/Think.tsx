// Step one: how it thinks. The built-in model, a server that is running, or a key.

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, Cpu, KeyRound, Server } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Failure, Skeleton } from "@/shared/components/State";
import { LocalModel } from "@/shared/models/LocalModel";
import { ProviderDialog } from "@/shared/models/ProviderDialog";
import { usePulls } from "@/shared/models/pulls";
import { Servers } from "@/shared/models/Servers";
import { keys } from "@/shared/queries";
import { setSetting } from "@/shared/settings";
import type { StepProps } from "./FirstStart";
import { StepFrame } from "./StepFrame";

export function Think({ onNext }: StepProps) {
  const { t } = useTranslation("firstStart");
  const local = useQuery({ queryKey: keys.localModels, queryFn: () => call("models_local") });
  const models = useQuery({ queryKey: keys.models, queryFn: () => call("models_list") });
  const [key, setKey] = useState(false);
  const pulling = usePulls((all) => Object.values(all).some(({ state }) => state !== "failed"));
  const chosen = models.data?.find((model) => model.default && model.ready);
  const choose = (provider: string, [first]: readonly string[]) => {
    if (first) void setSetting("model.default", `${provider}/${first}`);
  };
  const ready = Boolean(chosen) || pulling;
  const actions = (
    <Button kind={ready ? "primary" : "plain"} onClick={onNext}>
      {ready ? t("next") : t("skip")}
    </Button>
  );
  return (
    <StepFrame title={t("thinkTitle")} body={t("thinkBody")} actions={actions}>
      {chosen && (
        <p role="status" className="flex items-center gap-2 rounded-lg bg-good-soft px-4 py-2.5">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
          {t("chosen", { model: chosen.id })}
        </p>
      )}
      <Way icon={<Cpu className="size-5" />} title={t("builtIn")} body={t("builtInBody")}>
        {local.isPending && <Skeleton lines={2} />}
        {local.error && <Failure error={local.error} onRetry={() => void local.refetch()} />}
        {local.data
          ?.filter(({ purpose }) => purpose === "chat")
          .map((model) => (
            <LocalModel key={model.id} model={model} />
          ))}
        {pulling && <p className="text-sm text-muted">{t("goOnMeanwhile")}</p>}
      </Way>
      <Way icon={<Server className="size-5" />} title={t("server")} body={t("serverBody")}>
        <Servers onAdded={choose} />
      </Way>
      <Way icon={<KeyRound className="size-5" />} title={t("key")} body={t("keyBody")}>
        <Button className="self-start" onClick={() => setKey(true)}>
          {t("enterKey")}
        </Button>
      </Way>
      {key && (
        <ProviderDialog
          onClose={() => setKey(false)}
          onSaved={({ id, models: offered }) =>
            choose(
              id,
              offered.map((model) => model.id),
            )
          }
        />
      )}
    </StepFrame>
  );
}

interface WayProps {
  icon: ReactNode;
  title: string;
  body: string;
  children: ReactNode;
}

function Way({ icon, title, body, children }: WayProps) {
  return (
    <section className="rounded-lg border border-line bg-raised p-4">
      <h2 className="flex items-center gap-2.5 font-semibold">
        <span aria-hidden className="text-ember-ink">
          {icon}
        </span>
        {title}
      </h2>
      <p className="mt-1 text-sm text-muted">{body}</p>
      <div className="mt-3 flex flex-col gap-2 border-t border-line pt-3">{children}</div>
    </section>
  );
}
