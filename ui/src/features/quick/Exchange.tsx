// The last question and its answer, without the controls of the main window.

import { LoaderCircle, ShieldQuestion } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/shared/components/Alert";
import { gist } from "@/shared/conversation/given";
import { useReading } from "@/shared/conversation/reading";
import type { Answer, Pending } from "@/shared/conversation/store";
import type { Block, Turn } from "@/shared/conversation/turn";
import { percent } from "@/shared/format";
import { said, saidTogether } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";

interface ExchangeProps {
  turn: Turn | null;
  pending: readonly Pending[];
  answer: Answer | null;
}

export function Exchange({ turn, pending, answer }: ExchangeProps) {
  const { t } = useTranslation("quick");
  const waiting = pending.at(-1);
  const asked = waiting?.text ?? turn?.user?.text;
  const busy = waiting ? waiting.state !== "failed" : Boolean(turn?.running);
  const blocks = waiting ? [] : (turn?.blocks ?? []);
  const read = useReading(turn?.id);
  const reading = read === null ? t("thinking") : t("reading", { share: percent(read) });
  if (answer && !waiting) return <Markdown text={answer.text} className="px-5 py-4" />;
  const writing = blocks.at(-1)?.kind === "text";
  return (
    <div className="flex flex-col gap-3 px-5 py-4" aria-live="polite" aria-busy={busy}>
      {asked && <h2 className="selectable text-muted break-words">{asked}</h2>}
      {blocks.map((block) => (
        <Piece key={block.id} block={block} growing={Boolean(turn?.running) && block === blocks.at(-1)} />
      ))}
      {waiting?.error && <Alert error={waiting.error} />}
      {busy && !writing && (
        <p role="status" className="flex items-center gap-2 text-sm text-muted">
          <LoaderCircle aria-hidden className="spin size-4 text-ember-ink" />
          {activity(blocks.at(-1)) ?? reading}
        </p>
      )}
    </div>
  );
}

/** What is going on, where it is more than thinking. */
function activity(block: Block | undefined): string | null {
  if (block?.kind === "tool" && !block.ended) return block.tool;
  return block?.kind === "provider" ? said(block.why) : null;
}

function Piece({ block, growing }: { block: Block; growing: boolean }) {
  if (block.kind === "text") return <Markdown text={block.text} growing={growing} />;
  if (block.kind === "error") return <Alert error={block} />;
  if (block.kind === "approval" && block.verdict === "asked")
    return <NeedsYou what={`${block.tool} ${gist(block.arguments)}`} />;
  if (block.kind === "question" && block.open) return <NeedsYou what={block.text} />;
  if (block.kind === "notice") return <p className="text-sm text-muted">{saidTogether([block.title, block.body])}</p>;
  return null;
}

/** Decisions are made in the main window, where all of what would run can be read. */
function NeedsYou({ what }: { what: string }) {
  const { t } = useTranslation("quick");
  return (
    <div role="status" className="flex items-start gap-3 rounded-lg bg-ember-soft px-4 py-3">
      <ShieldQuestion aria-hidden className="mt-0.5 size-5 shrink-0 text-ember-ink" />
      <div className="selectable min-w-0">
        <p className="font-medium">{t("needsYou")}</p>
        <p className="text-sm text-muted break-words">{what}</p>
      </div>
    </div>
  );
}
