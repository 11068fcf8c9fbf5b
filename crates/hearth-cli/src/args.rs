//! The command line as it is parsed. What a later piece of work brings is absent here, not a stub.

use clap::{Args, Parser, Subcommand};
use hearth_protocol::SessionKey;
use hearth_protocol::api::memory::{Layer, SearchMode};
use hearth_protocol::api::transfer::ImportSource;
use std::path::PathBuf;

/// Your assistant, in a terminal.
#[derive(Debug, Parser)]
#[command(name = "hearth", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Home folder (else HEARTH_HOME, else this system's folder for application data)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON: one object, or one a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask once; the reply is streamed
    Ask(Ask),
    /// Talk in the terminal
    Chat(Chat),
    /// Stored conversations
    #[command(subcommand)]
    Sessions(Sessions),
    /// What a model call was given, or what the next one would be
    Context(Context),
    /// Workspace files and their versions
    #[command(subcommand)]
    Files(Files),
    /// Memory: what it holds, searching, importing, measuring
    #[command(subcommand)]
    Memory(Memory),
    /// HEARTBEAT.md: what it asks for, and a beat now
    #[command(subcommand)]
    Heartbeat(Heartbeat),
    /// Jobs at their times, and when a schedule fires
    #[command(subcommand)]
    Cron(Cron),
    /// Bring in what another assistant left behind: openclaw, chatgpt or claude
    Import(Import),
    /// The home as one encrypted file; the passphrase is read from the terminal or standard input
    Backup {
        /// A new file, outside of the home
        file: PathBuf,
    },
    /// Bring a backup back; what is here before is set aside
    Restore {
        /// What `hearth backup` wrote
        file: PathBuf,
    },
    /// Stay without a window: heartbeats and jobs run, notices are printed
    Serve,
    /// Models: what can be picked, fetched and found
    #[command(subcommand)]
    Models(Models),
    /// Skills: what there is, checking, matching
    #[command(subcommand)]
    Skills(Skills),
    /// MCP servers of hearth.toml and their tools
    #[command(subcommand)]
    Mcp(Mcp),
    /// Keys, sealed; values are read from standard input and never shown
    #[command(subcommand)]
    Secrets(Secrets),
    /// Tokens and money by day, purpose and model
    Usage {
        /// How many days back
        #[arg(long, default_value_t = 30)]
        days: u32,
    },
    /// The six signals (facts that must not be lost) of messages read from standard input, one a line
    Signals,
    /// What happened, in a chain that shows any change
    #[command(subcommand)]
    Audit(Audit),
    /// What may happen, and why
    #[command(subcommand)]
    Guard(Guard),
    /// Calls that wait for your consent, and what you allowed before
    #[command(subcommand)]
    Approvals(Approvals),
    /// Take back a turn's file changes
    Undo {
        /// The turn's id, as `sessions show --json` names it
        turn: String,
    },
    /// Check what Hearth needs, and say what to do
    Doctor,
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The message; - reads it from standard input
    pub(crate) text: String,
    /// The conversation it belongs to; a new key begins one
    #[arg(long, value_name = "KEY", default_value = "assistant:main", value_parser = session)]
    pub(crate) session: SessionKey,
    /// PROVIDER/MODEL for this turn; it is not replaced by another one
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
    /// Which agent answers
    #[arg(long, value_name = "ID", default_value = AGENT, value_parser = agent)]
    pub(crate) agent: String,
    /// Allow this tool for this turn without asking; may be given again
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub(crate) yes_to: Vec<String>,
    /// Give a file along; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The conversation it belongs to; a new key begins one
    #[arg(long, value_name = "KEY", default_value = "assistant:main", value_parser = session)]
    pub(crate) session: SessionKey,
    /// PROVIDER/MODEL for each turn
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// All of them, newest first
    List,
    /// The messages of one
    Show {
        /// Its key, as `sessions list` shows it
        #[arg(value_parser = session)]
        key: SessionKey,
    },
    /// The messages of one, complete, as JSON Lines
    Export {
        /// Its key, as `sessions list` shows it
        #[arg(value_parser = session)]
        key: SessionKey,
    },
    /// Read an export into a session; - reads from standard input
    Import {
        /// What `sessions export` wrote
        file: PathBuf,
        /// Where to; a new session if absent
        #[arg(long, value_name = "KEY", value_parser = session)]
        session: Option<SessionKey>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Where it comes from
    #[arg(value_parser = import_source, value_name = "openclaw|chatgpt|claude")]
    pub(crate) source: ImportSource,
    /// A zip file, a folder or the file itself; of OpenClaw ~/.openclaw, a workspace or sessions
    pub(crate) path: PathBuf,
    /// Only say what would come; nothing is written
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Context {
    /// The conversation it belongs to
    #[arg(long, value_name = "KEY", default_value = "assistant:main", value_parser = session)]
    pub(crate) session: SessionKey,
    /// Which call of the session, from 1; the next one if absent
    #[arg(long, value_name = "N")]
    pub(crate) call: Option<u64>,
    /// Show the texts too
    #[arg(long)]
    pub(crate) text: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Files {
    /// Persona files in the order of the prompt, then the rest
    List,
    /// Versions of one, newest first
    History {
        /// Path within the workspace
        path: String,
    },
    /// A version against the file now
    Diff {
        /// Path within the workspace
        path: String,
        /// Number of the version, as `files history` shows it
        rev: i64,
    },
    /// Bring a version back, byte for byte
    Restore {
        /// Path within the workspace
        path: String,
        /// Number of the version, as `files history` shows it
        rev: i64,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// Remember something; - reads it from standard input
    Add {
        /// What to remember
        text: String,
        /// Its heading; the beginning of the text if absent
        #[arg(long, value_name = "T")]
        title: Option<String>,
        /// fact, preference, event, decision or lesson
        #[arg(long, value_name = "K", default_value = "fact", value_parser = entry_kind)]
        kind: String,
    },
    /// The entries of MEMORY.md, USER.md and the daily logs
    List,
    /// A memory file or lines of it, PATH or PATH:FROM-TO, and the entries there
    Get {
        /// Such as MEMORY.md or memory/2026-12-01.md:4-9
        place: String,
    },
    /// Put what is true now in the place of an entry, which stays as history
    Correct {
        /// Its id, as `memory list` shows it
        id: String,
        /// What is true now
        text: String,
    },
    /// Forget an entry: it leaves the files and every search
    Forget {
        /// Its id, as `memory list` shows it
        id: String,
        /// It can never be brought back
        #[arg(long)]
        erase: bool,
    },
    /// Bring a forgotten entry back, within 30 days
    Restore {
        /// Its id, as `memory forget` was given it
        id: String,
    },
    /// What happened to an entry
    History {
        /// Its id, as `memory list` shows it
        id: String,
    },
    /// Ask memory; - reads questions from standard input, one a line
    Search(Search),
    /// Write dated notes (JSON Lines of id, date, session, speaker, text) into daily logs
    Import {
        /// The notes, JSON Lines
        file: PathBuf,
    },
    /// Measure recall on questions with known answers
    Eval(Eval),
    /// Build the index anew; it is searched on meanwhile
    Reindex,
    /// The index and the embedding model
    Status,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Any text
    pub(crate) query: String,
    /// At most so many hits
    #[arg(short, value_name = "N")]
    pub(crate) k: Option<usize>,
    /// At most so many characters in all
    #[arg(long, value_name = "N")]
    pub(crate) chars: Option<usize>,
    /// The day it is asked on, YYYY-MM-DD; today if absent
    #[arg(long, value_name = "DATE")]
    pub(crate) now: Option<String>,
    /// Only this layer: L2 recent logs, L3 long-term files, L4 the rest
    #[arg(long, value_parser = layer)]
    pub(crate) layer: Option<Layer>,
    /// hybrid, keyword or vector
    #[arg(long, default_value = "hybrid", value_parser = mode)]
    pub(crate) mode: SearchMode,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// Documents, JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) docs: PathBuf,
    /// Questions with their right documents, JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: PathBuf,
    /// Ranks at which recall is taken
    #[arg(short, value_delimiter = ',', default_value = "5,10")]
    pub(crate) k: Vec<usize>,
    /// Characters at which recall is taken
    #[arg(long, value_delimiter = ',', default_value = "500,2000,8000")]
    pub(crate) chars: Vec<usize>,
    /// Write each question's ranking there, JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) rankings: Option<PathBuf>,
    /// hybrid, keyword or vector
    #[arg(long, default_value = "hybrid", value_parser = mode)]
    pub(crate) mode: SearchMode,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Heartbeat {
    /// Its items with their next times, and what cannot be read
    List,
    /// One beat; without anything to do no model is asked
    Run {
        /// Only say what it would do
        #[arg(long)]
        dry_run: bool,
        /// As if it were that time, such as 2026-12-01T09:00: for the model and for quiet hours; what is
        /// stored and logged has the real time
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// One item by its id; all of the file if absent
        #[arg(long, value_name = "ID")]
        item: Option<String>,
    },
    /// What the last beats did, and why
    Log {
        /// How many
        #[arg(short, default_value_t = 20)]
        n: u32,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Cron {
    /// Plan something: `hearth cron add "at 2026-12-01 09:00" "Call mum"`
    Add {
        /// Cron of five or six fields, `every 2h`, `at 2026-12-01 09:00` or `in 20m`
        schedule: String,
        /// What to show, or to do
        #[arg(default_value = "")]
        text: String,
        /// Its name; the beginning of the text if absent
        #[arg(long)]
        name: Option<String>,
        /// The time zone of its clock, such as Europe/Berlin; yours if absent
        #[arg(long, value_name = "Z")]
        zone: Option<String>,
        /// remind shows the text word for word; the others ask the model
        #[arg(long, value_name = "A", value_parser = ["remind", "send_message", "run_turn", "run_skill", "consolidate_memory"])]
        action: Option<String>,
        /// What becomes of times that pass while nothing runs
        #[arg(long, value_name = "P", value_parser = ["run_once", "skip", "ask"])]
        missed: Option<String>,
    },
    /// All jobs with their next times
    List,
    /// Remove one
    Remove {
        /// Its id, as `cron list` shows it
        id: String,
    },
    /// Run one now
    Run {
        /// Its id, as `cron list` shows it
        id: String,
    },
    /// What became of each time, newest first
    History {
        /// Its id, as `cron list` shows it; all jobs if absent
        id: Option<String>,
    },
    /// When a schedule fires; needs no home
    Next {
        /// Cron of five or six fields, `every 2h`, `at 2026-12-01 09:00` or `in 20m`
        #[arg(value_name = "EXPR")]
        schedule: String,
        /// The time zone of its clock; this system's if absent
        #[arg(long, value_name = "Z")]
        zone: Option<String>,
        /// From then on, itself included, and where `every` counts from; now if absent
        #[arg(long, value_name = "TIME")]
        from: Option<String>,
        /// Up to then, itself not included
        #[arg(long, value_name = "TIME")]
        to: Option<String>,
        /// How many; five if absent, or all up to the end
        #[arg(short, value_name = "N")]
        n: Option<usize>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// What can be picked
    List,
    /// Fetch a built-in model
    Pull {
        /// Its id, as `models status` shows it
        id: String,
    },
    /// Take a model file that you have
    Import {
        /// Which model it is, as `models status` shows it
        id: String,
        /// The file
        file: PathBuf,
    },
    /// Where the built-in models' files stand
    Status,
    /// Look for model servers on this machine
    Detect,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Skills {
    /// All of them, with the reason where one cannot be used
    List,
    /// Every SKILL.md below a folder, strictly; of all sources if absent
    Check {
        /// The folder, or one SKILL.md
        path: Option<PathBuf>,
    },
    /// The instructions of one
    Show {
        /// Its name
        name: String,
    },
    /// Which ones a message asks for, and why; - reads messages from standard input, one a line
    Match {
        /// The message
        text: String,
    },
    /// One turn with a skill
    Run(Box<RunSkill>),
    /// Show what one from a folder, a zip file or a git address asks for, and install it
    Install(InstallSkill),
    /// See what is new where one was installed from, and take it
    Update {
        /// Its name
        name: String,
        /// Without asking
        #[arg(long)]
        yes: bool,
    },
    /// Remove one that was installed; for 30 days it can be brought back
    Remove {
        /// Its name, as `skills list` shows it
        name: String,
    },
    /// Bring back one that was removed
    Restore {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InstallSkill {
    /// A folder, a .zip file, or https://, ssh:// or git@host:path, with #FOLDER for a part of it
    pub(crate) source: String,
    /// This one of several; may be given again
    #[arg(long, value_name = "NAME")]
    pub(crate) skill: Vec<String>,
    /// All of several
    #[arg(long, conflicts_with = "skill")]
    pub(crate) all: bool,
    /// Into the workspace instead of the home
    #[arg(long)]
    pub(crate) workspace: bool,
    /// Without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunSkill {
    /// The skill
    pub(crate) name: String,
    /// What to do with it
    #[arg(default_value = "")]
    pub(crate) text: String,
    /// The conversation it belongs to; a new key begins one
    #[arg(long, value_name = "KEY", default_value = "assistant:main", value_parser = session)]
    pub(crate) session: SessionKey,
    /// PROVIDER/MODEL for this turn; it is not replaced by another one
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
    /// Allow this tool for this turn without asking; may be given again
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub(crate) yes_to: Vec<String>,
    /// Give a file along; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// The last entries, in order; with --json and a large N an export
    Tail {
        /// How many
        #[arg(short, default_value_t = 20)]
        n: u32,
    },
    /// Check every entry against the one before
    Verify,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Guard {
    /// What would become of a call, and why
    Explain {
        /// The tool's name, such as exec
        #[arg(long)]
        tool: String,
        /// Its arguments, a JSON object
        #[arg(long, value_name = "JSON")]
        args: String,
        /// As if exactly these programs and commands were allowed without asking, with commas between
        #[arg(long, value_name = "LIST")]
        allow: Option<String>,
        /// The language of a command; this system's if absent
        #[arg(long, value_parser = ["sh", "cmd", "powershell"])]
        shell: Option<String>,
        /// As if the turn had read a web page
        #[arg(long)]
        tainted: bool,
        /// In this conversation, after what it has read; in a new one if absent
        #[arg(long, value_name = "KEY", value_parser = session)]
        session: Option<SessionKey>,
        /// As if you had just said this: notes in your own words are not asked about
        #[arg(long, value_name = "TEXT")]
        said: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// Those that wait, then those that stand
    List,
    /// Say yes to one that waits
    Allow {
        /// Its id, as `approvals list` shows it
        id: String,
        /// How far the yes reaches: this call, this exact form in its session, or everywhere
        #[arg(long, value_name = "SCOPE", default_value = "once", value_parser = ["once", "session", "always"])]
        scope: String,
        /// Say it to all that were asked together with it, for this one time
        #[arg(long, conflicts_with = "scope")]
        all: bool,
    },
    /// Say no to one that waits
    Deny {
        /// Its id, as `approvals list` shows it
        id: String,
        /// Say it to all that were asked together with it
        #[arg(long)]
        all: bool,
    },
    /// Take back one that stands
    Revoke {
        /// Its id, as `approvals list` shows it
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// All of them, with the tools that are known
    List,
    /// Start one anew and see what it offers
    Test {
        /// Its id, as `mcp list` shows it
        id: String,
    },
    /// Allow its tools as they are now
    Allow {
        /// Its id, as `mcp list` shows it
        id: String,
    },
    /// Remove one, its key and what was allowed of it
    Remove {
        /// Its id, as `mcp list` shows it
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Secrets {
    /// Store one, such as providers/work; the value is read from standard input
    Set {
        /// Its name, such as providers/work
        name: String,
    },
    /// The names
    List,
    /// Remove one
    Remove {
        /// Its name, such as providers/work
        name: String,
    },
}

fn entry_kind(text: &str) -> Result<String, String> {
    match text {
        "fact" | "preference" | "event" | "decision" | "lesson" => Ok(text.to_owned()),
        _ => Err("one of fact, preference, event, decision, lesson".to_owned()),
    }
}

fn import_source(text: &str) -> Result<ImportSource, String> {
    let all = [ImportSource::Openclaw, ImportSource::Chatgpt, ImportSource::Claude];
    let found = all.into_iter().find(|source| source.name() == text);
    found.ok_or_else(|| "one of openclaw, chatgpt, claude".to_owned())
}

fn layer(text: &str) -> Result<Layer, String> {
    match text.to_ascii_uppercase().as_str() {
        "L2" => Ok(Layer::Recent),
        "L3" => Ok(Layer::LongTerm),
        "L4" => Ok(Layer::Semantic),
        _ => Err("one of L2, L3, L4".to_owned()),
    }
}

fn mode(text: &str) -> Result<SearchMode, String> {
    match text {
        "hybrid" => Ok(SearchMode::Hybrid),
        "keyword" => Ok(SearchMode::Keyword),
        "vector" => Ok(SearchMode::Vector),
        _ => Err("one of hybrid, keyword, vector".to_owned()),
    }
}

/// The agent there is.
const AGENT: &str = "assistant";

fn agent(text: &str) -> Result<String, String> {
    match text {
        AGENT => Ok(text.to_owned()),
        _ => Err(format!("there is no agent {text}; there is {AGENT}")),
    }
}

fn session(text: &str) -> Result<SessionKey, String> {
    SessionKey::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{Command, CommandFactory as _};

    /// Arguments and commands without a word of help, by their full names.
    fn without_help(command: &Command, name: &str) -> Vec<String> {
        let arguments = command.get_arguments().filter(|one| one.get_help().is_none());
        let mut found: Vec<String> =
            arguments.map(|one| format!("{name} {}", one.get_id())).collect();
        for below in command.get_subcommands().filter(|one| one.get_name() != "help") {
            let name = format!("{name} {}", below.get_name());
            if below.get_about().is_none() {
                found.push(name.clone());
            }
            found.extend(without_help(below, &name));
        }
        found
    }

    #[test]
    fn each_command_and_argument_says_what_it_is() {
        let mut command = Cli::command();
        command.build();
        assert_eq!(without_help(&command, "hearth"), Vec::<String>::new());
    }
}
