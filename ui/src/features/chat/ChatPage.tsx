// The chat page: conversations on the left, the open one beside them. Its path is `/chat/KEY`.

import { MessageCircle } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "@/shared/components/State";
import { isKeys } from "@/shared/keys";
import { useParts } from "@/shared/route";
import { SessionList } from "./SessionList";
import { createSession, mainSession } from "./sessions";

export function ChatPage() {
  const { t } = useTranslation("chat");
  const [, session = mainSession] = useParts();
  useNewSessionKey();
  return (
    <>
      <SessionList current={session} />
      <main className="flex min-w-0 flex-1 flex-col bg-surface">
        <Empty icon={<MessageCircle className="size-8" />} title={t("untitled")} />
      </main>
    </>
  );
}

function useNewSessionKey() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isKeys(event, "Mod+N")) return;
      event.preventDefault();
      void createSession();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
