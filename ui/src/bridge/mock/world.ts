// What the in-memory shell holds: sessions, files, models, settings, and who listens. For tests and the browser only.

import type { ApprovalRow } from "@/bindings/ApprovalRow";
import type { AuditEntry } from "@/bindings/AuditEntry";
import type { ErrorCode } from "@/bindings/ErrorCode";
import type { Event } from "@/bindings/Event";
import type { EventBody } from "@/bindings/EventBody";
import type { FileText } from "@/bindings/FileText";
import type { LocalModelRow } from "@/bindings/LocalModelRow";
import type { McpRow } from "@/bindings/McpRow";
import type { ModelRow } from "@/bindings/ModelRow";
import type { ProviderRow } from "@/bindings/ProviderRow";
import type { RevisionRow } from "@/bindings/RevisionRow";
import type { SessionInfo } from "@/bindings/SessionInfo";
import type { SettingsView } from "@/bindings/SettingsView";
import type { Signal } from "@/bindings/Signal";
import type { SkillRow } from "@/bindings/SkillRow";
import type { Submit } from "@/bindings/Submit";
import type { TurnView } from "@/bindings/TurnView";
import type { UpdateView } from "@/bindings/UpdateView";
import type { UsageRow } from "@/bindings/UsageRow";
import type { Numbered } from "../commands";
import { type Beating, emptyBeating } from "./beating";
import { emptyMemory, type Remembered } from "./remembered";

export interface StoredSession {
  info: SessionInfo;
  turns: TurnView[];
}

export interface StoredFile extends FileText {
  persona: boolean;
  at: number;
  revisions: { row: RevisionRow; text: string }[];
}

/** Bodies of a turn's events, as they come; the turn's `done` is added by the shell when it is missing. */
export type Reply = (request: Submit, world: World) => AsyncIterable<EventBody>;

export interface World {
  sessions: Map<string, StoredSession>;
  files: Map<string, StoredFile>;
  models: ModelRow[];
  localModels: LocalModelRow[];
  providers: ProviderRow[];
  settings: Omit<SettingsView, "providers">;
  /** A new version of the app. */
  update: UpdateView;
  usage: UsageRow[];
  approvals: ApprovalRow[];
  audit: AuditEntry[];
  log: string[];
  memory: Remembered;
  beating: Beating;
  mcp: McpRow[];
  skills: SkillRow[];
  /** Names of what is sealed. */
  secrets: Set<string>;
  /** What the person picks when asked for files. */
  picks: string[];
  /** Calls and questions that wait for the person, by their id. */
  waits: Map<string, (word: string) => void>;
  reply: Reply;
  /** Stops the running turn of a session. */
  stops: Map<string, () => void>;
  /** Waits; tests make it instant. */
  pause: (ms: number) => Promise<void>;
  /** Unix seconds. */
  now: () => number;
  emit: (signal: Signal) => void;
  hear: (listener: (message: Numbered) => void) => void;
  nextId: (prefix: string) => string;
}

const noReply: Reply = async function* () {
  yield { event: "text", text: "OK" };
};

const settings: World["settings"] = {
  home: "/home/ada/.local/share/hearth",
  workspace: "/home/ada/.local/share/hearth/workspace",
  model_default: "local/qwen",
  model_fallback: [],
  problems: [],
  language: "system",
  theme: "system",
  shortcut: "CmdOrCtrl+Shift+Space",
  start_at_login: false,
  busy: "steer",
  daily_usd: 2,
  daily_tokens: 2_000_000,
  monthly_usd: 30,
  monthly_tokens: 40_000_000,
  first_start_done: true,
  secrets: "keyring",
  guard: {
    profile: "assistant",
    allowed_roots: [],
    allowed_domains: [],
    blocked_paths: [],
    allow_commands: [],
    allow_tools: [],
    deny_tools: [],
    closed: false,
  },
};

/** An empty world: no sessions, no files, no models. */
export function emptyWorld(): World {
  const listeners = new Set<(message: Numbered) => void>();
  let seq = 0;
  let ids = 0;
  return {
    sessions: new Map(),
    files: new Map(),
    models: [],
    localModels: [],
    providers: [],
    settings: structuredClone(settings),
    update: { version: "0.1.0", kind: "unpacked", server: null, step: { step: "idle" }, problem: null },
    usage: [],
    approvals: [],
    audit: [],
    log: [],
    memory: emptyMemory(),
    beating: emptyBeating(),
    mcp: [],
    skills: [],
    secrets: new Set(),
    picks: [],
    waits: new Map(),
    reply: noReply,
    stops: new Map(),
    pause: () => Promise.resolve(),
    now: () => Math.floor(Date.now() / 1000),
    emit: (signal) => {
      seq += 1;
      for (const listener of [...listeners]) listener({ seq, signal });
    },
    hear: (listener) => {
      listeners.add(listener);
    },
    nextId: (prefix) => {
      ids += 1;
      return `${prefix}${String(ids).padStart(6, "0")}`;
    },
  };
}

export function wireError(code: ErrorCode, message: string, hint = "") {
  return { code, message, hint };
}

/** An event of a turn as the engine numbers it. */
export function eventOf(body: EventBody, at: { seq: number; turn: string; session: string; at: number }): Event {
  return { ...body, ...at } as Event;
}
