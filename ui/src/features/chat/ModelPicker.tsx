// Which model this conversation uses.

import { useQuery } from "@tanstack/react-query";
import { Check, ChevronDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Menu, MenuItem, MenuLine } from "@/shared/components/Menu";
import { useTranscript } from "@/shared/conversation/useConversation";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";
import { changeSession } from "./sessions";

export function useModels() {
  return useQuery({ queryKey: keys.models, queryFn: () => call("models_list") });
}

/** A model's own name, without its provider. */
export const shortModel = (id: string) => id.slice(id.indexOf("/") + 1);

export function ModelPicker({ session }: { session: string }) {
  const { t } = useTranslation("chat");
  const { data: models = [], isPending } = useModels();
  const picked = useTranscript(session).data?.session.model ?? null;
  const standard = models.find((model) => model.default)?.id;
  const current = picked ?? standard;
  if (isPending && !current)
    return <span role="status" aria-label={t("modelsLoading")} className="skeleton mx-2.5 h-4 w-24" />;
  const pick = async (model: string) => {
    await changeSession(session, { model });
    await queries.invalidateQueries({ queryKey: keys.transcript(session) });
  };
  const trigger = (
    <Button kind="quiet" size="sm" aria-label={t("modelNow", { model: current ?? t("noModel") })}>
      <span className="max-w-44 truncate">{current ? shortModel(current) : t("noModel")}</span>
      <ChevronDown aria-hidden className="size-3.5" />
    </Button>
  );
  const tick = (on: boolean) => <Check aria-hidden className={on ? "size-4 text-ember-ink" : "invisible size-4"} />;
  return (
    <Menu trigger={trigger} align="start">
      {models.map(({ id, ready }) => (
        <MenuItem
          key={id}
          icon={tick(id === current)}
          disabled={!ready}
          onSelect={() => void pick(id === standard ? "" : id)}
        >
          <span>{shortModel(id)}</span>
          <span className="ml-auto pl-6 text-sm text-muted">{ready ? id.split("/")[0] : t("notReady")}</span>
        </MenuItem>
      ))}
      {models.length > 0 && <MenuLine />}
      <MenuItem icon={tick(false)} onSelect={() => go(pathOf("settings", "models"))}>
        {t("manageModels")}
      </MenuItem>
    </Menu>
  );
}
