// Providers with their keys: the list, a test of each, changing and removing.

import { CircleAlert, CircleCheck, MoreHorizontal, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderRow } from "@/bindings/ProviderRow";
import type { ProviderTest } from "@/bindings/ProviderTest";
import { call } from "@/bridge";
import { Button, IconButton } from "@/shared/components/Button";
import { Group } from "@/shared/components/Group";
import { Menu, MenuItem } from "@/shared/components/Menu";
import { useRemoval } from "@/shared/components/Removal";
import { sayProblem } from "@/shared/components/Toasts";
import { Said } from "@/shared/i18n/said";
import { ProviderDialog } from "@/shared/models/ProviderDialog";
import { keys, queries } from "@/shared/queries";

export function Providers({ providers }: { providers: readonly ProviderRow[] }) {
  const { t } = useTranslation("settings");
  const [edited, setEdited] = useState<ProviderRow | "new" | null>(null);
  const add = (
    <Button size="sm" icon={<Plus aria-hidden className="size-4" />} onClick={() => setEdited("new")}>
      {t("addProvider")}
    </Button>
  );
  return (
    <Group title={t("providers")} help={t("providersHelp")} actions={add}>
      {providers.length === 0 && <p className="py-4 text-muted">{t("noProviders")}</p>}
      {providers.map((provider) => (
        <Provider key={provider.id} provider={provider} onEdit={() => setEdited(provider)} />
      ))}
      {edited && <ProviderDialog provider={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />}
    </Group>
  );
}

function Provider({ provider, onEdit }: { provider: ProviderRow; onEdit: () => void }) {
  const { t } = useTranslation("settings");
  const { id, kind, base_url, models, has_key, needs_key } = provider;
  const [testing, setTesting] = useState(false);
  const [result, setResult] = useState<ProviderTest | null>(null);
  const test = async () => {
    setTesting(true);
    setResult(null);
    try {
      setResult(await call("providers_test", { id }));
    } catch (error) {
      sayProblem(error);
    } finally {
      setTesting(false);
    }
  };
  const remove = async () => {
    try {
      await call("providers_remove", { id });
      for (const queryKey of [keys.settings, keys.models]) await queries.invalidateQueries({ queryKey });
    } catch (error) {
      sayProblem(error);
    }
  };
  const removal = useRemoval({
    title: t("removeTitle", { name: id }),
    body: t("removeBody"),
    action: t("removeProvider"),
    onRemove: remove,
  });
  const keyWord = has_key ? t("hasKey") : needs_key ? t("lacksKey") : t("needsNoKey");
  return (
    <div className="flex flex-col gap-2 py-3">
      <div className="flex items-center gap-4">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{id}</p>
          <p className="truncate text-sm text-muted">
            {[t(`kindName.${kind}`, { ns: "models" }), base_url].filter(Boolean).join(" · ")}
          </p>
          <p className="truncate text-sm text-muted">
            <span className={needs_key && !has_key ? "text-warn" : undefined}>{keyWord}</span>
            {" · "}
            {models.length > 0 ? models.map((model) => model.id).join(", ") : t("noModels")}
          </p>
        </div>
        <Button size="sm" busy={testing} onClick={() => void test()}>
          {t("test")}
        </Button>
        <Menu
          trigger={<IconButton label={t("providerMenu", { name: id })} icon={<MoreHorizontal className="size-4" />} />}
        >
          <MenuItem icon={<Pencil aria-hidden className="size-4" />} onSelect={onEdit}>
            {t("edit")}
          </MenuItem>
          {removal.entry}
        </Menu>
      </div>
      {result && <Result result={result} />}
      {removal.question}
    </div>
  );
}

function Result({ result: { ok, message, hint } }: { result: ProviderTest }) {
  return (
    <p role="status" className="selectable flex items-start gap-2 text-sm">
      {ok ? (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
      ) : (
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      )}
      <span className="min-w-0 break-words">
        <Said text={message} />{" "}
        <span className="text-muted">
          <Said text={hint} />
        </span>
      </span>
    </p>
  );
}
