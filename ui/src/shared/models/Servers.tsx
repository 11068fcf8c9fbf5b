// Model servers found on this machine, each added with one click.

import { useQuery } from "@tanstack/react-query";
import { Check, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DetectedServer } from "@/bindings/DetectedServer";
import { call } from "@/bridge";
import { Button } from "../components/Button";
import { Failure, Skeleton } from "../components/State";
import { sayProblem } from "../components/Toasts";
import { keys, queries } from "../queries";

const names: Record<string, string> = {
  ollama: "Ollama",
  "lm-studio": "LM Studio",
  "llama.cpp": "llama.cpp",
  vllm: "vLLM",
};

interface ServersProps {
  /** Told the provider's id and its models once one was added. */
  onAdded?: (id: string, models: readonly string[]) => void;
}

export function Servers({ onAdded }: ServersProps) {
  const { t } = useTranslation("models");
  const found = useQuery({ queryKey: ["servers"], queryFn: () => call("models_detect"), staleTime: 30_000 });
  if (found.isPending) return <Skeleton lines={2} className="py-2" />;
  if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <div className="flex flex-col gap-1">
      {found.data.length > 0 && (
        <ul className="flex flex-col divide-y divide-line">
          {found.data.map((server) => (
            <Server key={server.base_url} server={server} onAdded={onAdded} />
          ))}
        </ul>
      )}
      <div className="flex items-center justify-between gap-4">
        {found.data.length === 0 && <p className="text-sm text-muted">{t("noServers")}</p>}
        <Button
          kind="quiet"
          size="sm"
          className="-mx-2.5"
          icon={<RefreshCw aria-hidden className={found.isFetching ? "spin size-4" : "size-4"} />}
          onClick={() => void found.refetch()}
        >
          {t("lookAgain")}
        </Button>
      </div>
    </div>
  );
}

function Server({ server, onAdded }: { server: DetectedServer; onAdded: ServersProps["onAdded"] }) {
  const { t } = useTranslation("models");
  const [busy, setBusy] = useState(false);
  const { name, kind, base_url, models, configured } = server;
  const add = async () => {
    setBusy(true);
    const id = name.replaceAll(".", "-");
    const edits = models.map((model) => ({ id: model, window: 0, input_usd: 0, output_usd: 0 }));
    try {
      await call("providers_save", { provider: { id, kind, base_url, models: edits }, key: null });
      const old = [keys.settings, keys.models, ["servers"]];
      await Promise.all(old.map((queryKey) => queries.invalidateQueries({ queryKey })));
      onAdded?.(id, models);
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="flex items-center gap-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{names[name] ?? name}</p>
        <p className="truncate text-sm text-muted">{models.length > 0 ? models.join(", ") : t("noModelsThere")}</p>
        <p className="selectable truncate text-sm text-muted">{base_url}</p>
      </div>
      {configured ? (
        <span className="flex items-center gap-1.5 text-sm text-good">
          <Check aria-hidden className="size-4" />
          {t("added")}
        </span>
      ) : (
        <Button size="sm" icon={<Plus aria-hidden className="size-4" />} busy={busy} onClick={() => void add()}>
          {t("add")}
        </Button>
      )}
    </li>
  );
}
