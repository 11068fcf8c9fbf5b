// MCP servers: the list, adding one, and what has changed in them.

import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { McpRow } from "@/bindings/McpRow";
import { Button } from "@/shared/components/Button";
import { Group } from "@/shared/components/Group";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { McpDialog } from "./McpDialog";
import { McpServer } from "./McpServer";
import { useServers } from "./mcp";

export function McpSection() {
  const { t } = useTranslation("mcp");
  const servers = useServers();
  const [edited, setEdited] = useState<McpRow | "new" | null>(null);
  const add = (
    <Button size="sm" icon={<Plus aria-hidden className="size-4" />} onClick={() => setEdited("new")}>
      {t("add")}
    </Button>
  );
  return (
    <Group title={t("servers")} help={t("serversHelp")} actions={add}>
      {servers.isPending && <Skeleton lines={4} className="py-4" />}
      {servers.error && <Failure error={servers.error} onRetry={() => void servers.refetch()} className="my-4" />}
      {servers.data?.length === 0 && (
        <div className="py-4">
          <Empty
            icon={<Plug className="size-8" strokeWidth={1.5} />}
            title={t("emptyTitle")}
            body={t("emptyBody")}
            level={4}
          />
        </div>
      )}
      {servers.data?.map((row) => (
        <McpServer key={row.server.id} row={row} onEdit={() => setEdited(row)} />
      ))}
      {edited && (
        <McpDialog
          server={edited === "new" ? undefined : edited.server}
          taken={servers.data?.map(({ server }) => server.id) ?? []}
          onClose={() => setEdited(null)}
        />
      )}
    </Group>
  );
}
