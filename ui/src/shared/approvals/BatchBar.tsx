// Over the calls of one reply that wait together: how many there are, and one word for all of them. A yes here is a yes
// for each of them once, and for nothing later.

import { ListChecks } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Decision } from "@/bindings/Decision";
import { call } from "@/bridge";
import { Button } from "../components/Button";
import { sayProblem } from "../components/Toasts";
import { keys, queries } from "../queries";

/** How many of a batch are open, if `one` is the first of them that is and there are more; else 0. */
export function together<T>(all: readonly T[], one: T, openBatch: (item: T) => string | null | undefined): number {
  const batch = openBatch(one);
  if (!batch) return 0;
  const open = all.filter((other) => openBatch(other) === batch);
  return open[0] === one && open.length > 1 ? open.length : 0;
}

interface BatchBarProps {
  /** One approval of the batch. */
  id: string;
  count: number;
}

export function BatchBar({ id, count }: BatchBarProps) {
  const { t } = useTranslation("approvals");
  const [busy, setBusy] = useState<Decision | null>(null);
  const title = t("together", { count });
  const decide = async (decision: Decision) => {
    setBusy(decision);
    await call("approvals_decide_all", { request: { id, decision } }).catch(sayProblem);
    await queries.invalidateQueries({ queryKey: keys.approvals });
    setBusy(null);
  };
  const button = (decision: Decision, label: string) => (
    <Button size="sm" busy={busy === decision} disabled={busy !== null} onClick={() => void decide(decision)}>
      {label}
    </Button>
  );
  return (
    <section
      aria-label={title}
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken px-4 py-2"
    >
      <ListChecks aria-hidden className="size-5 shrink-0 text-ember-ink" />
      <h3 className="mr-auto font-medium">{title}</h3>
      {button("allow", t("allOnce"))}
      {button("deny", t("denyAll"))}
    </section>
  );
}
