// A provider to add or change: what it speaks, where it is, its key, its models, and a test that says what is wrong.
//
// The key is only ever written: it is not read back, and it leaves this component when it was saved.

import { CircleAlert, CircleCheck, Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ModelEdit } from "@/bindings/ModelEdit";
import type { ProviderEdit } from "@/bindings/ProviderEdit";
import type { ProviderKind } from "@/bindings/ProviderKind";
import type { ProviderRow } from "@/bindings/ProviderRow";
import type { ProviderTest } from "@/bindings/ProviderTest";
import { call } from "@/bridge";
import { Button, IconButton } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field, SecretField, Select, TextInput } from "../components/Field";
import { SaveActions, type Saving } from "../components/SaveActions";
import { Failure } from "../components/State";
import { Said } from "../i18n/said";
import { keys, queries } from "../queries";
import { useSettings } from "../settings";
import { useWork } from "../useWork";

const kinds: readonly ProviderKind[] = ["openai", "anthropic", "gemini", "openai-responses", "ollama"];

const idOf: Partial<Record<ProviderKind, string>> = { "openai-responses": "openai" };

interface ProviderDialogProps {
  /** The one to change; none: a new one. */
  provider?: ProviderRow;
  onClose: () => void;
  /** Told once it was saved, each time. */
  onSaved?: (provider: ProviderEdit) => void;
}

export function ProviderDialog({ provider, onClose, onSaved }: ProviderDialogProps) {
  const { t } = useTranslation("models");
  const form = useProviderForm(provider, onSaved);
  const { edit, change, problem, work, result } = form;
  const actions = (
    <SaveActions
      work={work}
      disabled={Boolean(problem)}
      saveAndTest={t("saveAndTest")}
      save={t("saveProvider")}
      onTest={() => void form.test()}
      onSave={() => void form.save().then((done) => done && onClose())}
    />
  );
  return (
    <Dialog open onClose={onClose} title={provider ? t("editProvider") : t("addProvider")} actions={actions}>
      <div className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-4">
          <Field label={t("kind")}>
            <Select
              label={t("kind")}
              value={edit.kind}
              choices={kinds.map((kind) => ({ value: kind, label: t(`kindName.${kind}` as "kindName.openai") }))}
              onChange={form.setKind}
            />
          </Field>
          <Field label={t("name")} error={edit.id ? problem : null}>
            <TextInput
              value={edit.id}
              disabled={Boolean(provider)}
              spellCheck={false}
              onChange={({ target }) => change({ id: target.value })}
            />
          </Field>
        </div>
        <Field label={t("address")} help={t("addressHelp")}>
          <TextInput
            value={edit.base_url}
            placeholder="https://"
            spellCheck={false}
            onChange={({ target }) => change({ base_url: target.value })}
          />
        </Field>
        <KeyField stored={Boolean(provider?.has_key)} value={form.key} onChange={form.setKey} />
        <Models models={edit.models} onChange={(models) => change({ models })} />
        {work.error !== null && <Failure error={work.error} />}
        {result && <Result result={result} models={edit.models} onAdd={form.addModel} />}
      </div>
    </Dialog>
  );
}

const noEdit: ProviderEdit = { id: "openai", kind: "openai", base_url: "", models: [] };

function useProviderForm(provider: ProviderRow | undefined, onSaved: ProviderDialogProps["onSaved"]) {
  const { t } = useTranslation("models");
  const taken = useSettings().data?.providers.map(({ id }) => id) ?? [];
  const [edit, setEdit] = useState<ProviderEdit>(() =>
    provider
      ? { id: provider.id, kind: provider.kind, base_url: provider.base_url, models: provider.models }
      : { ...noEdit, id: free("openai", taken) },
  );
  const [key, setKey] = useState("");
  const [saved, setSaved] = useState(Boolean(provider));
  const [result, setResult] = useState<ProviderTest | null>(null);
  const work = useWork<Saving>();
  const change = (part: Partial<ProviderEdit>) => setEdit((old) => ({ ...old, ...part }));
  const problem = !/^[A-Za-z0-9._-]+$/.test(edit.id)
    ? t("nameWrong")
    : edit.id === "local" || (!saved && taken.includes(edit.id))
      ? t("nameTaken")
      : null;
  const store = async () => {
    setResult(null);
    const models = edit.models.map((model) => ({ ...model, id: model.id.trim() })).filter(({ id }) => id !== "");
    const clean = { ...edit, base_url: edit.base_url.trim(), models };
    await call("providers_save", { provider: clean, key: key.trim() || null });
    setKey("");
    setSaved(true);
    const old = [keys.settings, keys.models, ["servers"]];
    await Promise.all(old.map((queryKey) => queries.invalidateQueries({ queryKey })));
    onSaved?.(clean);
  };
  return {
    ...{ edit, change, key, setKey, problem, work, result },
    setKind: (kind: ProviderKind) => {
      const untouched = !saved && kinds.some((known) => edit.id.replace(/-\d+$/, "") === (idOf[known] ?? known));
      change(untouched ? { kind, id: free(idOf[kind] ?? kind, taken) } : { kind });
    },
    save: () => work.run("save", store),
    test: () =>
      work.run("test", async () => {
        await store();
        setResult(await call("providers_test", { id: edit.id }));
      }),
    addModel: (id: string) => change({ models: [...edit.models, { id, window: 0, input_usd: 0, output_usd: 0 }] }),
  };
}

/** A name that no provider has yet. */
function free(name: string, taken: readonly string[]): string {
  let id = name;
  for (let at = 2; taken.includes(id); at += 1) id = `${name}-${at}`;
  return id;
}

function KeyField({ stored, value, onChange }: { stored: boolean; value: string; onChange: (key: string) => void }) {
  const { t } = useTranslation("models");
  const secrets = useSettings().data?.secrets ?? "keyring";
  const where = secrets === "locked" || secrets === "passphrase" ? secrets : "keyring";
  return (
    <SecretField
      label={t("key")}
      help={t(`keyKept.${where}`)}
      value={value}
      placeholder={stored ? t("keyStored") : ""}
      onChange={onChange}
    />
  );
}

function Models({ models, onChange }: { models: readonly ModelEdit[]; onChange: (models: ModelEdit[]) => void }) {
  const { t } = useTranslation("models");
  const set = (at: number, part: Partial<ModelEdit>) =>
    onChange(models.map((model, place) => (place === at ? { ...model, ...part } : model)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1.5 text-sm font-medium">{t("models")}</legend>
      {models.length > 0 && (
        <div aria-hidden className="grid grid-cols-[1fr_88px_72px_72px_28px] gap-2 text-xs text-muted">
          <span>{t("modelName")}</span>
          <span>{t("window")}</span>
          <span>{t("inputPrice")}</span>
          <span>{t("outputPrice")}</span>
        </div>
      )}
      {models.map((model, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a model has only its place while its name is typed; fewer rows are new rows
        <div key={`${models.length} ${at}`} className="grid grid-cols-[1fr_88px_72px_72px_28px] items-center gap-2">
          <TextInput
            aria-label={t("modelName")}
            value={model.id}
            spellCheck={false}
            onChange={({ target }) => set(at, { id: target.value })}
          />
          <Amount
            label={t("window")}
            value={model.window}
            onChange={(window) => set(at, { window: Math.round(window) })}
          />
          <Amount label={t("inputPrice")} value={model.input_usd} onChange={(input_usd) => set(at, { input_usd })} />
          <Amount
            label={t("outputPrice")}
            value={model.output_usd}
            onChange={(output_usd) => set(at, { output_usd })}
          />
          <IconButton
            label={t("removeModel", { model: model.id })}
            size="sm"
            icon={<X className="size-4" />}
            onClick={() => onChange(models.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        size="sm"
        className="self-start"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onChange([...models, { id: "", window: 0, input_usd: 0, output_usd: 0 }])}
      >
        {t("addModel")}
      </Button>
      <p className="text-sm text-muted">{t("modelsHelp")}</p>
    </fieldset>
  );
}

interface AmountProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

/** A number from 0; empty is 0, which stands for "not known". */
function Amount({ label, value, onChange }: AmountProps) {
  const [text, setText] = useState(value ? String(value) : "");
  return (
    <TextInput
      aria-label={label}
      inputMode="decimal"
      className="px-2 tabular-nums"
      value={text}
      placeholder="–"
      onChange={({ target }) => {
        const typed = target.value.replace(",", ".");
        if (!/^\d*\.?\d*$/.test(typed)) return;
        setText(typed);
        onChange(Number(typed) || 0);
      }}
    />
  );
}

interface ResultProps {
  result: ProviderTest;
  models: readonly ModelEdit[];
  onAdd: (id: string) => void;
}

function Result({ result, models, onAdd }: ResultProps) {
  const { t } = useTranslation("models");
  const others = result.models.filter((id) => !models.some((model) => model.id === id));
  return (
    <div role="status" className={result.ok ? "rounded-lg bg-good-soft p-4" : "rounded-lg bg-bad-soft p-4"}>
      <p className="flex items-start gap-2 font-medium">
        {result.ok ? (
          <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
        ) : (
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
        )}
        <span className="selectable min-w-0 break-words">
          <Said text={result.message} />
        </span>
      </p>
      {result.hint && (
        <p className="selectable mt-0.5 pl-6 text-muted">
          <Said text={result.hint} />
        </p>
      )}
      {others.length > 0 && (
        <div className="mt-3 flex max-h-32 flex-wrap gap-1.5 overflow-y-auto pl-6">
          {others.map((id) => (
            <Button
              key={id}
              size="sm"
              icon={<Plus aria-hidden className="size-3.5" />}
              aria-label={t("addNamed", { model: id })}
              onClick={() => onAdd(id)}
            >
              {id}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
