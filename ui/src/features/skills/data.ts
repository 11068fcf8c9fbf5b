// What the Skills page asks of the engine, and every change it makes.

import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import type { SkillInstall } from "@/bindings/SkillInstall";
import type { SkillRow } from "@/bindings/SkillRow";
import { call } from "@/bridge";
import { say, sayProblem } from "@/shared/components/Toasts";
import { keys, queries } from "@/shared/queries";
import { go, pathOf } from "@/shared/route";

const under = (...parts: unknown[]) => [...keys.skills, ...parts];
const refresh = () => queries.invalidateQueries({ queryKey: keys.skills });

/** All skills. Their files may have changed since the page was last open. */
export const useSkills = () =>
  useQuery({ queryKey: under("list"), queryFn: () => call("skills_list"), staleTime: 5_000 });

export const useSkill = (name: string) =>
  useQuery({ queryKey: under("show", name), queryFn: () => call("skills_show", { name }), staleTime: 5_000 });

export const useMatch = (text: string) =>
  useQuery({
    queryKey: under("match", text),
    queryFn: () => call("skills_match", { text }),
    enabled: text.trim() !== "",
    placeholderData: (before) => before,
    gcTime: 0,
  });

export const useActivity = (session: string, turn: string) =>
  useQuery({
    queryKey: under("activity", session, turn),
    queryFn: () => call("skills_activity", { session, turn }),
    enabled: turn !== "",
  });

export async function turn(row: SkillRow, enabled: boolean): Promise<void> {
  try {
    await call("skills_change", { change: { name: row.name, enabled } });
    await refresh();
  } catch (error) {
    sayProblem(error);
  }
}

/** Skills that were removed and can be brought back. */
export const useRemoved = () =>
  useQuery({ queryKey: under("removed"), queryFn: () => call("skills_removed"), staleTime: 0 });

export async function restore(name: string): Promise<void> {
  try {
    await call("skills_restore", { name });
    await refresh();
    say(i18next.t("skills:restored", { name }));
    go(pathOf("skills", "list", name));
  } catch (error) {
    sayProblem(error);
  }
}

export async function remove(name: string): Promise<boolean> {
  try {
    await call("skills_remove", { name });
    await refresh();
    const back = { label: i18next.t("skills:restore"), run: () => void restore(name) };
    say(i18next.t("skills:removed", { name }), back);
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

/** Installs exactly what was shown; `name`: as an update of this skill. */
export async function install({ path, hash }: SkillInstall, name?: string): Promise<SkillRow[]> {
  const rows = await (name === undefined
    ? call("skills_install", { path, hash })
    : call("skills_update", { name, hash }));
  await refresh();
  return rows;
}

const sources = ["workspace", "workspace_agents", "personal", "home", "bundled", "extra"] as const;

/** Rows that fit, those that are ready first, then by name. */
export function fitting(rows: readonly SkillRow[], text: string, which: "all" | "ready" | "rest"): SkillRow[] {
  const wanted = text.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const ready = ({ eligible, enabled }: SkillRow) => eligible && enabled;
  return rows
    .filter((row) => which === "all" || ready(row) === (which === "ready"))
    .filter(({ name, description, triggers }) => {
      const said = `${name} ${description} ${triggers.join(" ")}`.toLocaleLowerCase();
      return wanted.every((word) => said.includes(word));
    })
    .toSorted(
      (a, b) =>
        Number(ready(b)) - Number(ready(a)) ||
        sources.indexOf(a.source) - sources.indexOf(b.source) ||
        a.name.localeCompare(b.name),
    );
}
