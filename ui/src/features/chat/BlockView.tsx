// The pieces of a turn: text, thinking, tools, what the model's server does, notices and errors.

import { Collapsible } from "@base-ui/react/collapsible";
import { ArrowRightLeft, Bell, ChevronRight, CornerDownRight, FoldVertical, History } from "lucide-react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApprovalCard } from "@/shared/approvals/ApprovalCard";
import { Button } from "@/shared/components/Button";
import type { Block, Turn } from "@/shared/conversation/turn";
import { count } from "@/shared/format";
import { useSaid } from "@/shared/i18n/said";
import { Markdown } from "@/shared/markdown/Markdown";
import { ErrorCard } from "./ErrorCard";
import type { Look } from "./look";
import { shortModel } from "./ModelPicker";
import { ProviderLine } from "./ProviderLine";
import { QuestionCard } from "./QuestionCard";
import { SubagentCard } from "./SubagentCard";
import { ToolCard } from "./ToolCard";

interface BlockViewProps {
  block: Block;
  turn: Turn;
  growing: boolean;
  onLook: (look: Look) => void;
}

export const BlockView = memo(
  function BlockView({ block, turn, growing, onLook }: BlockViewProps) {
    const { t } = useTranslation("chat");
    const told = useSaid();
    switch (block.kind) {
      case "text":
        return <Markdown text={block.text} growing={growing} />;
      case "reasoning":
        return <Reasoning text={block.text} growing={growing} />;
      case "tool":
        return <ToolCard block={block} />;
      case "provider":
        return block.state === "switched" ? (
          <Line icon={<ArrowRightLeft className="size-4" />}>
            {t("switched", { model: shortModel(block.model), why: told(block.why) })}
          </Line>
        ) : (
          <ProviderLine block={block} />
        );
      case "notice":
        return <NoticeLine title={told(block.title)} body={told(block.body)} />;
      case "error":
        return <ErrorCard error={block} turn={turn} />;
      case "approval":
        return <ApprovalCard asked={block} />;
      case "question":
        return <QuestionCard block={block} />;
      case "subagent":
        return <SubagentCard block={block} session={turn.session} />;
      case "compacted":
        return <CompactedLine block={block} turn={turn.id} onLook={onLook} />;
      case "recovered":
        return <RecoveredBanner from={block.from} />;
      case "steered":
        return (
          <div className="flex justify-end">
            <div className="selectable flex max-w-[80%] gap-2 rounded-xl rounded-tr-sm bg-bubble px-4 py-2 text-md">
              <CornerDownRight aria-label={t("steeredIn")} className="mt-1 size-4 shrink-0 text-faint" />
              <span className="whitespace-pre-wrap break-words">{block.text}</span>
            </div>
          </div>
        );
    }
  },
  (before, after) =>
    before.block === after.block && before.growing === after.growing && before.turn.user?.id === after.turn.user?.id,
);

/** A quiet remark between the pieces. */
function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="selectable flex items-start gap-2 text-sm text-muted">
      <span aria-hidden className="mt-0.5 text-faint">
        {icon}
      </span>
      <span>{children}</span>
    </p>
  );
}

/** What follows its title in one line, or below it where it is a list. */
function NoticeLine({ title, body }: { title: string; body: string }) {
  const list = body.includes("\n");
  return (
    <div>
      <Line icon={<Bell className="size-4" />}>
        <strong className="font-medium text-ink">{title}</strong> {!list && body}
      </Line>
      {list && <Markdown text={body} className="mt-1 pl-6 text-sm text-muted" />}
    </div>
  );
}

interface CompactedLineProps {
  block: Extract<Block, { kind: "compacted" }>;
  turn: string | null;
  onLook: (look: Look) => void;
}

/** Where early messages left the model's view. They are kept, and open beside the conversation. */
function CompactedLine({ block, turn, onLook }: CompactedLineProps) {
  const { t } = useTranslation("chat");
  const { from, to } = block;
  return (
    <div className="flex items-center gap-3 text-sm text-muted">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <FoldVertical aria-hidden className="size-4 shrink-0 text-faint" />
      <p className="selectable text-center">{t("compacted", { from: count(from), to: count(to) })}</p>
      <Button size="sm" kind="quiet" onClick={() => onLook({ kind: "compaction", turn, from, to })}>
        {t("showOriginals")}
      </Button>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}

const sources = ["crash", "compaction", "continue"] as const;

/** The thread was lost for a moment and has been found again. */
function RecoveredBanner({ from }: { from: string }) {
  const { t } = useTranslation("chat");
  const source = sources.find((known) => known === from) ?? "continue";
  return (
    <div role="status" className="flex items-start gap-3 rounded-lg bg-good-soft px-4 py-2.5">
      <History aria-hidden className="mt-0.5 size-5 shrink-0 text-good" />
      <div className="selectable min-w-0">
        <p className="font-medium">{t(`recoveredFrom.${source}`)}</p>
        <p className="text-sm text-muted">{t("recoveredBody")}</p>
      </div>
    </div>
  );
}

/** The model's thinking: folded, with its latest words in view while it thinks. */
function Reasoning({ text, growing }: { text: string; growing: boolean }) {
  const { t } = useTranslation("chat");
  if (!text.trim()) return null;
  const latest = text.trim().slice(-160);
  return (
    <Collapsible.Root className="text-sm text-muted">
      <Collapsible.Trigger className="group flex max-w-full items-center gap-1.5 rounded-sm hover:text-ink">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform duration-100 group-data-[panel-open]:rotate-90"
        />
        <span className="shrink-0">{t(growing ? "thinking" : "thought")}</span>
        {growing && (
          <span className="truncate text-faint [direction:rtl] group-data-[panel-open]:hidden">&lrm;{latest}</span>
        )}
      </Collapsible.Trigger>
      <Collapsible.Panel className="selectable mt-2 ml-2 border-l-2 border-line pl-4 whitespace-pre-wrap">
        {text.trim()}
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}
