//! A command at work: started, listened to, ended.

use super::environment;
use super::group::{self, Group};
use super::report::{End, Report};
use crate::call::{Invocation, LiveOutput, Outcome};
use crate::outputs::{Ends, Outputs, plain};
use crate::sandbox::{self, Confinement};
use futures::stream::{SelectAll, StreamExt};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio_util::io::ReaderStream;

/// Bytes of output that are kept at most; more, and the command is ended.
const MOST_OUTPUT: u64 = 256 * 1024 * 1024;
/// Memory of a command and all that it started.
const MOST_MEMORY: u64 = 4 * 1024 * 1024 * 1024;
/// Processes at once.
const MOST_PROCESSES: usize = 256;
/// How often memory and processes are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How long output is waited for once everything has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// Bytes of output shown while it runs.
const MOST_LIVE: usize = 64 * 1024;

/// A command to run.
pub(super) struct Order {
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    pub(super) name: String,
    /// No other running command has it, even if a model gives two calls one id.
    pub(super) mark: String,
    /// What it shows may have been written by others.
    pub(super) untrusted: bool,
    pub(super) scratch: PathBuf,
    pub(super) confinement: Confinement,
    /// Variables beside those that every command finds.
    pub(super) env: Vec<(String, String)>,
    pub(super) limit: Duration,
}

type Output = SelectAll<ReaderStream<Box<dyn AsyncRead + Send + Sync + Unpin>>>;

/// A command at work. Dropped, all of it is ended.
pub(super) struct Running {
    order: Order,
    group: Arc<Group>,
    exit: JoinHandle<io::Result<ExitStatus>>,
    output: Output,
    kept: Kept,
    started: Instant,
}

impl Running {
    pub(super) async fn start(order: Order, outputs: &Outputs) -> io::Result<Self> {
        let kept = Kept::create(outputs, &order)?;
        let started = Instant::now();
        let (order, begun) = tokio::task::spawn_blocking(move || {
            let begun = begin(&order);
            (order, begun)
        })
        .await
        .map_err(io::Error::other)?;
        let (child, group, pipes) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                let _ = std::fs::remove_dir_all(&order.scratch);
                return Err(error);
            }
        };
        let group = Arc::new(group);
        let exit = wait(child, Arc::clone(&group));
        Ok(Self { order, group, exit, output: listen(pipes)?, kept, started })
    }

    /// Listens until it has ended or must end.
    pub(super) async fn finish(mut self, call: &Invocation) -> Outcome {
        let mut live = Live { to: call.live.clone(), shown: 0 };
        let mut look = tokio::time::interval(LOOK);
        let deadline = tokio::time::sleep(self.order.limit);
        tokio::pin!(deadline);
        let mut listening = true;
        let end = loop {
            tokio::select! {
                biased;
                () = call.cancel.cancelled() => break End::Stopped,
                () = &mut deadline => break End::Time(self.order.limit),
                _ = look.tick() => if let Some(end) = self.too_large().await { break end },
                status = &mut self.exit => break End::of(status),
                piece = self.output.next(), if listening => match piece {
                    Some(Ok(piece)) if !self.kept.take(&piece).await => break End::Output(MOST_OUTPUT),
                    Some(Ok(piece)) => live.show(&piece),
                    Some(Err(_)) => {}
                    None => listening = false,
                },
            }
        };
        self.end(end, &mut live).await
    }

    async fn too_large(&self) -> Option<End> {
        let group = Arc::clone(&self.group);
        let size = tokio::task::spawn_blocking(move || group.size()).await.unwrap_or_default();
        if size.bytes > MOST_MEMORY {
            return Some(End::Memory(MOST_MEMORY));
        }
        (size.processes > MOST_PROCESSES).then_some(End::Processes(MOST_PROCESSES))
    }

    async fn end(mut self, end: End, live: &mut Live) -> Outcome {
        let group = Arc::clone(&self.group);
        let _ = tokio::task::spawn_blocking(move || group.kill()).await;
        if !end.is_exit() {
            let _ = tokio::time::timeout(DRAIN, &mut self.exit).await;
        }
        let rest = async {
            while let Some(piece) = self.output.next().await {
                let Ok(piece) = piece else { continue };
                if !self.kept.take(&piece).await {
                    break;
                }
                live.show(&piece);
            }
        };
        let _ = tokio::time::timeout(DRAIN, rest).await;
        let path = self.kept.close().await;
        let report = Report { end, took: self.started.elapsed(), name: &self.order.name };
        report.outcome(&self.kept.ends, path)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.group.kill();
        let _ = std::fs::remove_dir_all(&self.order.scratch);
    }
}

/// Starts the shell with both its outputs in one pipe, so that they stay in order. On Unix it waits for a line before
/// it begins: until then it is not known as this command's.
fn begin(order: &Order) -> io::Result<(Child, Group, Vec<io::PipeReader>)> {
    let (program, arguments) = shell(&order.command);
    let mut command = sandbox::command(program, &arguments, &order.confinement);
    let (reader, writer) = io::pipe()?;
    let input = if cfg!(unix) { Stdio::piped() } else { Stdio::null() };
    command.current_dir(&order.cwd).stdin(input).stdout(writer.try_clone()?).stderr(writer);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    environment::clean(&mut command, &order.scratch, &order.mark);
    command.envs(order.env.iter().map(|(name, value)| (name, value)));
    let mut child = sandbox::spawn(command, &order.confinement)?;
    let group = Group::of(&child, &order.mark);
    if let Some(mut input) = child.stdin.take() {
        // One that has ended already tells so itself.
        let _ = input.write_all(b"\n");
    }
    Ok((child, group, vec![reader]))
}

#[cfg(unix)]
fn shell(command: &str) -> (&'static str, Vec<&str>) {
    // No core files, whatever the person's limit is.
    const SETTING: &str = r#"read -r go || exit 1; ulimit -c 0; exec "$0" -c "$1" </dev/null"#;
    let shell = if std::path::Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
    ("/bin/sh", vec!["-c", SETTING, shell, command])
}

#[cfg(not(unix))]
fn shell(command: &str) -> (&'static str, Vec<&str>) {
    ("cmd.exe", vec!["/D", "/S", "/C", command])
}

/// Waits on a thread of its own; what the command left running is ended before it is reaped.
fn wait(mut child: Child, group: Arc<Group>) -> JoinHandle<io::Result<ExitStatus>> {
    tokio::task::spawn_blocking(move || {
        group::ended(&mut child);
        group.kill_last();
        child.wait()
    })
}

#[cfg(unix)]
fn listen(pipes: Vec<io::PipeReader>) -> io::Result<Output> {
    let mut output = Output::new();
    for pipe in pipes {
        let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(pipe.into())?;
        output.push(ReaderStream::with_capacity(Box::new(pipe) as Box<_>, 64 * 1024));
    }
    Ok(output)
}

#[cfg(not(unix))]
fn listen(pipes: Vec<io::PipeReader>) -> io::Result<Output> {
    let mut output = Output::new();
    for pipe in pipes {
        let file = std::fs::File::from(std::os::windows::io::OwnedHandle::from(pipe));
        let pipe = tokio::fs::File::from_std(file);
        output.push(ReaderStream::with_capacity(Box::new(pipe) as Box<_>, 64 * 1024));
    }
    Ok(output)
}

/// The output on disk, and what of it is shown.
struct Kept {
    file: tokio::fs::File,
    path: PathBuf,
    ends: Ends,
}

impl Kept {
    fn create(outputs: &Outputs, order: &Order) -> io::Result<Self> {
        let (file, path) = outputs.create(&order.name, order.untrusted)?;
        Ok(Self { file: tokio::fs::File::from_std(file), path, ends: Ends::new() })
    }

    /// Whether more may come. A full disk loses the middle, not the ends.
    async fn take(&mut self, piece: &[u8]) -> bool {
        self.ends.push(piece);
        let _ = self.file.write_all(piece).await;
        self.ends.bytes() <= MOST_OUTPUT
    }

    async fn close(&mut self) -> PathBuf {
        let _ = self.file.flush().await;
        self.path.clone()
    }
}

/// What is shown while it runs: the beginning, as text.
struct Live {
    to: LiveOutput,
    shown: usize,
}

impl Live {
    fn show(&mut self, piece: &[u8]) {
        if self.shown > MOST_LIVE || piece.contains(&0) {
            return;
        }
        let piece = &piece[..piece.len().min(MOST_LIVE)];
        self.shown += piece.len();
        self.to.show(plain(&String::from_utf8_lossy(piece)));
        if self.shown > MOST_LIVE {
            self.to.show("\n[more output than is shown here]\n");
        }
    }
}
