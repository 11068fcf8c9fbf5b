//! `hearth`: the command line over the engine. It parses, calls `hearth_engine::api` and shows.
//!
//! Exit status 0 done, 1 failed (one line on standard error), 2 wrong usage.

mod access;
mod args;
mod commands;
mod plain;
mod prompts;
mod talk;
mod terminal;
mod typed;

use access::Reach;
use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;
use terminal::{Failure, warn};

fn main() -> ExitCode {
    hearth_engine::logging::mask_panics();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            warn(&format!("the process cannot start its threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(run(cli));
    // A thread that waits for standard input must not hold the process.
    runtime.shutdown_background();
    match result {
        Ok(()) | Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(line) = failure.line() {
                warn(&line);
            }
            match failure {
                Failure::Misused(_) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let reach = Reach::new(cli.home.clone());
    let _log = hearth_engine::Home::find(cli.home.as_deref())
        .ok()
        .filter(|home| home.logs().is_dir())
        .and_then(|home| hearth_engine::logging::start(&home.logs()));
    let result = match cli.command {
        Command::Ask(ask) => commands::ask::run(&reach, ask, cli.json).await,
        Command::Chat(chat) => commands::chat::run(&reach, chat).await,
        Command::Sessions(command) => commands::sessions::run(&reach, command, cli.json).await,
        Command::Context(context) => commands::context::run(&reach, context, cli.json).await,
        Command::Files(command) => commands::files::run(&reach, command, cli.json).await,
        Command::Memory(command) => commands::memory::run(&reach, command, cli.json).await,
        Command::Models(command) => commands::models::run(&reach, command, cli.json).await,
        Command::Skills(command) => commands::skills::run(&reach, command, cli.json).await,
        Command::Mcp(command) => commands::mcp::run(&reach, command, cli.json).await,
        Command::Secrets(command) => commands::secrets::run(&reach, command, cli.json).await,
        Command::Approvals(command) => commands::approvals::run(&reach, command, cli.json).await,
        Command::Undo { turn } => commands::files::undo(&reach, &turn, cli.json).await,
        Command::Usage { days } => commands::system::usage(&reach, days, cli.json).await,
        Command::Signals => commands::signals::run(cli.json),
        Command::Audit(command) => commands::guard::audit(&reach, command, cli.json).await,
        Command::Guard(command) => commands::guard::guard(&reach, command, cli.json).await,
        Command::Heartbeat(command) => commands::heartbeat::run(&reach, command, cli.json).await,
        Command::Cron(command) => commands::cron::run(&reach, command, cli.json).await,
        Command::Import(import) => commands::imports::run(&reach, import, cli.json).await,
        Command::Backup { file } => commands::backups::make(&reach, &file, cli.json).await,
        Command::Restore { file } => {
            commands::backups::restore(cli.home.as_deref(), &file, cli.json).await
        }
        Command::Serve => commands::serve::run(&reach, cli.json).await,
        Command::Doctor => commands::system::doctor(&reach, cli.json).await,
    };
    reach.close().await;
    result
}
