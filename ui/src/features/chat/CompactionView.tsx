// What a compaction made of early messages: the summary that the model reads, and the messages as they were.

import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Message } from "@/bindings/Message";
import { call } from "@/bridge";
import { Failure, Skeleton } from "@/shared/components/State";
import { gist } from "@/shared/conversation/given";
import { Markdown } from "@/shared/markdown/Markdown";
import type { Look } from "./look";

interface CompactionViewProps {
  session: string;
  look: Extract<Look, { kind: "compaction" }>;
}

export function CompactionView({ session, look }: CompactionViewProps) {
  const { t } = useTranslation("chat");
  const { turn, from, to } = look;
  const rows = useQuery({
    queryKey: ["compactions", session],
    queryFn: () => call("sessions_compactions", { session }),
    staleTime: 0,
  });
  const mine = rows.data?.filter((row) => row.turn === turn && row.from_tokens === from && row.to_tokens === to).at(-1);
  const originals = useQuery({
    queryKey: ["originals", session, mine?.id],
    queryFn: () => call("sessions_originals", { session, compaction: mine?.id ?? 0 }),
    enabled: mine !== undefined,
  });
  const error = rows.error ?? originals.error;
  if (error) return <Failure error={error} className="m-4" />;
  if (rows.data && !mine) return <p className="p-4 text-muted">{t("originalsGone")}</p>;
  if (!mine || !originals.data) return <Skeleton lines={8} className="p-4" />;
  return (
    <div className="flex flex-col gap-4 p-4">
      <section>
        <h3 className="text-sm font-medium">{t("summary")}</h3>
        <p className="mb-2 text-sm text-muted">{t(mine.by_model ? "summaryByModel" : "summaryByHost")}</p>
        <div className="rounded-lg bg-sunken px-4 py-3">
          <Markdown text={mine.summary} className="text-base" />
        </div>
      </section>
      <section>
        <h3 className="mb-2 text-sm font-medium">{t("originalsCount", { count: originals.data.length })}</h3>
        <ol className="flex flex-col gap-3">
          {originals.data.map((message) => (
            <Original key={message.id} message={message} />
          ))}
        </ol>
      </section>
    </div>
  );
}

function Original({ message }: { message: Message }) {
  const { t } = useTranslation("chat");
  const { role, parts } = message;
  const speaker = role === "user" ? t("you") : t(role === "tool" ? "toolResult" : "assistant");
  return (
    <li className="border-l-2 border-line pl-3">
      <p className="text-xs text-faint">{speaker}</p>
      {parts.map((part, at) => {
        const key = `${message.id}-${at}`;
        if (part.type === "text") return <Markdown key={key} text={part.text} className="text-base" />;
        if (part.type === "tool_call")
          return (
            <p key={key} className="font-mono text-[12.5px] break-words">
              {part.name} <span className="text-muted">{gist(part.arguments)}</span>
            </p>
          );
        if (part.type !== "tool_result") return null;
        return (
          <pre
            key={key}
            tabIndex={0}
            className="selectable max-h-40 overflow-auto font-mono text-[12.5px] whitespace-pre-wrap"
          >
            {part.text}
          </pre>
        );
      })}
    </li>
  );
}
