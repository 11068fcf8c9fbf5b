// One conversation: its heading, its turns, and the field below. Owns what the inspector shows and what is being edited.

import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ScanEye } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { Button, IconButton } from "@/shared/components/Button";
import { PageHeader } from "@/shared/components/Page";
import { Failure, Skeleton } from "@/shared/components/State";
import { keyOf } from "@/shared/conversation/turn";
import { useConversation } from "@/shared/conversation/useConversation";
import { keys } from "@/shared/queries";
import { AnswerCard } from "./AnswerCard";
import { Composer } from "./Composer";
import { Greeting } from "./Greeting";
import { LookInspector } from "./LookInspector";
import { type Look, nextCall } from "./look";
import { ModelBanner } from "./ModelBanner";
import { PendingRow } from "./PendingRow";
import { titleOf } from "./sessions";
import { TurnRow } from "./TurnRow";
import { useFollowing } from "./useFollowing";
import { useOpenAt } from "./useOpenAt";

export function Conversation({ session, place }: { session: string; place?: string }) {
  const { t } = useTranslation("chat");
  const conversation = useConversation(session);
  const { turns, pending, answer, running } = conversation;
  const [look, setLook] = useState<Look | null>(null);
  const [seed, setSeed] = useState({ text: "", count: 0 });
  const { scroller, content, hidden, atEnd, toEnd, reveal } = useFollowing(turns.length + pending.length, running);
  const here = useOpenAt({ session, place, turns, hidden, scroller, reveal });
  const list = useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") }).data;
  const info = list?.find(({ key }) => key === session);
  useShowing(session);
  const empty = !conversation.isPending && !conversation.error && turns.length + pending.length === 0 && !answer;
  const heading = info ? titleOf(info) : t("untitled");
  const actions = (
    <IconButton label={t("seesNext")} icon={<ScanEye className="size-4" />} onClick={() => setLook(nextCall)} />
  );
  return (
    <main className="flex min-w-0 flex-1 flex-col bg-surface">
      <PageHeader title={heading} actions={actions} />
      {/* The scroller itself is the flex item: WebKit at times lets a percentage of one's height be its content's. */}
      <section
        ref={scroller}
        tabIndex={0}
        aria-label={heading}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px] [contain:strict]"
      >
        <div ref={content} className="mx-auto flex min-h-full w-full max-w-[776px] flex-col gap-8 px-6 pt-6 pb-8">
          {conversation.isPending && <Skeleton lines={6} className="pt-4" />}
          {conversation.error && <Failure error={conversation.error} onRetry={() => void conversation.refetch()} />}
          {empty && <Greeting onPick={(text) => setSeed(({ count }) => ({ text, count: count + 1 }))} />}
          {turns.slice(hidden).map((turn, at) => (
            <TurnRow
              key={keyOf(turn)}
              turn={turn}
              last={hidden + at === turns.length - 1}
              here={keyOf(turn) === here}
              onLook={setLook}
            />
          ))}
          {pending.map((message) => (
            <PendingRow key={message.messageId} message={message} />
          ))}
          {answer && <AnswerCard answer={answer} />}
        </div>
      </section>
      {!atEnd && (
        <div className="relative">
          <Button
            size="sm"
            icon={<ArrowDown aria-hidden className="size-4" />}
            className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-md"
            onClick={toEnd}
          >
            {t("toLatest")}
          </Button>
        </div>
      )}
      <ModelBanner />
      <Composer session={session} running={running} seed={seed} onSent={toEnd} />
      {look && <LookInspector session={session} look={look} onLook={setLook} />}
    </main>
  );
}

/** The shell makes no notice of the conversation in view. */
function useShowing(session: string) {
  useEffect(() => {
    void call("window_showing", { session }).catch(() => undefined);
    return () => void call("window_showing", { session: null }).catch(() => undefined);
  }, [session]);
}
