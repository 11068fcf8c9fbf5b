// The pages of the main window, in the order of the rail. A page that does not exist is not here.

import { Feather, MessageCircle, Settings } from "lucide-react";
import { type ComponentType, lazy, type ReactNode } from "react";
import { ChatPage } from "@/features/chat/ChatPage";

export interface PageEntry {
  /** First part of its path, and the key of its name in `common`. */
  id: "chat" | "persona" | "settings";
  icon: ReactNode;
  Content: ComponentType;
}

const PersonaPage = lazy(() =>
  import("@/features/persona/PersonaPage").then((page) => ({ default: page.PersonaPage })),
);
const SettingsPage = lazy(() =>
  import("@/features/settings/SettingsPage").then((page) => ({ default: page.SettingsPage })),
);

const icon = "size-5";

export const pages: readonly PageEntry[] = [
  { id: "chat", icon: <MessageCircle className={icon} />, Content: ChatPage },
  { id: "persona", icon: <Feather className={icon} />, Content: PersonaPage },
  { id: "settings", icon: <Settings className={icon} />, Content: SettingsPage },
];
