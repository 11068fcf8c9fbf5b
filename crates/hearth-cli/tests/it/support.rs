//! A home, a scripted server, and the binary run in it.

use hearth_llm::scripted::Server;
use hearth_llm::wire::Format;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use tokio::process::{Child, Command};

pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) server: Server,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let server = Server::start().await.expect("server");
        let bench = Self { folder, server };
        bench.settings("");
        bench
    }

    /// Writes `hearth.toml` with the provider and more.
    pub(crate) fn settings(&self, more: &str) {
        let url = self.server.base_url(Format::OpenaiChat);
        let text = format!(
            "[model]\ndefault = \"work/scripted-1\"\n[[providers]]\nid = \"work\"\nkind = \"openai\"\n\
             base_url = \"{url}\"\nmodels = [{{ id = \"scripted-1\", window = 128000 }}]\n{more}"
        );
        std::fs::write(self.path("hearth.toml"), text).expect("writes");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hearth"));
        command.args(arguments).env("HEARTH_HOME", self.folder.path()).env_remove("HEARTH_LOG");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("starts")
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().await.expect("runs")
    }

    /// Runs and reads JSON Lines; the command must succeed.
    pub(crate) async fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.run(arguments).await;
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        json_lines(&output)
    }
}

pub(crate) fn json_lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

/// Standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
