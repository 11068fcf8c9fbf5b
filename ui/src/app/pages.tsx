// The pages of the main window, in the order of the rail. A page that does not exist is not here.

import { Activity, Brain, Feather, HeartPulse, MessageCircle, Settings, Sparkles } from "lucide-react";
import { type ComponentType, lazy, type ReactNode } from "react";
import { ChatPage } from "@/features/chat/ChatPage";

export interface PageEntry {
  /** First part of its path, and the key of its name in `common`. */
  id: "chat" | "memory" | "persona" | "skills" | "heartbeat" | "activity" | "settings";
  icon: ReactNode;
  Content: ComponentType;
}

const memory = () => import("@/features/memory/MemoryPage").then((page) => ({ default: page.MemoryPage }));
const persona = () => import("@/features/persona/PersonaPage").then((page) => ({ default: page.PersonaPage }));
const skills = () => import("@/features/skills/SkillsPage").then((page) => ({ default: page.SkillsPage }));
const heartbeat = () => import("@/features/heartbeat/HeartbeatPage").then((page) => ({ default: page.HeartbeatPage }));
const activity = () => import("@/features/activity/ActivityPage").then((page) => ({ default: page.ActivityPage }));
const settings = () => import("@/features/settings/SettingsPage").then((page) => ({ default: page.SettingsPage }));

const icon = "size-5";

export const pages: readonly PageEntry[] = [
  { id: "chat", icon: <MessageCircle className={icon} />, Content: ChatPage },
  { id: "memory", icon: <Brain className={icon} />, Content: lazy(memory) },
  { id: "persona", icon: <Feather className={icon} />, Content: lazy(persona) },
  { id: "skills", icon: <Sparkles className={icon} />, Content: lazy(skills) },
  { id: "heartbeat", icon: <HeartPulse className={icon} />, Content: lazy(heartbeat) },
  { id: "activity", icon: <Activity className={icon} />, Content: lazy(activity) },
  { id: "settings", icon: <Settings className={icon} />, Content: lazy(settings) },
];

/** Fetches the other pages once the window has nothing else to do, so that the first visit to each is at once. */
export function fetchPagesWhenIdle(): void {
  // WebKit has no idle callback; then a moment after the first drawing.
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1500));
  const pending = [memory, persona, skills, heartbeat, activity, settings];
  const next = () =>
    void pending
      .shift()?.()
      .then(
        () => idle(next),
        () => undefined,
      );
  idle(next);
}
