//! Automation in Rust: the repository's own rules, its dependencies, generated files, screenshots and
//! benchmarks. `cargo xtask --help` lists them.
//!
//! Invariants: nothing here is part of the product, and no crate of the product is used here.
//! Left out: building, starting and testing, which are `npm start` and `npm test` (`scripts/`).
#![expect(clippy::print_stdout, reason = "a command for people: its output is what it is for")]

mod deps;
mod metadata;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The repository's own tools")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the repository's rules: sizes, headers, layers, names, migrations, capabilities.
    Tidy {
        /// Note the hashes of migrations that are not listed yet.
        #[arg(long)]
        record: bool,
    },
    /// Check dependencies: licences, bans, sources, unused ones, and advisories where they can be had.
    Deps,
    /// Write the TypeScript bindings from hearth-protocol into ui/src/bindings.
    Bindings,
    /// Take screenshots of every page, in both themes and languages, into ui/shots; check accessibility.
    Shots {
        /// A folder, then the scenes wanted, if not all.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run the benchmarks, with an optimised build.
    Bench {
        /// Passed on to cargo bench.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> Result<ExitCode> {
    let root = root()?;
    let problems = match Arguments::parse().task {
        Task::Tidy { record: true } => {
            tidy::record_migrations(&root)?;
            vec![]
        }
        Task::Tidy { record: false } => {
            for note in tidy::notes(&root)? {
                println!("note: {note}");
            }
            tidy::check(&root)?
        }
        Task::Deps => deps::check(&root)?,
        Task::Bindings => {
            let test = ["test", "--quiet", "--workspace", "--locked", "--test", "bindings"];
            run(Command::new("cargo").args(test).env("HEARTH_WRITE_BINDINGS", "1"), &root)?;
            vec![]
        }
        Task::Shots { arguments } => {
            let script = ["run", "--silent", "ui:shots", "--"];
            run(Command::new("npm").args(script).args(arguments), &root)?;
            vec![]
        }
        Task::Bench { arguments } => {
            run(
                Command::new("cargo").args(["bench", "--workspace", "--locked"]).args(arguments),
                &root,
            )?;
            vec![]
        }
    };
    for problem in &problems {
        println!("{problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The top of the repository, wherever the command is started.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("xtask lies in the repository")?.to_owned())
}

/// Runs a program at the top of the repository, its output on ours.
fn run(command: &mut Command, root: &Path) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.current_dir(root).status().with_context(|| format!("start {program}"))?;
    if !status.success() {
        bail!("{program} ended with {status}");
    }
    Ok(())
}
