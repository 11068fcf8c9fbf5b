// How it thinks: the model in use and what stands in for it, the built-in model, servers, providers.

import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ModelRow } from "@/bindings/ModelRow";
import { call } from "@/bridge";
import { IconButton } from "@/shared/components/Button";
import { Select } from "@/shared/components/Field";
import { Group, Row } from "@/shared/components/Group";
import { Failure, Skeleton } from "@/shared/components/State";
import { useSaid } from "@/shared/i18n/said";
import { LocalModel } from "@/shared/models/LocalModel";
import { Servers } from "@/shared/models/Servers";
import { keys } from "@/shared/queries";
import { setSetting } from "@/shared/settings";
import { Providers } from "./Providers";
import type { SectionProps } from "./SettingsPage";

export function ModelsSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const models = useQuery({ queryKey: keys.models, queryFn: () => call("models_list") });
  const local = useQuery({ queryKey: keys.localModels, queryFn: () => call("models_local") });
  return (
    <>
      <Group title={t("use")}>
        {models.isPending && <Skeleton lines={2} className="py-4" />}
        {models.error && <Failure error={models.error} onRetry={() => void models.refetch()} className="my-4" />}
        {models.data && <Default models={models.data} current={settings.model_default} />}
        {models.data && <Fallback models={models.data} settings={settings} />}
      </Group>
      <Group title={t("builtIn")} help={t("builtInHelp")}>
        {local.isPending && <Skeleton lines={2} className="py-4" />}
        {local.error && <Failure error={local.error} onRetry={() => void local.refetch()} className="my-4" />}
        {local.data?.map((model) => (
          <LocalModel key={model.id} model={model} className="py-3" />
        ))}
      </Group>
      <Providers providers={settings.providers} />
      <Group title={t("servers")} help={t("serversHelp")}>
        <div className="py-1.5">
          <Servers />
        </div>
      </Group>
    </>
  );
}

function Default({ models, current }: { models: readonly ModelRow[]; current: string }) {
  const { t } = useTranslation("settings");
  const told = useSaid();
  const row = models.find(({ id }) => id === current);
  const choices = models.map(({ id }) => ({ value: id, label: id }));
  // A default that no provider offers any more still shows, so that the person sees what is wrong.
  if (!row && current) choices.unshift({ value: current, label: current });
  return (
    <Row
      label={t("default")}
      help={row?.problem ? told(row.problem) : row || !current ? t("defaultHelp") : t("defaultGone")}
    >
      <div className="w-72 max-w-full">
        <Select
          label={t("default")}
          value={current}
          choices={choices}
          onChange={(id) => void setSetting("model.default", id)}
        />
      </div>
    </Row>
  );
}

function Fallback({ models, settings }: SectionProps & { models: readonly ModelRow[] }) {
  const { t } = useTranslation("settings");
  const { model_fallback: list, model_default } = settings;
  const set = (next: string[]) => void setSetting("model.fallback", next);
  const swap = (at: number, by: number) => {
    const next = [...list];
    const [moved] = next.splice(at, 1);
    if (moved !== undefined) next.splice(at + by, 0, moved);
    set(next);
  };
  const others = models.filter(({ id }) => id !== model_default && !list.includes(id));
  return (
    <Row label={t("fallback")} help={t("fallbackHelp")}>
      <div className="flex w-72 max-w-full flex-col gap-1.5">
        <ol className="flex flex-col gap-1">
          {list.map((id, at) => (
            <li key={id} className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-1 pl-3">
              <span className="min-w-0 flex-1 truncate">{id}</span>
              <IconButton
                label={t("earlier", { model: id })}
                size="sm"
                icon={<ArrowUp className="size-4" />}
                disabled={at === 0}
                onClick={() => swap(at, -1)}
              />
              <IconButton
                label={t("later", { model: id })}
                size="sm"
                icon={<ArrowDown className="size-4" />}
                disabled={at === list.length - 1}
                onClick={() => swap(at, 1)}
              />
              <IconButton
                label={t("remove", { name: id })}
                size="sm"
                icon={<X className="size-4" />}
                onClick={() => set(list.filter((other) => other !== id))}
              />
            </li>
          ))}
        </ol>
        {others.length > 0 && (
          <Select
            label={t("addFallback")}
            value=""
            choices={[{ value: "", label: t("addFallback") }, ...others.map(({ id }) => ({ value: id, label: id }))]}
            onChange={(id) => id && set([...list, id])}
          />
        )}
        {others.length === 0 && list.length === 0 && <p className="text-sm text-muted">{t("noOthers")}</p>}
      </div>
    </Row>
  );
}
