//! Control commands: what a message that begins with a slash asks of Hearth itself.
//!
//! Invariants: one table feeds the parser, completion and `/help`; only the beginning of a message
//! counts; what looks like a command and is none is told apart from an ordinary message. Absent here: carrying
//! them out.

use hearth_protocol::api::chat::CommandRow;

/// What the person asks of Hearth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Stop what runs in this session.
    Stop,
    /// Begin a new conversation.
    New,
    /// Summarise the early conversation now.
    Compact,
    /// How things stand.
    Status,
    /// What the next model call would be given.
    Context,
    /// Show or choose the model.
    Model,
    /// Tokens and money.
    Usage,
    /// Work with a skill.
    Skill,
    /// Take back the last turn's file changes.
    Undo,
    /// The list of commands.
    Help,
}

/// A command with what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<'a> {
    /// Which.
    pub command: Command,
    /// The rest of the message, trimmed; empty where the command takes none.
    pub argument: &'a str,
}

struct Row {
    command: Command,
    name: &'static str,
    aliases: &'static [&'static str],
    argument: &'static str,
}

const TABLE: [Row; 10] = [
    Row { command: Command::Stop, name: "stop", aliases: &["停止"], argument: "" },
    Row { command: Command::New, name: "new", aliases: &["新建"], argument: "" },
    Row { command: Command::Compact, name: "compact", aliases: &["压缩"], argument: "[FOCUS]" },
    Row { command: Command::Status, name: "status", aliases: &["状态"], argument: "" },
    Row { command: Command::Context, name: "context", aliases: &["上下文"], argument: "" },
    Row {
        command: Command::Model,
        name: "model",
        aliases: &["模型"],
        argument: "[PROVIDER/MODEL]",
    },
    Row { command: Command::Usage, name: "usage", aliases: &["用量"], argument: "" },
    Row { command: Command::Skill, name: "skill", aliases: &["技能"], argument: "NAME" },
    Row { command: Command::Undo, name: "undo", aliases: &["撤销"], argument: "" },
    Row { command: Command::Help, name: "help", aliases: &["帮助"], argument: "" },
];

/// Reads a message; `None` is an ordinary message.
#[must_use]
pub fn parse(message: &str) -> Option<Asked<'_>> {
    let rest = message.trim().strip_prefix(['/', '／'])?;
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let argument = argument.trim();
    let word = word.to_lowercase();
    let row = TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word.as_str()))?;
    // "/new ideas for dinner?" is something to say, not an order.
    (argument.is_empty() || !row.argument.is_empty())
        .then_some(Asked { command: row.command, argument })
}

/// What follows `/skill`, if a message asks for a skill by its name.
#[must_use]
pub fn skill_argument(message: &str) -> Option<&str> {
    let asked = parse(message)?;
    (asked.command == Command::Skill && !asked.argument.is_empty()).then_some(asked.argument)
}

/// The word after the slash, where a message looks like a command that there is not: letters alone, then the
/// end or a space. A path (`/etc/hosts is …`) is an ordinary message, and so is what only begins with a
/// known command (`/new ideas?`).
#[must_use]
pub fn unknown(message: &str) -> Option<&str> {
    let rest = message.trim().strip_prefix(['/', '／'])?;
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let known = TABLE.iter().any(|row| row.name == lower || row.aliases.contains(&lower.as_str()));
    (!known && !word.is_empty() && word.chars().all(char::is_alphabetic)).then_some(word)
}

/// All commands, for completion and `/help`.
#[must_use]
pub fn rows() -> Vec<CommandRow> {
    TABLE
        .iter()
        .map(|row| CommandRow {
            name: row.name.to_owned(),
            aliases: row.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            argument: row.argument.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: Option<(Command, &str)>) {
        let asked = parse(message).map(|asked| (asked.command, asked.argument));
        assert_eq!(asked, expected, "{message:?}");
    }

    #[test]
    fn commands_stand_alone_at_the_beginning() {
        check("/stop", Some((Command::Stop, "")));
        check(" /STOP \n", Some((Command::Stop, "")));
        check("／停止", Some((Command::Stop, "")));
        check("/新建", Some((Command::New, "")));
        check("/model work/gpt-5-mini", Some((Command::Model, "work/gpt-5-mini")));
        check("/模型　local/qwen", Some((Command::Model, "local/qwen")));
        check("/model", Some((Command::Model, "")));
        for ordinary in [
            "",
            "/",
            "stop",
            "please /stop",
            "/stopp",
            "/new ideas for dinner?",
            "/etc/hosts",
            "//stop",
            "/ stop",
        ] {
            check(ordinary, None);
        }
    }

    #[test]
    fn a_word_after_a_slash_is_meant_as_a_command() {
        for (message, word) in [
            ("/xyz", "xyz"),
            (" /Help! ", ""),
            ("/stopp now", "stopp"),
            ("／结束", "结束"),
            ("/etc/hosts is empty", ""),
            ("/etc", "etc"),
            ("/new ideas for dinner?", ""),
            ("/usr/bin", ""),
            ("/2 of it", ""),
            ("/ stop", ""),
            ("//xyz", ""),
            ("/help", ""),
            ("xyz", ""),
        ] {
            assert_eq!(unknown(message).unwrap_or_default(), word, "{message:?}");
        }
    }

    #[test]
    fn every_row_is_read_by_its_name_and_aliases() {
        for (row, known) in rows().iter().zip(&TABLE) {
            for word in row.aliases.iter().chain([&row.name]) {
                check(&format!("/{word}"), Some((known.command, "")));
            }
        }
    }
}
