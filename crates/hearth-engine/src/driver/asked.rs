//! Which tools a conversation asks for, by its words: a model with a small window is offered these and a few
//! others. A list of names to load from leads it astray: it calls what it has only read the name of.
//!
//! Invariant: only what the person said counts, and all of it, so a tool stays while the conversation does.

use hearth_agent::prompt::names_a_file;
use hearth_agent::toolbox::Boxed;
use hearth_protocol::{Message, Role};
use std::collections::HashSet;

/// Words that a tool is asked for with; Chinese ones may stand inside of others.
const WORDS: [(&str, &[&str]); 10] = [
    ("edit_file", &["edit", "change", "replace", "修改", "改成", "替换"]),
    ("list_files", &["folder", "folders", "files", "list", "目录", "文件夹", "哪些文件"]),
    ("search_files", &["search", "grep", "搜索", "查找"]),
    ("exec", &["run", "command", "script", "terminal", "运行", "执行", "命令"]),
    ("web_fetch", &["http", "https", "www", "website", "webpage", "网页", "网站", "网址"]),
    (
        "memory_search",
        &["remember", "recall", "earlier", "yesterday", "记得", "上次", "之前", "昨天"],
    ),
    ("memory_forget", &["forget", "忘记", "忘掉"]),
    (
        "cron",
        &[
            "remind", "reminder", "every", "daily", "weekly", "schedule", "提醒", "每天", "每周",
            "定时",
        ],
    ),
    ("skill_load", &["skill", "skills", "技能"]),
    ("notify", &["notify", "notification", "通知"]),
];
/// Words that something is to be remembered with.
const REMEMBER: [&str; 7] = ["remember", "memory", "memorize", "forget", "记住", "记忆", "别忘"];
/// Parts of names that say nothing.
const SHORT: usize = 3;

/// Whether the person's messages ask for a tool.
pub(super) struct Asked {
    text: String,
    words: HashSet<String>,
}

impl Asked {
    pub(super) fn of(history: &[Message]) -> Self {
        let said = history.iter().filter(|message| message.role == Role::User);
        let text = said.map(Message::joined_text).collect::<Vec<_>>().join("\n").to_lowercase();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect();
        Self { text, words }
    }

    /// Hearth's own tools by the words above, those of other programs by the words of their names.
    pub(super) fn wants(&self, tool: &Boxed) -> bool {
        let name = tool.spec.name.as_str();
        if tool.outside {
            let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
            return parts
                .filter(|part| part.len() > SHORT)
                .any(|part| self.words.contains(&part.to_ascii_lowercase()));
        }
        let listed = WORDS.iter().find(|(tool, _)| *tool == name);
        listed.is_some_and(|(_, words)| words.iter().any(|word| self.says(word)))
    }

    /// Whether memory is where to write: not where the person named a file, unless they speak of memory, too. A
    /// small model takes the one for the other.
    pub(super) fn wants_memory(&self) -> bool {
        REMEMBER.iter().any(|word| self.says(word)) || !names_a_file(&self.text)
    }

    fn says(&self, word: &str) -> bool {
        if word.is_ascii() { self.words.contains(word) } else { self.text.contains(word) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::ToolSpec;
    use serde_json::json;

    fn wants(said: &str, tool: &str) -> bool {
        let (name, description) = (tool.to_owned(), String::new());
        let spec = ToolSpec { name, description, schema: json!({}) };
        let outside = tool.starts_with("mcp__");
        let history = [
            Message::text(Role::User, said, 0),
            Message::text(Role::Assistant, "Run a command? Search the folder?", 0),
        ];
        Asked::of(&history).wants(&Boxed { spec, outside })
    }

    #[test]
    fn what_is_for_a_file_is_not_for_memory() {
        let wants = |said: &str| Asked::of(&[Message::text(Role::User, said, 0)]).wants_memory();
        for said in ["I like tea.", "Remember what a.md says.", "记住a.md里的订单号"] {
            assert!(wants(said), "{said}");
        }
        for said in ["Append a note to notes.md.", "把它写进notes.md"] {
            assert!(!wants(said), "{said}");
        }
    }

    #[test]
    fn a_tool_is_asked_for_by_the_persons_words() {
        for (said, tool) in [
            ("Remind me at nine.", "cron"),
            ("每天九点提醒我", "cron"),
            ("What is on https://example.com?", "web_fetch"),
            ("Run it again.", "exec"),
            ("How is the weather?", "mcp__weather__get_now"),
        ] {
            assert!(wants(said, tool), "{said} {tool}");
        }
        for (said, tool) in [
            ("Good morning!", "cron"),
            ("I like running.", "exec"),
            ("Find it in orders.md.", "search_files"),
            ("Get it now.", "mcp__weather__get_now"),
        ] {
            assert!(!wants(said, tool), "{said} {tool}");
        }
    }
}
