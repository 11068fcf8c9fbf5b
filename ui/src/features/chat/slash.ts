// Completion of `/` commands: which fit what was typed, by name or Chinese alias; after `/skill` its skills.

import type { CommandRow } from "@/bindings/CommandRow";
import type { SkillRow } from "@/bindings/SkillRow";

/** What can be chosen; a command's words for it stand in the interface, a skill's own come along. */
export interface Choice extends CommandRow {
  about?: string;
}

const mostSkills = 40;

/** Skills for what was typed after `/skill`; each completes to the whole line. */
export function skillsFitting(text: string, skills: readonly SkillRow[]): Choice[] {
  const typed = /^[/／](?:skill|技能)[ \u3000]+(\S*)$/iu.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return skills
    .filter(({ eligible, enabled, user_invocable }) => eligible && enabled && user_invocable)
    .filter(({ name }) => name.toLowerCase().startsWith(typed) && name.toLowerCase() !== typed)
    .slice(0, mostSkills)
    .map(({ name, description }) => ({
      name: `skill ${name}`,
      aliases: [`技能 ${name}`],
      argument: " ",
      about: description,
    }));
}

/** Commands that fit, or none when the text is no longer the start of a command. */
export function fitting(text: string, commands: readonly CommandRow[]): CommandRow[] {
  const typed = /^[/／](\S*)$/u.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const names = ({ name, aliases }: CommandRow) => [name, ...aliases];
  const found = commands.filter((command) => names(command).some((name) => name.toLowerCase().startsWith(typed)));
  // A command that is written out needs no more help.
  return found.some((command) => names(command).includes(typed)) && found.length === 1 ? [] : found;
}

/** The text once a command is chosen; in Chinese, its Chinese name where it has one. */
export function completed({ name, aliases, argument }: CommandRow, language: string): string {
  const word = (language.startsWith("zh") && aliases[0]) || name;
  return argument ? `/${word} ` : `/${word}`;
}

/** Whether a text is this command. */
export function isCommand(text: string, name: string, commands: readonly CommandRow[]): boolean {
  const typed = /^[/／](\S+)\s*$/u.exec(text)?.[1];
  const row = commands.find((command) => command.name === name);
  return typed !== undefined && row !== undefined && [row.name, ...row.aliases].includes(typed);
}
