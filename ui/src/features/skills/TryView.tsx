// A message to try the skills on: which would be loaded, how near each is, and why. Nothing runs.

import { FlaskConical } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/shared/components/Button";
import { Empty, Failure, Skeleton } from "@/shared/components/State";
import { useGrowth } from "@/shared/useGrowth";
import { useSettled } from "@/shared/useSettled";
import { useMatch } from "./data";
import { Ranking } from "./Ranking";

export function TryView() {
  const { t } = useTranslation("skills");
  const [text, setText] = useState("");
  const asked = useSettled(text);
  const match = useMatch(asked);
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowth(field, text);
  useEffect(() => field.current?.focus(), []);
  const examples = [t("example.notes"), t("example.mail"), t("example.talk")];
  return (
    <section aria-label={t("views.try")} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="mx-auto flex w-full max-w-[760px] flex-1 flex-col gap-5 px-6 py-6">
        <label className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{t("tryLabel")}</span>
          <textarea
            ref={field}
            rows={2}
            value={text}
            placeholder={t("tryPlaceholder")}
            onChange={({ target }) => setText(target.value)}
            className="field max-h-48 min-h-[62px] w-full resize-none rounded-md border border-line-strong bg-raised px-3 py-2 text-md"
          />
        </label>
        {!asked.trim() && (
          <Empty
            icon={<FlaskConical className="size-8" strokeWidth={1.5} />}
            title={t("tryTitle")}
            body={t("tryBody")}
            action={
              <div className="flex flex-wrap justify-center gap-2">
                {examples.map((example) => (
                  <Button key={example} size="sm" onClick={() => setText(example)}>
                    {example}
                  </Button>
                ))}
              </div>
            }
          />
        )}
        {asked.trim() && match.isPending && <Skeleton lines={5} />}
        {asked.trim() && match.error && <Failure error={match.error} onRetry={() => void match.refetch()} />}
        {asked.trim() && match.data && <Ranking decision={match.data} />}
      </div>
    </section>
  );
}
