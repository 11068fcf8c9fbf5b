// Models, providers, settings and health of the in-memory shell.

import type { LocalModelRow } from "@/bindings/LocalModelRow";
import type { PullProgress } from "@/bindings/PullProgress";
import type { SettingsView } from "@/bindings/SettingsView";
import type { Args, CommandName, Result } from "../commands";
import { writeFile } from "./files";
import { type World, wireError } from "./world";

type Handlers = { [C in CommandName]?: (args: Args<C>) => Result<C> | Promise<Result<C>> };

export function systemHandlers(world: World): Handlers {
  return { ...modelHandlers(world), ...providerHandlers(world), ...settingsHandlers(world), ...healthHandlers(world) };
}

function modelHandlers(world: World): Handlers {
  const cancelled = new Set<string>();
  const local = (id: string): LocalModelRow => {
    const row = world.localModels.find((model) => model.id === id);
    if (!row) throw wireError("not_found", `there is no built-in model ${id}`);
    return row;
  };
  const becomesReady = (row: LocalModelRow, source: string) => {
    Object.assign(row, { have_bytes: row.bytes, ready: true, source, problem: null });
    for (const model of world.models) if (model.id === row.id) Object.assign(model, { ready: true, problem: null });
  };
  const pull = async (row: LocalModelRow) => {
    const tell = (state: string, problem: string | null = null) => {
      const data: PullProgress = {
        id: row.id,
        source: "huggingface.co",
        file: "model.gguf",
        done_bytes: row.have_bytes,
        total_bytes: row.bytes,
        bytes_per_s: row.bytes / 8,
        state,
        problem,
      };
      world.emit({ type: "pull", data });
    };
    cancelled.delete(row.id);
    while (row.have_bytes < row.bytes) {
      if (cancelled.has(row.id)) return tell("failed", "The download was stopped.");
      row.have_bytes = Math.min(row.bytes, row.have_bytes + Math.ceil(row.bytes / 40));
      tell("fetching");
      await world.pause(200);
    }
    tell("checking");
    await world.pause(800);
    becomesReady(row, "huggingface.co");
    tell("ready");
  };
  return {
    models_list: () => structuredClone(world.models),
    models_local: () => structuredClone(world.localModels),
    models_pull: ({ id }) => {
      void pull(local(id));
      return null;
    },
    models_cancel: ({ id }) => {
      cancelled.add(id);
      return null;
    },
    models_import: ({ id, path }) => {
      becomesReady(local(id), path);
      return { ...local(id) };
    },
    models_detect: async () => {
      await world.pause(600);
      const models = ["qwen3:8b", "gemma3:4b"];
      return [{ name: "ollama", kind: "ollama", base_url: "http://127.0.0.1:11434", models, configured: false }];
    },
  };
}

function providerHandlers(world: World): Handlers {
  return {
    providers_save: ({ provider, key }) => {
      const needs_key = !/127\.0\.0\.1|localhost/.test(provider.base_url);
      const old = world.providers.find(({ id }) => id === provider.id);
      const row = { ...provider, has_key: Boolean(key) || Boolean(old?.has_key), needs_key };
      world.providers = [...world.providers.filter(({ id }) => id !== provider.id), row];
      world.emit({ type: "settings" });
      return { ...row };
    },
    providers_remove: ({ id }) => {
      world.providers = world.providers.filter((row) => row.id !== id);
      world.emit({ type: "settings" });
      return null;
    },
    providers_test: async ({ id }) => {
      await world.pause(700);
      const row = world.providers.find((provider) => provider.id === id);
      if (!row) throw wireError("not_found", `there is no provider ${id}`);
      if (row.needs_key && !row.has_key)
        return {
          ok: false,
          message: "api.example.com refused the key (HTTP 401).",
          hint: "Enter the key again in the settings, under Models.",
          models: [],
        };
      return {
        ok: true,
        message: `api.example.com answers and lists ${row.models.length} models.`,
        hint: "",
        models: row.models.map((model) => model.id),
      };
    },
  };
}

function settingsHandlers(world: World): Handlers {
  const view = (): SettingsView => structuredClone({ ...world.settings, providers: world.providers });
  const fields: Record<string, string> = {
    "ui.language": "language",
    "ui.theme": "theme",
    "ui.shortcut": "shortcut",
    "ui.start_at_login": "start_at_login",
    "ui.first_start_done": "first_start_done",
    "model.default": "model_default",
    "model.fallback": "model_fallback",
    "context.busy": "busy",
    "budget.daily_usd": "daily_usd",
    "budget.daily_tokens": "daily_tokens",
    "budget.monthly_usd": "monthly_usd",
    "budget.monthly_tokens": "monthly_tokens",
    "workspace.path": "workspace",
  };
  return {
    settings_get: view,
    settings_set: ({ request }) => {
      const [section, rule = ""] = request.key.split(".");
      if (section === "guard" && rule in world.settings.guard) {
        Object.assign(world.settings.guard, { [rule]: request.value });
        world.emit({ type: "settings" });
        return view();
      }
      if (section === "heartbeat" && rule in world.beating.status) {
        Object.assign(world.beating.status, { [rule]: request.value });
        world.emit({ type: "heartbeat" });
        return view();
      }
      const field = fields[request.key];
      if (!field) throw wireError("invalid_request", `${request.key} is not a key of hearth.toml`);
      Object.assign(world.settings, { [field]: request.value });
      if (field === "model_default")
        for (const model of world.models) model.default = model.id === world.settings.model_default;
      world.emit({ type: "settings" });
      return view();
    },
    settings_meet: ({ request }) => {
      writeFile(
        world,
        "IDENTITY.md",
        `# Identity\n\nName: ${request.assistant_name}\nTone: ${request.tone}\n`,
        "user",
        true,
      );
      writeFile(
        world,
        "USER.md",
        `# User\n\nName: ${request.user_name}\nTime zone: ${request.time_zone}\n`,
        "user",
        true,
      );
      return null;
    },
    settings_unlock: ({ passphrase }) => {
      if (!passphrase) throw wireError("secrets_locked", "the passphrase is wrong", "Try again. Nothing was changed.");
      world.settings.secrets = "passphrase";
      world.emit({ type: "settings" });
      return view();
    },
  };
}

function healthHandlers(world: World): Handlers {
  return {
    usage_rows: () => structuredClone(world.usage),
    doctor_run: () => [
      { check: "home", ok: true, detail: "/home/ada/.local/share/hearth", fix: "" },
      { check: "settings", ok: true, detail: "hearth.toml is understood", fix: "" },
      { check: "database", ok: true, detail: "hearth.db is sound", fix: "" },
      { check: "audit", ok: true, detail: "the latest entries are whole", fix: "" },
      { check: "keys", ok: true, detail: "sealed with a key in the keyring", fix: "" },
      {
        check: "embedding model",
        ok: false,
        detail: "multilingual-e5-small is not fetched",
        fix: "Fetch it with `hearth models pull multilingual-e5-small`; memory is searched by words without it.",
      },
      {
        check: "notifications",
        ok: false,
        detail: "there is no session bus",
        fix: "Notices stay in the app; run Hearth in a desktop session for others.",
      },
      {
        check: "sandbox",
        ok: true,
        detail: "files held, network held, other processes held: Landlock and a system-call filter",
        fix: "",
      },
      { check: "disk", ok: true, detail: "48211 MB free", fix: "" },
    ],
    logs_tail: ({ count }) => world.log.slice(-count),
    window_showing: () => null,
    window_continue: () => null,
    window_hide_quick: () => null,
    window_shortcut: () => ({ taken: null, offered: null }),
  };
}
