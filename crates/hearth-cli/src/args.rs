//! The command line as it is parsed. What a later piece of work brings is absent here, not a stub.

use clap::{Args, Parser, Subcommand};
use hearth_protocol::SessionKey;
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
    /// Models: what can be picked, fetched and found
    #[command(subcommand)]
    Models(Models),
    /// Keys, sealed; values are read from standard input and never shown
    #[command(subcommand)]
    Secrets(Secrets),
    /// Tokens and money by day, purpose and model
    Usage {
        /// How many days back
        #[arg(long, default_value_t = 30)]
        days: u32,
    },
    /// Check what Hearth needs, and say what to do
    Doctor,
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The message; - reads it from standard input
    pub(crate) text: String,
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
        #[arg(value_parser = session)]
        key: SessionKey,
    },
    /// The messages of one, complete, as JSON Lines
    Export {
        #[arg(value_parser = session)]
        key: SessionKey,
    },
    /// Read an export into a session; - reads from standard input
    Import {
        file: PathBuf,
        /// Where to; a new session if absent
        #[arg(long, value_name = "KEY", value_parser = session)]
        session: Option<SessionKey>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Context {
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
    History { path: String },
    /// A version against the file now
    Diff { path: String, rev: i64 },
    /// Bring a version back, byte for byte
    Restore { path: String, rev: i64 },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// What can be picked
    List,
    /// Fetch a built-in model
    Pull { id: String },
    /// Take a model file that you have
    Import { id: String, file: PathBuf },
    /// Where the built-in models' files stand
    Status,
    /// Look for model servers on this machine
    Detect,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Secrets {
    /// Store one, such as providers/work; the value is read from standard input
    Set { name: String },
    /// The names
    List,
    /// Remove one
    Remove { name: String },
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
