//! Tools of MCP servers, beside our own.
//!
//! Invariants: a server's tools are offered as they were when the person took the server (pinned); one that
//! is new or described otherwise since is not offered until the person says so; a server is started when one
//! of its tools is first called and its whole process group ends with us; what it returns was written by
//! others. Absent here: where servers and pins are kept (the engine), and whether a call may run (policy).

mod connection;
mod pins;
mod server;
mod tool;

pub use pins::{Pin, PinState, compare};
pub use server::{SecretOf, Server, ServerState};

use std::time::Duration;

/// A server, as the settings have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name: letters, digits, `-` and `_`.
    pub id: String,
    /// How it is reached.
    pub launch: Launch,
    /// For one call.
    pub timeout: Duration,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// A program that speaks on its standard input and output.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
        /// Added to its environment; `secret:NAME` stands for the secret of that name.
        env: Vec<(String, String)>,
    },
    /// Streamable HTTP; the secret `mcp/ID`, if there is one, is sent along.
    Url(String),
}

/// The name under which a server's tool is offered: letters, digits, `_` and `-`, at most 64 of them, as the
/// strictest provider wants it.
#[must_use]
pub fn offered_name(server: &str, tool: &str) -> String {
    let clean = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
    };
    let name = format!("mcp__{}__{}", clean(server), clean(tool));
    let exact = clean(server) == server && clean(tool) == tool;
    if exact && name.len() <= LONGEST_NAME {
        return name;
    }
    // What was lost is told apart by a hash.
    let hash = blake3::hash(format!("{server}\n{tool}").as_bytes()).to_hex();
    format!("{}_{}", &name[..name.len().min(LONGEST_NAME - 9)], &hash[..8])
}

const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_what_providers_take() {
        assert_eq!(offered_name("files", "read_file"), "mcp__files__read_file");
        assert!(offered_name("files", "read.file").starts_with("mcp__files__read_file_"));
        assert_ne!(offered_name("a", "读"), offered_name("a", "写"));
    }

    proptest! {
        #[test]
        fn any_two_tools_have_two_usable_names(a in "\\PC{1,90}", b in "\\PC{1,90}") {
            let (first, second) = (offered_name("s", &a), offered_name("s", &b));
            for name in [&first, &second] {
                prop_assert!(name.len() <= 64);
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)));
            }
            prop_assert!(a == b || first != second);
        }
    }
}
