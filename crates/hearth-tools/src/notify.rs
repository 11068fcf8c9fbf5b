//! `notify`: a notice to the person who is looking elsewhere.
//!
//! Invariants: short, and never anything but text; who shows it is the engine's. Absent here: quiet hours and
//! how many notices a day are too many.

use crate::call::{Invocation, Outcome};
use crate::files::object;
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_protocol::TurnId;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Characters of a headline and of the text below it.
const TITLE: usize = 80;
const BODY: usize = 400;

/// Shows notices.
#[async_trait]
pub trait Announce: Send + Sync {
    /// Shows one that a turn asked for.
    ///
    /// # Errors
    /// Why it was not shown.
    async fn announce(&self, turn: &TurnId, title: String, body: String) -> Result<(), String>;
}

/// Tells the person something.
pub struct Notify(pub Arc<dyn Announce>);

static NOTIFY: Descriptor = Descriptor {
    name: Cow::Borrowed("notify"),
    description: Cow::Borrowed(
        "Show your person a notice on their screen, when they asked to be told or must know now.",
    ),
    access: &[Access::Notifies],
    group: Group::Time,
    limit: Duration::from_secs(10),
    untrusted: false,
    policy: Cow::Borrowed("Shows a notice on this computer."),
    schema: Schema::Built(|| {
        object(json!({"title": {"type": "string"}, "body": {"type": "string"}}), &["title", "body"])
    }),
};

#[async_trait]
impl Tool for Notify {
    fn descriptor(&self) -> &Descriptor {
        &NOTIFY
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let title = line(call.text("title"), TITLE);
        let body = line(call.text("body"), BODY);
        if title.is_empty() && body.is_empty() {
            return Outcome::failed("A notice needs a title or a body.");
        }
        match self.0.announce(&call.turn, title, body).await {
            Ok(()) => Outcome::done("The notice was handed to the system."),
            Err(why) => Outcome::failed(why),
        }
    }
}

/// One line of plain text: what a system's notices can show.
fn line(text: &str, most: usize) -> String {
    let plain = crate::outputs::plain(text);
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(most) {
        None => words,
        Some((at, _)) => format!("{}…", &words[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<Vec<(String, String)>>);

    #[async_trait]
    impl Announce for Kept {
        async fn announce(
            &self,
            _turn: &TurnId,
            title: String,
            body: String,
        ) -> Result<(), String> {
            self.0.lock().expect("no panics").push((title, body));
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_notice_is_short_and_plain() {
        let kept = Arc::new(Kept::default());
        let tool = Notify(Arc::clone(&kept) as Arc<dyn Announce>);
        for (title, body, ok) in [
            ("Tea", "is\nready \u{1b}[31mnow", true),
            ("", " ", false),
            ("x", "长".repeat(900).as_str(), true),
        ] {
            let Value::Object(arguments) = json!({"title": title, "body": body}) else {
                panic!("an object")
            };
            let outcome = tool.run(Invocation::new(arguments, "t".into(), "c".into())).await;
            assert_eq!(outcome.ok, ok, "{}", outcome.text);
        }
        let kept = kept.0.lock().expect("no panics");
        assert_eq!(kept[0], ("Tea".to_owned(), "is ready now".to_owned()));
        assert_eq!((kept.len(), kept[1].1.chars().count()), (2, 401));
    }
}
