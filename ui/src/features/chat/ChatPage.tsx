// The chat page: conversations on the left, the open one beside them. Its path is `/chat/KEY`.

import { useEffect } from "react";
import { isKeys } from "@/shared/keys";
import { useParts } from "@/shared/route";
import { Conversation } from "./Conversation";
import { SessionList } from "./SessionList";
import { createSession, mainSession } from "./sessions";

export function ChatPage() {
  const [, session = mainSession] = useParts();
  useNewSessionKey();
  return (
    <>
      <SessionList current={session} />
      <Conversation key={session} session={session} />
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
