//! Past conversations are recalled as they are said, and no longer than they are there.

use std::sync::{Arc, Mutex};

use hearth_memory::{ConversationPart, Conversations, Spoken, Waiting};
use hearth_protocol::api::memory::{Layer, MemoryQuery};

use crate::support::{Letters, Place, ask, texts};

/// A ledger of one session with a hundred places a part.
#[derive(Debug, Default)]
struct Ledger(Mutex<Vec<Spoken>>);

impl Ledger {
    fn say(&self, by_assistant: bool, text: &str) {
        let mut said = self.0.lock().unwrap();
        let position = said.len() as i64 + 1;
        said.push(Spoken {
            id: format!("m{position}"),
            position,
            by_assistant,
            at: "2026-11-20 10:00".to_owned(),
            text: text.to_owned(),
        });
    }

    fn mask(&self, id: &str) {
        self.0.lock().unwrap().retain(|turn| turn.id != id);
    }
}

impl Conversations for Ledger {
    fn parts(&self) -> Waiting<'_, Vec<ConversationPart>> {
        let said = self.0.lock().unwrap();
        let mut parts: Vec<ConversationPart> = Vec::new();
        for turn in said.iter() {
            let number = turn.position / 4;
            if parts.last().is_none_or(|part| part.number != number) {
                let session = "assistant:work#1".to_owned();
                parts.push(ConversationPart { session, number, mark: String::new() });
            }
            if let Some(part) = parts.last_mut() {
                part.mark.push_str(&turn.id);
            }
        }
        Box::pin(async move { Ok(parts) })
    }

    fn turns(&self, part: ConversationPart) -> Waiting<'_, Vec<Spoken>> {
        let said = self.0.lock().unwrap();
        let own = said.iter().filter(|turn| turn.position / 4 == part.number).cloned().collect();
        Box::pin(async move { Ok(own) })
    }
}

#[tokio::test]
async fn what_was_said_is_found_and_what_is_masked_is_not() {
    let place = Place::new();
    place.write("memory/2026-11-01.md", "- the kayak is in the shed\n");
    let ledger = Arc::new(Ledger::default());
    for n in 0..6 {
        ledger.say(false, &format!("Tell me about topic {n}"));
        ledger.say(true, &format!("Topic {n} is about rivers."));
    }
    ledger.say(false, "My locker code is 7788.");
    ledger.say(true, "Noted.");
    let letters = Letters::new(64);
    let memory = place.memory_with(Some(letters), Some(ledger.clone())).await;
    memory.embed(&mut |_| true).await.unwrap();
    let hit = &ask(&memory, "locker code").await.hits[0];
    assert_eq!(
        (hit.path.as_str(), hit.from, hit.to, hit.id.as_str()),
        ("conversation:assistant:work#1", 13, 13, "m13")
    );
    assert_eq!(hit.text, "2026-11-20 User: My locker code is 7788.");
    assert!(hit.docs.is_empty(), "nothing was imported");
    let query = MemoryQuery {
        query: "locker code".to_owned(),
        now: Some("2026-11-21".to_owned()),
        layer: Some(Layer::Recent),
        ..MemoryQuery::default()
    };
    assert!(!memory.search(&query).await.unwrap().nothing_found, "recent sessions are L2");

    ledger.say(false, "The kayak needs paint.");
    assert_eq!(memory.sync_conversations().await.unwrap(), 1, "only the last part is read again");
    memory.embed(&mut |_| true).await.unwrap();
    let both = texts(&memory, "kayak").await;
    assert!(both[..2].iter().all(|text| text.contains("kayak")), "{both:?}");

    ledger.mask("m13");
    assert_eq!(memory.sync_conversations().await.unwrap(), 1);
    for text in texts(&memory, "locker code 7788").await {
        assert!(!text.contains("7788"), "{text}");
    }
    memory.close().await;

    let memory = place.memory().await;
    let left = texts(&memory, "kayak").await;
    assert_eq!(left, ["2026-11-01: the kayak is in the shed"], "turned off, none is left");
}
