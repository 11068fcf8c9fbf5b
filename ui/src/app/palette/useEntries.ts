// Everything the palette leads to: pages and settings, actions, conversations, files, memories, skills.

import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "@/bridge";
import { createSession, titleOf } from "@/features/chat/sessions";
import { sections } from "@/features/settings/sections";
import { unmarked } from "@/shared/markdown/unmarked";
import { keys } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";
import { setSetting } from "@/shared/settings";
import { showTourAt } from "@/shared/tour";
import { pages } from "../pages";
import type { Entry } from "./ranking";

/** `onShortcuts` opens the list of keys. */
export function useEntries(onShortcuts: () => void): Entry[] {
  const { t } = useTranslation(["common", "settings"]);
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
  return [
    ...pages.map(({ id }, at): Entry => ({ kind: "page", id, label: t(id), keys: `Mod+${at + 1}`, run: to(id) })),
    ...sections.map(
      (id): Entry => ({
        kind: "page",
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
