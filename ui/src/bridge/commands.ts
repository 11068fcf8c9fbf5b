// Every command the window may call, with its arguments and result. The names are the engine's.

import type { ApprovalRow } from "@/bindings/ApprovalRow";
import type { Attachment } from "@/bindings/Attachment";
import type { AuditCheck } from "@/bindings/AuditCheck";
import type { AuditEntry } from "@/bindings/AuditEntry";
import type { BackupMade } from "@/bindings/BackupMade";
import type { BeatRow } from "@/bindings/BeatRow";
import type { CommandRow } from "@/bindings/CommandRow";
import type { CompactionRow } from "@/bindings/CompactionRow";
import type { ContextManifest } from "@/bindings/ContextManifest";
import type { CronAdd } from "@/bindings/CronAdd";
import type { CronNext } from "@/bindings/CronNext";
import type { Decide } from "@/bindings/Decide";
import type { DecideAll } from "@/bindings/DecideAll";
import type { DetectedServer } from "@/bindings/DetectedServer";
import type { DoctorRow } from "@/bindings/DoctorRow";
import type { EntryAdd } from "@/bindings/EntryAdd";
import type { EntryConflict } from "@/bindings/EntryConflict";
import type { EntryDay } from "@/bindings/EntryDay";
import type { EntryEdit } from "@/bindings/EntryEdit";
import type { EntryForgotten } from "@/bindings/EntryForgotten";
import type { EntryRow } from "@/bindings/EntryRow";
import type { EntryTake } from "@/bindings/EntryTake";
import type { EntryView } from "@/bindings/EntryView";
import type { Explain } from "@/bindings/Explain";
import type { Explained } from "@/bindings/Explained";
import type { FileDiff } from "@/bindings/FileDiff";
import type { FileRow } from "@/bindings/FileRow";
import type { FileSave } from "@/bindings/FileSave";
import type { FileSaved } from "@/bindings/FileSaved";
import type { FileText } from "@/bindings/FileText";
import type { HeartbeatItem } from "@/bindings/HeartbeatItem";
import type { HeartbeatRun } from "@/bindings/HeartbeatRun";
import type { HeartbeatStatus } from "@/bindings/HeartbeatStatus";
import type { ImportAsk } from "@/bindings/ImportAsk";
import type { ImportReport } from "@/bindings/ImportReport";
import type { JobRow } from "@/bindings/JobRow";
import type { LocalModelRow } from "@/bindings/LocalModelRow";
import type { McpEdit } from "@/bindings/McpEdit";
import type { McpRow } from "@/bindings/McpRow";
import type { Meet } from "@/bindings/Meet";
import type { MemoryAnswer } from "@/bindings/MemoryAnswer";
import type { MemoryQuery } from "@/bindings/MemoryQuery";
import type { MemoryStatus } from "@/bindings/MemoryStatus";
import type { Message } from "@/bindings/Message";
import type { ModelRow } from "@/bindings/ModelRow";
import type { NoticeChange } from "@/bindings/NoticeChange";
import type { NoticeRow } from "@/bindings/NoticeRow";
import type { PersonaTried } from "@/bindings/PersonaTried";
import type { PersonaTry } from "@/bindings/PersonaTry";
import type { ProviderEdit } from "@/bindings/ProviderEdit";
import type { ProviderRow } from "@/bindings/ProviderRow";
import type { ProviderTest } from "@/bindings/ProviderTest";
import type { Restored } from "@/bindings/Restored";
import type { RevisionRow } from "@/bindings/RevisionRow";
import type { Rewind } from "@/bindings/Rewind";
import type { Rewound } from "@/bindings/Rewound";
import type { SessionChange } from "@/bindings/SessionChange";
import type { SessionInfo } from "@/bindings/SessionInfo";
import type { SettingSet } from "@/bindings/SettingSet";
import type { SettingsView } from "@/bindings/SettingsView";
import type { Signal } from "@/bindings/Signal";
import type { SkillActivity } from "@/bindings/SkillActivity";
import type { SkillChange } from "@/bindings/SkillChange";
import type { SkillInstall } from "@/bindings/SkillInstall";
import type { SkillMatch } from "@/bindings/SkillMatch";
import type { SkillRemoved } from "@/bindings/SkillRemoved";
import type { SkillRow } from "@/bindings/SkillRow";
import type { SkillView } from "@/bindings/SkillView";
import type { SlotRow } from "@/bindings/SlotRow";
import type { Submit } from "@/bindings/Submit";
import type { Submitted } from "@/bindings/Submitted";
import type { Transcript } from "@/bindings/Transcript";
import type { Undone } from "@/bindings/Undone";
import type { UpdateView } from "@/bindings/UpdateView";
import type { UsageRow } from "@/bindings/UsageRow";

interface Command<Args, Result> {
  args: Args;
  result: Result;
}
type Nothing = Record<string, never>;
type Session = {
  session: string;
};

/** Name → arguments and result. */
interface Commands {
  chat_submit: Command<{ request: Submit }, Submitted>;
  chat_stop: Command<Session, boolean>;
  chat_rewind: Command<{ request: Rewind }, Rewound>;
  chat_commands: Command<Nothing, CommandRow[]>;
  approvals_list: Command<Nothing, ApprovalRow[]>;
  approvals_decide: Command<{ request: Decide }, ApprovalRow>;
  /** All that is open of a batch; a yes is for each once. */
  approvals_decide_all: Command<{ request: DecideAll }, ApprovalRow[]>;
  approvals_revoke: Command<{ id: string }, null>;
  /** The last entries of the audit log, in order. */
  audit_tail: Command<{ count: number }, AuditEntry[]>;
  audit_verify: Command<Nothing, AuditCheck>;
  /** Writes every entry into a file, one a line; answers how many there are. */
  audit_export: Command<{ path: string }, number>;
  /** What would become of a call, and why. Runs nothing. */
  guard_explain: Command<{ request: Explain }, Explained>;
  questions_answer: Command<{ id: string; text: string }, null>;
  sessions_list: Command<Nothing, SessionInfo[]>;
  sessions_open: Command<Session, Transcript>;
  /** Where early messages left the model's view, oldest first. */
  sessions_compactions: Command<Session, CompactionRow[]>;
  /** The messages that left with one. */
  sessions_originals: Command<Session & { compaction: number }, Message[]>;
  sessions_create: Command<Nothing, SessionInfo>;
  sessions_change: Command<Session & { change: SessionChange }, SessionInfo>;
  sessions_delete: Command<Session, null>;
  context_call: Command<Session & { turn: string | null; step: number | null }, ContextManifest>;
  /** Keeps a file that has no path, such as a pasted picture. `data` is base64. */
  files_attach: Command<{ name: string; mediaType: string; data: string }, Attachment>;
  files_list: Command<Nothing, FileRow[]>;
  files_read: Command<{ path: string }, FileText>;
  files_save: Command<{ request: FileSave }, FileSaved>;
  files_history: Command<{ path: string }, RevisionRow[]>;
  files_diff: Command<{ path: string; rev: number }, FileDiff>;
  files_restore: Command<{ path: string; rev: number }, FileSaved>;
  entries_list: Command<Nothing, EntryRow[]>;
  entries_view: Command<{ id: string }, EntryView>;
  entries_add: Command<{ request: EntryAdd }, EntryRow>;
  entries_edit: Command<{ request: EntryEdit }, EntryRow>;
  /** Puts another text in the place of an entry; the old one stays as history. */
  entries_correct: Command<{ id: string; text: string }, EntryRow>;
  entries_forget: Command<{ id: string; erase: boolean }, EntryForgotten>;
  entries_restore: Command<{ id: string }, EntryRow>;
  entries_conflicts: Command<Nothing, EntryConflict[]>;
  entries_settle: Command<{ conflict: number; take: EntryTake }, EntryRow | null>;
  /** The latest days up to one, the newest first. */
  entries_timeline: Command<{ until: string | null }, EntryDay[]>;
  /** A dry run decides the same and writes nothing. */
  imports_run: Command<{ request: ImportAsk }, ImportReport>;
  /** A new file; it was read back when this answers. */
  backups_make: Command<{ path: string; passphrase: string }, BackupMade>;
  /** Takes effect when Hearth starts again. */
  backups_prepare: Command<{ path: string; passphrase: string }, Restored>;
  heartbeat_status: Command<Nothing, HeartbeatStatus>;
  heartbeat_list: Command<Nothing, HeartbeatItem[]>;
  /** One item, or all; a dry run asks no model and stores nothing. */
  heartbeat_run: Command<{ item: string | null; dryRun: boolean }, HeartbeatRun>;
  /** Until then; null goes on. */
  heartbeat_pause: Command<{ until: number | null }, HeartbeatStatus>;
  /** The newest first. */
  heartbeat_log: Command<{ limit: number }, BeatRow[]>;
  cron_list: Command<Nothing, JobRow[]>;
  cron_add: Command<{ request: CronAdd }, JobRow>;
  cron_remove: Command<{ id: string }, null>;
  /** Runs it now, wakes it where it rests, and answers what asked whether it shall run. */
  cron_run: Command<{ id: string }, HeartbeatRun>;
  /** Lets go of missed slots that ask whether they shall run. */
  cron_leave: Command<{ id: string }, null>;
  /** Slots of one job or of all, the newest first. */
  cron_history: Command<{ id: string | null }, SlotRow[]>;
  /** The next five times. */
  cron_preview: Command<{ schedule: string; zone: string | null }, CronNext[]>;
  notices_list: Command<Nothing, NoticeRow[]>;
  notices_change: Command<{ id: string; change: NoticeChange }, NoticeRow>;
  /** The last lines of the log, in order. */
  logs_tail: Command<{ count: number }, string[]>;
  mcp_list: Command<Nothing, McpRow[]>;
  /** `key` goes along to its address; empty removes the stored one, null leaves it. */
  mcp_save: Command<{ server: McpEdit; key: string | null }, McpRow>;
  mcp_remove: Command<{ id: string }, null>;
  /** Starts it anew; that it does not answer is its state. */
  mcp_test: Command<{ id: string }, McpRow>;
  /** Allows its tools as they are now. */
  mcp_allow: Command<{ id: string }, McpRow>;
  memory_search: Command<{ query: MemoryQuery }, MemoryAnswer>;
  memory_status: Command<Nothing, MemoryStatus>;
  memory_reindex: Command<Nothing, MemoryStatus>;
  models_list: Command<Nothing, ModelRow[]>;
  models_local: Command<Nothing, LocalModelRow[]>;
  models_pull: Command<{ id: string }, null>;
  models_cancel: Command<{ id: string }, null>;
  models_import: Command<{ id: string; path: string }, LocalModelRow>;
  models_detect: Command<Nothing, DetectedServer[]>;
  /** Answers a question with a text that is not saved. Keeps nothing of it. */
  persona_try: Command<{ request: PersonaTry }, PersonaTried>;
  /** Stops the one that runs. */
  persona_stop: Command<Nothing, boolean>;
  providers_save: Command<{ provider: ProviderEdit; key: string | null }, ProviderRow>;
  providers_remove: Command<{ id: string }, null>;
  providers_test: Command<{ id: string }, ProviderTest>;
  /** Names; a value never comes back. */
  secrets_list: Command<Nothing, string[]>;
  secrets_set: Command<{ name: string; value: string }, null>;
  settings_get: Command<Nothing, SettingsView>;
  settings_set: Command<{ request: SettingSet }, SettingsView>;
  settings_meet: Command<{ request: Meet }, null>;
  settings_unlock: Command<{ passphrase: string }, SettingsView>;
  skills_list: Command<Nothing, SkillRow[]>;
  skills_show: Command<{ name: string }, SkillView>;
  skills_change: Command<{ change: SkillChange }, SkillRow>;
  /** Which skills a message would activate, and why. Activates none. */
  skills_match: Command<{ text: string }, SkillMatch>;
  skills_activity: Command<Session & { turn: string }, SkillActivity | null>;
  skills_install_preview: Command<{ path: string }, SkillInstall>;
  /** `hash` is of what was shown. */
  skills_install: Command<{ path: string; hash: string }, SkillRow[]>;
  skills_remove: Command<{ name: string }, null>;
  /** Those that can be brought back. */
  skills_removed: Command<Nothing, SkillRemoved[]>;
  skills_restore: Command<{ name: string }, null>;
  /** What an update from where it was installed would change. */
  skills_update_preview: Command<{ name: string }, SkillInstall>;
  /** `hash` is of what was shown. */
  skills_update: Command<{ name: string; hash: string }, SkillRow[]>;
  /** Takes back what a turn did to workspace files. */
  turns_undo: Command<{ turn: string }, Undone[]>;
  /** How a new version of the app stands. Asks nobody. */
  updates_view: Command<Nothing, UpdateView>;
  /** Asks the server that this build knows. */
  updates_check: Command<Nothing, UpdateView>;
  updates_download: Command<Nothing, UpdateView>;
  /** Hearth starts again where it succeeds. */
  updates_install: Command<Nothing, UpdateView>;
  usage_rows: Command<{ days: number }, UsageRow[]>;
  doctor_run: Command<Nothing, DoctorRow[]>;
  /** Tells the shell which conversation is in view, so that it makes no notice of it. */
  window_showing: Command<{ session: string | null }, null>;
  /** Goes on in the main window. */
  window_continue: Command<{ path: string }, null>;
  window_hide_quick: Command<Nothing, null>;
  /** Ends Hearth and starts it again. */
  window_restart: Command<Nothing, null>;
  /** Whether another program holds the wanted shortcut, and one that is free. */
  window_shortcut: Command<Nothing, { taken: string | null; offered: string | null }>;
}

export type CommandName = keyof Commands;
export type Args<C extends CommandName> = Commands[C]["args"];
export type Result<C extends CommandName> = Commands[C]["result"];

/** One numbered message of the window's channel. */
export interface Numbered {
  seq: number;
  signal: Signal;
}

/** What a shell gives the window. Two exist: the desktop, and one in memory for tests and the browser. */
export interface Shell {
  call<C extends CommandName>(command: C, args: Args<C>): Promise<Result<C>>;
  /** Every signal from now on. */
  subscribe(hear: (message: Numbered) => void): Promise<void>;
  /** Files dropped on the window, as paths; `over` while they hover. */
  onDrop(hear: (drop: { over: boolean; paths: string[] }) => void): Promise<() => void>;
  /** Opens a web or mail address in the person's browser. */
  openUrl(url: string): Promise<void>;
  /** Asks the person for files, or for a folder. */
  pickFiles(options: { multiple: boolean; extensions?: string[]; folder?: boolean }): Promise<string[]>;
  /** Asks the person where a new file shall go. */
  pickPlace(name: string): Promise<string | null>;
}
