//! Conversations from elsewhere, and a copy of the whole ledger.

use crate::support::{Home, key, lines};
use hearth_protocol::{Message, Role};
use hearth_store::{Brought, History, Store};

fn history(name: &str, said: &[(&str, &str)]) -> History {
    let turn = |(asked, answered): &(&str, &str)| {
        let asked = Message::text(Role::User, *asked, 100);
        (
            Some("chatgpt/gpt-5".to_owned()),
            vec![asked, Message::text(Role::Assistant, *answered, 130)],
        )
    };
    History {
        key: key(name),
        title: String::new(),
        archived: true,
        created_at: 90,
        updated_at: 130,
        turns: said.iter().map(turn).collect(),
        taint: "{}".to_owned(),
    }
}

#[tokio::test]
async fn a_conversation_comes_once_and_whole() {
    let home = Home::new().await;
    let store = &home.store;
    let one = history("assistant:import:chatgpt:1", &[("Where to?", "Lisbon."), ("When?", "May.")]);
    assert_eq!(store.would_bring_in(&one).await.unwrap(), Brought::Added);
    assert!(store.sessions().await.unwrap().is_empty());
    assert_eq!(store.bring_in(&one, 500).await.unwrap(), Brought::Added);
    let row = store.session(&one.key).await.unwrap().expect("there");
    assert_eq!(
        (row.title.as_str(), row.turns, row.updated_at, row.archived),
        ("Where to?", 2, 130, true)
    );
    let transcript = store.transcript(&one.key).await.unwrap();
    assert_eq!(transcript.turns.len(), 2);
    assert!(transcript.turns.iter().all(|turn| turn.turn.is_some() && !turn.running));
    let before = lines(&store.messages(&one.key).await.unwrap());
    let longer = history(
        "assistant:import:chatgpt:1",
        &[("Where to?", "Lisbon."), ("When?", "May."), ("Why?", "Sun.")],
    );
    assert_eq!(store.bring_in(&one, 501).await.unwrap(), Brought::There(0));
    assert_eq!(store.bring_in(&longer, 501).await.unwrap(), Brought::There(2));
    assert_eq!(store.would_bring_in(&longer).await.unwrap(), Brought::There(2));
    assert_eq!(lines(&store.messages(&one.key).await.unwrap()), before);
}

#[tokio::test]
async fn nothing_of_it_waits_to_be_written_to_memory() {
    let home = Home::new().await;
    let one = history("assistant:import:claude:1", &[("I live in Bergen.", "Noted.")]);
    home.store.bring_in(&one, 500).await.unwrap();
    assert!(home.store.unflushed().await.unwrap().is_empty());
    assert_eq!(home.store.stretches().await.unwrap().len(), 1, "but it is found");
    let next = [Message::text(Role::User, "I moved to Oslo.", 600)];
    home.store.append(&one.key, &next).await.unwrap();
    assert_eq!(home.store.unflushed().await.unwrap().len(), 1, "what is said from now on is");
}

#[tokio::test]
async fn a_copy_is_whole_while_the_ledger_is_in_use() {
    let home = Home::new().await;
    let one = history("assistant:import:claude:1", &[("one", "1")]);
    home.store.bring_in(&one, 500).await.unwrap();
    let reader = Store::open_reader(&home.folder.path().join("hearth.db")).await.unwrap();
    let copy = home.folder.path().join("copy.db");
    reader.copy_to(&copy).await.expect("a reader copies, too");
    let two = history("assistant:import:claude:2", &[("two", "2")]);
    home.store.bring_in(&two, 500).await.unwrap();
    assert!(reader.copy_to(&copy).await.is_err(), "nothing is overwritten");
    let copied = Store::open(&copy).await.expect("opens");
    copied.check().await.expect("sound");
    assert_eq!(copied.sessions().await.unwrap().len(), 1);
}
