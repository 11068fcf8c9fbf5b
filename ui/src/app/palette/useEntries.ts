// Everything the palette leads to: pages and settings, actions, conversations, files, memories, skills.

import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { views as activityViews } from "@/features/activity/views";
import { createSession, titleOf } from "@/features/chat/sessions";
import { views as heartbeatViews } from "@/features/heartbeat/views";
import { views as memoryViews } from "@/features/memory/views";
import { sections } from "@/features/settings/sections";
import { say, sayProblem } from "@/shared/components/Toasts";
import { unmarked } from "@/shared/markdown/unmarked";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import { showTourAt } from "@/shared/tour";
import { pages } from "../pages";
import type { Entry } from "./ranking";

/** Lets the heartbeat rest for an hour, which can be taken back. */
async function pauseHour(said: string, undo: string): Promise<void> {
  const until = (at: number | null) => call("heartbeat_pause", { until: at });
  const refresh = () => queries.invalidateQueries({ queryKey: keys.heartbeat });
  try {
    await until(Math.floor(Date.now() / 1000) + 3600);
    await refresh();
    say(said, { label: undo, run: () => void until(null).then(refresh).catch(sayProblem) });
  } catch (error) {
    sayProblem(error);
  }
}

/** `onShortcuts` opens the list of keys. */
export function useEntries(onShortcuts: () => void): Entry[] {
  const { t } = useTranslation(["common", "settings", "memory", "heartbeat", "activity"]);
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => call("sessions_list") }).data ?? [];
  const files = useQuery({ queryKey: keys.files, queryFn: () => call("files_list") }).data ?? [];
  const memories = useQuery({ queryKey: [...keys.memory, "entries"], queryFn: () => call("entries_list") }).data ?? [];
  const skills = useQuery({ queryKey: [...keys.skills, "list"], queryFn: () => call("skills_list") }).data ?? [];
  const to =
    (...parts: string[]) =>
    () =>
      go(pathOf(...parts));
  const theme = (name: "system" | "light" | "dark"): Entry => ({
    kind: "action",
    id: `theme-${name}`,
    label: t("palette.theme", { theme: t(`settings:themes.${name}`) }),
    run: () => void setSetting("ui.theme", name),
  });
  const part = (page: "memory" | "heartbeat" | "activity", id: string, name: string): Entry => ({
    kind: "part",
    id: `${page}/${id}`,
    label: `${t(page)}: ${name}`,
    run: to(page, id),
  });
  return [
    ...pages.map(({ id }, at): Entry => ({ kind: "page", id, label: t(id), keys: `Mod+${at + 1}`, run: to(id) })),
    ...memoryViews.map((id) => part("memory", id, t(`memory:views.${id}`))),
    ...heartbeatViews.map((id) => part("heartbeat", id, t(`heartbeat:views.${id}`))),
    ...activityViews.map((id) => part("activity", id, t(`activity:views.${id}`))),
    ...sections.map(
      (id): Entry => ({
        kind: "part",
        id: `settings/${id}`,
        label: `${t("settings")}: ${t(`settings:section.${id}`)}`,
        run: to("settings", id),
      }),
    ),
    {
      kind: "action",
      id: "new",
      label: t("palette.newSession"),
      keys: "Mod+N",
      run: () => void createSession(),
    },
    {
      kind: "action",
      id: "heartbeat-pause",
      label: t("palette.pauseHour"),
      run: () => void pauseHour(t("palette.paused"), t("undo")),
    },
    { kind: "action", id: "keys", label: t("palette.shortcuts"), keys: "Mod+/", run: onShortcuts },
    { kind: "action", id: "tour", label: t("palette.tour"), run: () => showTourAt(0) },
    theme("light"),
    theme("dark"),
    theme("system"),
    { kind: "action", id: "en", label: "English", run: () => void setSetting("ui.language", "en") },
    { kind: "action", id: "zh-CN", label: "简体中文", run: () => void setSetting("ui.language", "zh-CN") },
    ...sessions
      .toSorted((a, b) => b.updated_at - a.updated_at)
      .map((info): Entry => ({ kind: "session", id: info.key, label: titleOf(info), run: to("chat", info.key) })),
    ...files
      .filter(({ exists, persona }) => exists || persona)
      .map(({ path }): Entry => ({ kind: "file", id: path, label: path, run: to("persona", path) })),
    ...memories
      .filter(({ status }) => status === "active")
      .map(
        ({ id, title, text }): Entry => ({
          kind: "memory",
          id,
          label: unmarked(title) || unmarked(text),
          detail: title ? unmarked(text) : "",
          run: to("memory", "entries", id),
        }),
      ),
    ...skills.map(
      ({ name, description }): Entry => ({
        kind: "skill",
        id: name,
        label: name,
        detail: description,
        run: to("skills", "list", name),
      }),
    ),
  ];
}
