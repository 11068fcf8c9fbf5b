// The chat page: conversations on the left, the open one beside them. Its path is `/chat/KEY`;
// without a key the one that was open last. `/chat/KEY/MESSAGE` opens it at that message.

import { useEffect } from "react";
import { readLast, writeLast } from "@/shared/drafts";
import { isKeys } from "@/shared/keys";
import { useParts } from "@/shared/route";
import { Conversation } from "./Conversation";
import { SessionList } from "./SessionList";
import { createSession, mainSession } from "./sessions";

export function ChatPage() {
  const [, named, place] = useParts();
  const session = named ?? readLast() ?? mainSession;
  useEffect(() => writeLast(session), [session]);
  useNewSessionKey();
  return (
    <>
      <SessionList current={session} />
      <Conversation key={session} session={session} place={place} />
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
