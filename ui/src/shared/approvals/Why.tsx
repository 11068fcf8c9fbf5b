// Why a call asks: the rule of the policy for exactly this call, and where it can be changed.

import { Collapsible } from "@base-ui/react/collapsible";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Arguments } from "@/bindings/Arguments";
import { call } from "@/bridge";
import { Failure, Skeleton } from "../components/State";
import { Said } from "../i18n/said";
import { pathOf } from "../route";

interface WhyProps {
  id: string;
  tool: string;
  arguments: Arguments;
  /** The conversation that asks; null until it is known. */
  session: string | null;
}

export function Why(asked: WhyProps) {
  const { t } = useTranslation("approvals");
  const [open, setOpen] = useState(false);
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} className="mx-4 mt-2 text-sm">
      <Collapsible.Trigger className="group -ml-1 flex items-center gap-1 rounded-sm px-1 text-ember-ink hover:underline">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform duration-100 group-data-[panel-open]:rotate-90"
        />
        {t("why")}
      </Collapsible.Trigger>
      <Collapsible.Panel className="pt-1 pl-5">{open && <Answer {...asked} />}</Collapsible.Panel>
    </Collapsible.Root>
  );
}

/** Judged in a new conversation, and in the one that asks: the difference tells what made it ask. */
function useJudged({ id, tool, arguments: given, session }: WhyProps) {
  return useQuery({
    queryKey: ["why", id, session],
    queryFn: async () => {
      const request = { tool, arguments: typeof given === "string" ? {} : given, allow: null, shell: null };
      const plain = await call("guard_explain", { request: { ...request, tainted: false } });
      if (plain.verdict !== "allow") return { ...plain, foreign: false };
      const here = session === null ? { tainted: true } : { tainted: false, session };
      const said = await call("guard_explain", { request: { ...request, ...here } });
      return { ...said, foreign: said.verdict !== "allow" };
    },
    gcTime: 0,
  });
}

function Answer(asked: WhyProps) {
  const { t } = useTranslation("approvals");
  const judged = useJudged(asked);
  if (judged.error) return <Failure error={judged.error} onRetry={() => void judged.refetch()} />;
  if (!judged.data) return <Skeleton lines={2} />;
  const { why, rule, foreign } = judged.data;
  return (
    <div role="status" className="flex flex-col items-start gap-1">
      {foreign && <p>{t("whyForeign")}</p>}
      <p className="selectable break-words">
        <Said text={why} /> <span className="text-faint">{t("rule", { rule })}</span>
      </p>
      <a href={`#${pathOf("settings", "guard")}`} className="text-ember-ink hover:underline">
        {t("whyChange")}
      </a>
    </div>
  );
}
