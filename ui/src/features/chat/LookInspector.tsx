// The inspector beside a conversation: what a call was given, which memories and skills a turn used.

import { useTranslation } from "react-i18next";
import { Inspector } from "@/shared/components/Inspector";
import { pathOf } from "@/shared/route";
import { SkillSteps } from "@/shared/skills/SkillSteps";
import { CompactionView } from "./CompactionView";
import { ContextView } from "./ContextView";
import type { Look } from "./look";
import { MemoriesView } from "./MemoriesView";

interface LookInspectorProps {
  session: string;
  look: Look;
  onLook: (look: Look | null) => void;
}

export function LookInspector({ session, look, onLook }: LookInspectorProps) {
  const { t } = useTranslation("chat");
  const titles = {
    call: t(look.kind === "call" && look.turn ? "sawTitle" : "seesNext"),
    compaction: t("originals"),
    memories: t("memoriesTitle"),
    skills: t("skillsTitle"),
  };
  return (
    <Inspector title={titles[look.kind]} onClose={() => onLook(null)}>
      {look.kind === "call" && (
        <ContextView session={session} look={look} onStep={(step) => onLook({ ...look, step })} />
      )}
      {look.kind === "compaction" && <CompactionView session={session} look={look} />}
      {look.kind === "memories" && <MemoriesView memories={look.memories} />}
      {look.kind === "skills" && (
        <>
          <SkillSteps steps={look.skills} className="px-4 pt-3" />
          {look.turn && (
            <a
              href={`#${pathOf("skills", "turns", session, look.turn)}`}
              className="block px-4 pb-4 text-ember-ink hover:underline"
            >
              {t("skillsOpen")}
            </a>
          )}
        </>
      )}
    </Inspector>
  );
}
