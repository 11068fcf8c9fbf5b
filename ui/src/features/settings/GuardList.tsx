// One list of the guard: its entries, each removable, and a field to add one.

import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/shared/components/Button";
import { Row } from "@/shared/components/Group";
import { setSetting } from "@/shared/settings";

export const lists = [
  "allowed_roots",
  "allow_commands",
  "allowed_domains",
  "blocked_paths",
  "allow_tools",
  "deny_tools",
] as const;

/** What an entry looks like. */
const examples: Record<(typeof lists)[number], string> = {
  allowed_roots: "~/Documents",
  allow_commands: "npm run build",
  allowed_domains: "*.example.org",
  blocked_paths: "~/.ssh",
  allow_tools: "web_fetch",
  deny_tools: "exec",
};

interface GuardListProps {
  name: (typeof lists)[number];
  entries: readonly string[];
}

export function GuardList({ name, entries }: GuardListProps) {
  const { t } = useTranslation("guard");
  const [text, setText] = useState("");
  const set = (next: string[]) => setSetting(`guard.${name}`, next);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const entry = text.trim();
    if (!entry || entries.includes(entry)) return setText("");
    if (await set([...entries, entry])) setText("");
  };
  const label = t(`list.${name}`);
  return (
    <Row label={label} help={t(`listHelp.${name}`)}>
      <div className="flex w-72 max-w-full flex-col gap-1.5">
        {entries.length === 0 && <p className="text-sm text-muted">{t("nothing")}</p>}
        {entries.length > 0 && (
          <ul aria-label={label} className="flex flex-col gap-1">
            {entries.map((entry) => (
              <li key={entry} className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-1 pl-3">
                <span className="selectable min-w-0 flex-1 font-mono text-[12.5px] break-words">{entry}</span>
                <IconButton
                  label={t("remove", { entry })}
                  size="sm"
                  icon={<X className="size-4" />}
                  onClick={() => void set(entries.filter((other) => other !== entry))}
                />
              </li>
            ))}
          </ul>
        )}
        <form className="flex gap-1.5" onSubmit={(event) => void add(event)}>
          <input
            aria-label={t("addTo", { list: label })}
            placeholder={examples[name]}
            value={text}
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
            className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-3 font-mono text-[12.5px]"
          />
          <Button type="submit" disabled={!text.trim()} icon={<Plus aria-hidden className="size-4" />}>
            {t("add")}
          </Button>
        </form>
      </div>
    </Row>
  );
}
