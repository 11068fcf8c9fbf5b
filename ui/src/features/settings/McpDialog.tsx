// An MCP server to add or change, and a test that says what is wrong.
//
// Secrets are only ever written: they are not read back, and they leave this component when they were saved.

import { CircleAlert, CircleCheck, Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { McpEdit } from "@/bindings/McpEdit";
import type { McpRow } from "@/bindings/McpRow";
import { Button, IconButton } from "@/shared/components/Button";
import { Dialog } from "@/shared/components/Dialog";
import { Field, SecretField, Segmented, Switch, TextInput } from "@/shared/components/Field";
import { SaveActions, type Saving } from "@/shared/components/SaveActions";
import { Failure } from "@/shared/components/State";
import { useSaid } from "@/shared/i18n/said";
import { useWork } from "@/shared/useWork";
import { pastedServer } from "./commandLine";
import { testServer } from "./mcp";
import { type Draft, draftOf, faultsOf, looksSecret, store, type Variable, withPasted } from "./mcpForm";

interface McpDialogProps {
  /** The one to change; none: a new one. */
  server?: McpEdit;
  /** Names that there are. */
  taken: readonly string[];
  onClose: () => void;
}

export function McpDialog({ server, taken, onClose }: McpDialogProps) {
  const { t } = useTranslation("mcp");
  const form = useForm(server, taken);
  const { draft, change, faults, work, result } = form;
  const actions = (
    <SaveActions
      work={work}
      disabled={!faults.ready}
      saveAndTest={t("saveAndTest")}
      save={t("save")}
      onTest={() => void form.saveAndTest()}
      onSave={() => void form.save().then((done) => done && onClose())}
    />
  );
  const title = server ? t("editTitle", { name: server.id }) : t("addTitle");
  return (
    <Dialog open onClose={onClose} title={title} actions={actions}>
      <div className="flex flex-col gap-4">
        <div>
          <Segmented
            label={t("way")}
            value={draft.way}
            choices={(["command", "url"] as const).map((value) => ({ value, label: t(`ways.${value}`) }))}
            onChange={(way) => change({ way })}
          />
        </div>
        {draft.way === "command" ? (
          <CommandField draft={draft} fault={faults.command && t(faults.command)} onChange={form.setDraft} />
        ) : (
          <AddressFields draft={draft} fault={faults.address && t(faults.address)} change={change} />
        )}
        <div className="grid grid-cols-2 gap-4">
          <Field label={t("name")} help={t("nameHelp")} error={faults.name && t(faults.name)}>
            <TextInput
              value={draft.id}
              disabled={form.saved}
              spellCheck={false}
              onChange={({ target }) => change({ id: target.value })}
            />
          </Field>
          <Field label={t("timeout")}>
            <TextInput
              value={draft.timeout}
              inputMode="numeric"
              onChange={({ target }) => /^\d{0,3}$/.test(target.value) && change({ timeout: target.value })}
            />
          </Field>
        </div>
        {draft.way === "command" && <Environment env={draft.env} onChange={(env) => change({ env })} />}
        {work.error !== null && <Failure error={work.error} />}
        {result && <Result row={result} />}
      </div>
    </Dialog>
  );
}

function useForm(server: McpEdit | undefined, taken: readonly string[]) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(server));
  const [saved, setSaved] = useState(Boolean(server));
  const [result, setResult] = useState<McpRow | null>(null);
  const work = useWork<Saving>();
  const keep = async () => {
    setResult(null);
    const row = await store(draft);
    setSaved(true);
    // From here on the secrets are where they belong.
    setDraft(draftOf(row.server));
  };
  return {
    ...{ draft, setDraft, saved, work, result },
    faults: faultsOf(draft, saved ? [] : taken),
    change: (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part })),
    save: () => work.run("save", keep),
    saveAndTest: () =>
      work.run("test", async () => {
        await keep();
        setResult(await testServer(draft.id));
      }),
  };
}

interface CommandFieldProps {
  draft: Draft;
  fault: string | null;
  onChange: (draft: Draft) => void;
}

function CommandField({ draft, fault, onChange }: CommandFieldProps) {
  const { t } = useTranslation("mcp");
  const [pasted, setPasted] = useState(false);
  return (
    <Field label={t("command")} help={t(pasted ? "pasted" : "commandHelp")} error={fault}>
      <TextInput
        className="font-mono text-[13px]"
        value={draft.line}
        placeholder="npx -y @scope/server"
        spellCheck={false}
        onPaste={(event) => {
          const found = pastedServer(event.clipboardData.getData("text"));
          if (!found) return;
          event.preventDefault();
          setPasted(true);
          onChange(withPasted(draft, found));
        }}
        onChange={({ target }) => onChange({ ...draft, line: target.value })}
      />
    </Field>
  );
}

interface AddressFieldsProps {
  draft: Draft;
  fault: string | null;
  change: (part: Partial<Draft>) => void;
}

function AddressFields({ draft, fault, change }: AddressFieldsProps) {
  const { t } = useTranslation("mcp");
  return (
    <>
      <Field label={t("address")} help={t("addressHelp")} error={fault}>
        <TextInput
          value={draft.url}
          placeholder="https://"
          spellCheck={false}
          onChange={({ target }) => change({ url: target.value })}
        />
      </Field>
      <SecretField label={t("key")} help={t("keyHelp")} value={draft.key} onChange={(key) => change({ key })} />
    </>
  );
}

function Environment({ env, onChange }: { env: readonly Variable[]; onChange: (env: Variable[]) => void }) {
  const { t } = useTranslation("mcp");
  const set = (at: number, part: Partial<Variable>) =>
    onChange(env.map((variable, place) => (place === at ? { ...variable, ...part } : variable)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">{t("env")}</legend>
      {env.map(({ name, value, secret, stored }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a variable has only its place while its name is typed; fewer rows are new rows
        <div key={`${env.length} ${at}`} className="flex items-center gap-2">
          <TextInput
            aria-label={t("envName")}
            placeholder={t("envName")}
            className="font-mono text-[13px]"
            value={name}
            spellCheck={false}
            onChange={({ target }) =>
              set(at, { name: target.value, secret: secret || (value === "" && looksSecret(target.value)) })
            }
          />
          <TextInput
            aria-label={name ? `${t("envValue")}: ${name}` : t("envValue")}
            placeholder={t(stored ? "envStored" : "envValue")}
            className="font-mono text-[13px]"
            type={secret ? "password" : "text"}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          <span className="flex shrink-0 items-center gap-2 text-sm text-muted">
            <Switch
              label={name ? `${t("envSecret")}: ${name}` : t("envSecret")}
              checked={secret}
              onChange={(on) => set(at, { secret: on })}
            />
            <span aria-hidden>{t("envSecret")}</span>
          </span>
          <IconButton
            label={t("removeEnv", { name })}
            size="sm"
            icon={<X className="size-4" />}
            onClick={() => onChange(env.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        size="sm"
        className="self-start"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onChange([...env, { name: "", value: "", secret: false, stored: null }])}
      >
        {t("addEnv")}
      </Button>
      <p className="text-sm text-muted">{t("envHelp")}</p>
    </fieldset>
  );
}

function Result({ row: { state, problem, tools } }: { row: McpRow }) {
  const { t } = useTranslation("mcp");
  const told = useSaid();
  const ok = state === "running";
  const Icon = ok ? CircleCheck : CircleAlert;
  return (
    <div role="status" className={ok ? "rounded-lg bg-good-soft p-4" : "rounded-lg bg-bad-soft p-4"}>
      <p className="flex items-start gap-2 font-medium">
        <Icon aria-hidden className={ok ? "mt-0.5 size-4 shrink-0 text-good" : "mt-0.5 size-4 shrink-0 text-bad"} />
        <span className="selectable min-w-0 break-words">
          {ok ? t("works", { count: tools.length }) : problem ? told(problem) : t(`state.${state}`)}
        </span>
      </p>
      {ok && tools.length > 0 && (
        <p className="selectable mt-1 pl-6 text-sm text-muted break-words">
          {tools.map(({ name }) => name).join(", ")}
        </p>
      )}
    </div>
  );
}
