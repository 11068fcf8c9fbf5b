//! Memory as it is written: by the assistant's tools, by the flush, by the person; and forgotten.

use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::entries::{EntryAdd, EntryChange, EntryEdit, EntryRow, EntryTake};
use hearth_protocol::api::memory::{Layer, MemoryQuery, SearchMode};
use hearth_protocol::{ErrorCode, Event, EventBody, MemoryEventKind, Purpose, SessionKey};
use hearth_tests::{FORMATS, TestHome, ask, done, message};
use serde_json::{Value, json};

struct Bench {
    home: TestHome,
    engine: Engine,
}

async fn bench() -> Bench {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    Bench { home, engine }
}

impl Bench {
    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.home.path("workspace").join(path)).unwrap_or_default()
    }

    async fn entries(&self) -> Vec<EntryRow> {
        api::entries::list(&self.engine).await.expect("lists")
    }

    async fn add(&self, text: &str) -> EntryRow {
        let add = EntryAdd { text: text.to_owned(), ..EntryAdd::default() };
        api::entries::add(&self.engine, add).await.expect("adds")
    }

    /// Says something; the model answers with these words.
    async fn say(&self, text: &str, reply: &str) -> Vec<Event> {
        self.home.server.push(Reply::new().text(reply));
        let events = ask(&self.engine, message(text)).await.expect("asks");
        assert!(done(&events).is_some_and(|(said, _)| said == reply), "{events:?}");
        events
    }

    /// Writes conversations down; the model proposes this.
    async fn flush(&self, answer: &str) {
        self.home.server.push(Reply::new().text(answer));
        api::entries::consolidate(&self.engine).await.expect("flushes");
    }

    async fn found(&self, query: &str) -> String {
        let query = MemoryQuery { query: query.to_owned(), ..MemoryQuery::default() };
        let answer = api::memory::search(&self.engine, query).await.expect("searches");
        answer.hits.into_iter().map(|hit| hit.text + "\n").collect()
    }
}

fn proposal(entries: &[Value]) -> String {
    json!({ "entries": entries }).to_string()
}

fn memory_events(events: &[Event]) -> Vec<(MemoryEventKind, String, u32)> {
    let memory = events.iter().filter_map(|event| match &event.body {
        // What is recalled before a turn is not written.
        EventBody::Memory { kind: MemoryEventKind::Recalled, .. } => None,
        EventBody::Memory { kind, path, from, .. } => Some((*kind, path.clone(), *from)),
        _ => None,
    });
    memory.collect()
}

#[tokio::test]
async fn what_the_assistant_is_told_to_remember_is_an_entry() {
    let b = bench().await;
    let call = || {
        let arguments = json!({ "text": "The cat is called Ada.", "kind": "fact" });
        Reply::new().call("memory_append", &arguments)
    };
    b.home.server.push(call());
    let events = b.say("Remember that my cat is called Ada", "Noted.").await;
    assert_eq!(memory_events(&events), [(MemoryEventKind::Created, "MEMORY.md".to_owned(), 5)]);
    let rows = b.entries().await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let (row, text) = (&rows[0], b.read("MEMORY.md"));
    assert_eq!((row.kind.as_str(), row.status.as_str()), ("fact", "active"));
    assert!(
        text.starts_with("# Memory\n")
            && text.contains(&format!("<!-- id: {}; kind: fact; time: 20", row.id)),
        "{text}"
    );
    assert!(text.contains("source: session assistant:main, turn "), "{text}");

    // Told again in another turn: one entry, held more firmly.
    b.home.server.push(call());
    let events = b.say("Again: my cat is called Ada", "I know.").await;
    assert_eq!(memory_events(&events), []);
    assert_eq!(b.entries().await.len(), 1);
    assert!(b.read("MEMORY.md").contains("seen: 2"));
    let view = api::entries::view(&b.engine, row.id.clone()).await.expect("views");
    let changes: Vec<_> = view.history.iter().map(|event| event.change).collect();
    // The second turn was given it, too.
    assert_eq!(changes, [EntryChange::Created, EntryChange::Recalled, EntryChange::Strengthened]);
    assert_eq!(view.history[0].session, Some(SessionKey::main()));
    assert!(view.history[0].turn.is_some() && view.seen == 2);
    b.engine.close().await;
}

#[tokio::test]
async fn a_search_by_the_assistant_names_what_it_recalled() {
    let b = bench().await;
    let row = b.add("The spare key lies under the blue pot.").await;
    b.home.server.push(Reply::new().call("memory_search", &json!({ "query": "spare key" })));
    let events = b.say("Where is the spare key?", "Under the blue pot.").await;
    let recalled = events.iter().any(|event| match &event.body {
        EventBody::Memory { kind: MemoryEventKind::Recalled, path, from, .. } => {
            path == "MEMORY.md" && *from == row.lines.0
        }
        _ => false,
    });
    assert!(recalled, "{events:?}");
    let result = events.iter().find_map(|event| match &event.body {
        EventBody::ToolEnd { ok, result, .. } => Some((*ok, result.clone())),
        _ => None,
    });
    assert!(
        result.is_some_and(|(ok, text)| ok
            && text.contains("blue pot")
            && text.contains("MEMORY.md#L"))
    );
    let days = api::entries::timeline(&b.engine, None).await.expect("a timeline");
    let recalled = || {
        let events = days.iter().flat_map(|day| &day.events);
        events.filter(|event| event.change == EntryChange::Recalled)
    };
    // The prompt was given it too: once a day is enough.
    assert_eq!(recalled().count(), 1, "{days:?}");
    let event = recalled().next().expect("one");
    assert_eq!((event.entry.as_str(), event.text.as_str()), (row.id.as_str(), row.text.as_str()));
    assert!(
        event.turn.is_some() && event.session == Some(SessionKey::main()) && !event.why.is_empty()
    );
    b.engine.close().await;
}

#[tokio::test]
async fn a_quote_of_what_was_superseded_says_so_and_stands_below_what_holds() {
    let b = bench().await;
    b.say("I live in Berlin, right beside the zoo.", "Noted.").await;
    let old = b.add("The user lives in Berlin right beside the zoo.").await;
    b.say("Is Berlin bigger than Hamburg?", "It is.").await;
    b.say("We moved! I live in Lisbon now, at the harbour.", "How nice.").await;
    let lisbon = "The user lives in Lisbon at the harbour.".to_owned();
    let new = api::entries::correct(&b.engine, old.id.clone(), lisbon).await.expect("corrects");
    for query in
        ["Where do I live?", "I live in Berlin beside the zoo", "Berlin", "live harbour zoo"]
    {
        for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
            let asked = MemoryQuery {
                query: query.to_owned(),
                mode,
                k: Some(50),
                ..MemoryQuery::default()
            };
            let hits = api::memory::search(&b.engine, asked).await.expect("searches").hits;
            let current = hits.iter().position(|hit| hit.id == new.id);
            for (place, hit) in hits.iter().enumerate() {
                assert_ne!(hit.id, old.id, "{query}");
                let quote = hit.text.contains("beside the zoo");
                assert_eq!(hit.superseded.is_some(), quote, "{query}: {hit:?}");
                if quote {
                    let now = hit.superseded.as_ref().expect("it is one");
                    assert_eq!((&now.id, &now.text), (&new.id, &new.text));
                    assert!(hit.why[0].starts_with("superseded by "), "{:?}", hit.why);
                    assert!(current.is_none_or(|current| current < place), "{query}: {hits:?}");
                }
            }
        }
    }
    // The assistant that looks for it is told, and the prompt is given what holds alone.
    b.home.server.push(Reply::new().call("memory_search", &json!({ "query": "Berlin zoo" })));
    let _ = b.home.server.take_requests();
    b.say("Where do I live, in Berlin beside the zoo?", "In Lisbon.").await;
    let requests = b.home.server.take_requests();
    let last = requests.last().expect("a request").body.to_string();
    assert!(last.contains("This holds no more. Now, by ["), "{last}");
    b.engine.close().await;
}

#[tokio::test]
async fn a_conversation_is_written_down_once() {
    let b = bench().await;
    b.say("My name is Zhang Wei. The launch is on 3 March 2027. I fixed the roof today.", "Good.")
        .await;
    b.flush(&proposal(&[
        json!({"text": "Is called Zhang Wei", "title": "Name", "kind": "fact", "about_user": true, "from": [1]}),
        json!({"text": "The launch is on 3 March 2027", "kind": "decision", "from": [1]}),
        json!({"text": "Fixed the roof", "kind": "event", "from": [1]}),
        json!({"text": "The launch costs 5000", "kind": "fact", "from": [1]}),
    ]))
    .await;
    let asked = b.home.server.requests().len();
    assert!(
        b.read("USER.md").contains("## Name\n<!-- id: ")
            && b.read("USER.md").contains("Is called Zhang Wei")
    );
    assert!(b.read("MEMORY.md").contains("The launch is on 3 March 2027\n"));
    let log = b.entries().await.into_iter().find(|row| row.kind == "event").expect("an event");
    assert!(
        log.path.starts_with("memory/20") && b.read(&log.path).contains("Fixed the roof <!-- id: ")
    );
    assert!(b.entries().await.iter().all(|row| !row.text.contains("5000")), "nobody said that");

    api::entries::consolidate(&b.engine).await.expect("nothing is left");
    assert_eq!(b.home.server.requests().len(), asked, "no model call without anything new");
    let usage = api::usage::rows(&b.engine, 1).await.expect("rows");
    assert!(usage.iter().any(|row| row.purpose == Purpose::Flush && row.calls == 1), "{usage:?}");

    // The same again strengthens; another date supersedes, though the model does not say so.
    b.say("As I said: the launch! It is on 17 March 2027 now. And my name is Zhang Wei.", "Fine.")
        .await;
    b.flush(&proposal(&[
        json!({"text": "The user is called Zhang Wei", "kind": "fact", "about_user": true, "from": [1]}),
        json!({"text": "The launch is on 17 March 2027", "kind": "decision", "from": [1]}),
    ]))
    .await;
    let memory = b.read("MEMORY.md");
    assert!(
        memory.contains("status: superseded by m") && memory.contains("17 March 2027"),
        "{memory}"
    );
    assert_eq!(b.read("USER.md").matches("Zhang Wei").count(), 1, "{}", b.read("USER.md"));
    assert!(b.read("USER.md").contains("seen: 2"));
    // Conversations say what was said on their day; what is held is the new date alone.
    let query = "When is the launch?".to_owned();
    let held = MemoryQuery { query, layer: Some(Layer::LongTerm), ..MemoryQuery::default() };
    let found = api::memory::search(&b.engine, held).await.expect("searches").hits;
    let texts: Vec<_> = found.iter().map(|hit| hit.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("17 March")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains(" 3 March")), "{texts:?}");
    b.engine.close().await;
}

#[tokio::test]
async fn where_the_model_fails_the_host_writes_down_what_was_said() {
    let b = bench().await;
    b.say("Please remember: the alarm code sheet hangs in the hall.", "Sure.").await;
    b.say("I sold the old bicycle to Tom this morning", "Nice.").await;
    b.flush("I have carefully noted everything!").await;
    assert!(
        b.read("MEMORY.md").contains("the alarm code sheet hangs in the hall"),
        "{}",
        b.read("MEMORY.md")
    );
    let log = b.entries().await.into_iter().find(|row| row.kind == "event").expect("an event");
    assert_eq!(log.text, "I sold the old bicycle to Tom this morning");
    b.engine.close().await;

    // No model at all.
    let b = bench().await;
    b.say("Remember that the bakery closes at 18:00", "Sure.").await;
    b.home.server.push(Reply::answer(401, &[], r#"{"error":{"message":"no"}}"#));
    api::entries::consolidate(&b.engine).await.expect("all the same");
    assert!(b.read("MEMORY.md").contains("the bakery closes at 18:00"));
    b.engine.close().await;
}

#[tokio::test]
async fn memory_stays_within_what_a_prompt_carries() {
    let b = bench().await;
    let full = format!("# Memory\n\n## Big\n{}\n", "x".repeat(19_850));
    std::fs::write(b.home.path("workspace/MEMORY.md"), &full).expect("writes");
    b.say("The dog is called Bo, by the way, and he is brown", "Nice.").await;
    b.flush(&proposal(&[
        json!({"text": "The dog is called Bo and is brown", "kind": "fact", "from": [1]}),
    ]))
    .await;
    assert_eq!(b.read("MEMORY.md"), full);
    let rows = b.entries().await;
    let row = rows.iter().find(|row| row.text.contains("Bo")).expect("in the log");
    assert!(row.path.starts_with("memory/20"));
    b.engine.close().await;
}

#[tokio::test]
async fn at_fifty_entries_memory_is_tidied_and_ids_survive() {
    let b = bench().await;
    let mut text = "# Memory\n\nKept by hand.\n".to_owned();
    let words = ["apple", "bridge", "cloud", "desk", "engine", "forest", "garden"];
    for n in 0..55 {
        let status = if n == 3 { "superseded by m4" } else { "active" };
        let said = format!("{} {} number {n}", words[n % 7], words[n / 7 % 7]);
        text += &format!(
            "\n## Entry {n}\n<!-- id: m{n}; kind: fact; time: 2026-01-{:02}; source: session assistant:main; status: {status} -->\n{said}\n",
            n % 28 + 1
        );
    }
    std::fs::write(b.home.path("workspace/MEMORY.md"), &text).expect("writes");
    let before = b.entries().await;
    assert_eq!(before.len(), 55);
    api::entries::consolidate(&b.engine).await.expect("tidies");
    let after = b.entries().await;
    let kept: Vec<_> = after.iter().filter(|row| row.path == "MEMORY.md").collect();
    assert_eq!(kept.len(), 40);
    assert!(b.read("MEMORY.md").starts_with("# Memory\n\nKept by hand.\n"));
    for old in before.iter().filter(|row| row.status == "active") {
        let now = after.iter().find(|row| row.id == old.id).expect("every fact that holds is kept");
        assert!(now.text.contains(&old.text), "{now:?}");
    }
    assert!(!after.iter().any(|row| row.id == "m3"));
    let history = api::files::history(&b.engine, "MEMORY.md".to_owned()).await.expect("history");
    let mut original = false;
    for row in history {
        let diff =
            api::files::diff(&b.engine, "MEMORY.md".to_owned(), row.rev).await.expect("diff");
        original |= diff.unified.contains("superseded by m4");
    }
    assert!(original, "the original stays as a version");
    b.engine.close().await;
}

#[tokio::test]
async fn what_is_forgotten_is_nowhere_and_can_be_brought_back() {
    let b = bench().await;
    let said = "My locker at the pool is number 4711. What else?";
    b.say(said, "Your locker at the pool is number 4711, noted.").await;
    b.flush(&proposal(&[
        json!({"text": "The locker at the pool is number 4711", "kind": "fact", "from": [1]}),
    ]))
    .await;
    b.add("The gym opens at six in the morning").await;
    let before = b.read("MEMORY.md");
    let row = b.entries().await.into_iter().find(|row| row.text.contains("4711")).expect("there");
    assert!(b.found("locker pool").await.contains("4711"));

    let gone = api::entries::forget(&b.engine, row.id.clone(), false).await.expect("forgets");
    assert!(gone.masked >= 3 && gone.until.is_some(), "{gone:?}");
    assert!(!b.read("MEMORY.md").contains("4711") && b.read("MEMORY.md").contains("The gym opens"));
    for query in ["locker pool", "4711", "number of the locker at the pool"] {
        assert!(!b.found(query).await.contains("4711"), "{query}");
    }
    let main = SessionKey::main();
    let shown = |rows: Vec<hearth_protocol::api::chat::MessageRow>| {
        rows.into_iter().map(|row| row.text + "\n").collect::<String>()
    };
    let messages = shown(api::sessions::rows(&b.engine, main.clone()).await.expect("rows"));
    assert!(
        !messages.contains("4711")
            && messages.contains("[forgotten]")
            && messages.contains("What else?"),
        "{messages}"
    );
    let call = api::context::numbered(&b.engine, main.clone(), 1).await.expect("a manifest");
    let prompt: String = call.sections.iter().filter_map(|section| section.text.clone()).collect();
    assert!(!prompt.contains("4711") && !prompt.is_empty());
    let transcript = api::sessions::open(&b.engine, main.clone()).await.expect("opens");
    assert!(!serde_json::to_string(&transcript).expect("json").contains("4711"));
    let view = api::entries::view(&b.engine, row.id.clone()).await.expect("views");
    assert!(view.row.is_none() && view.forgotten_until.is_some());
    assert!(view.history.iter().all(|event| event.text.is_empty() && event.title.is_empty()));

    let back = api::entries::bring_back(&b.engine, row.id.clone()).await.expect("back");
    assert_eq!(
        (back.text.as_str(), b.read("MEMORY.md")),
        ("The locker at the pool is number 4711", before)
    );
    let messages = shown(api::sessions::rows(&b.engine, main).await.expect("rows"));
    assert!(messages.contains(said));
    assert!(b.found("locker pool").await.contains("4711"));

    api::entries::forget(&b.engine, row.id.clone(), true).await.expect("erases");
    let again = api::entries::bring_back(&b.engine, row.id).await.expect_err("erased");
    assert_eq!(again.code, ErrorCode::NotFound);
    b.engine.close().await;
    for name in ["hearth.db", "hearth.db-wal"] {
        let bytes = std::fs::read(b.home.path(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("number 4711"), "{name} still holds it");
    }
}

#[tokio::test]
async fn the_person_edits_corrects_and_settles() {
    let b = bench().await;
    let row = b.add("The office is on floor 3 of the tower").await;
    let edit = EntryEdit { id: row.id.clone(), title: Some("Office".to_owned()), text: None };
    assert_eq!(api::entries::edit(&b.engine, edit).await.expect("edits").title, "Office");
    let new = api::entries::correct(
        &b.engine,
        row.id.clone(),
        "The office is on floor 5 of the tower".to_owned(),
    );
    let new = new.await.expect("corrects");
    let old = b.entries().await.into_iter().find(|one| one.id == row.id).expect("history");
    assert_eq!(old.status, format!("superseded by {}", new.id));
    let again = api::entries::correct(&b.engine, row.id.clone(), "x".to_owned())
        .await
        .expect_err("superseded");
    assert_eq!(again.code, ErrorCode::InvalidRequest);

    // What the person wrote by hand is not overruled by a number alone.
    b.say("The office is on floor 9 of the tower today", "Ok.").await;
    b.flush(&proposal(&[
        json!({"text": "The office is on floor 9 of the tower", "kind": "fact", "from": [1]}),
    ]))
    .await;
    let conflicts = api::entries::conflicts(&b.engine).await.expect("conflicts");
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(conflicts[0].held.id, new.id);
    let settled = api::entries::settle(&b.engine, conflicts[0].conflict, EntryTake::Other).await;
    assert!(settled.expect("settles").is_some_and(|row| row.text.contains("floor 9")));
    assert_eq!(api::entries::conflicts(&b.engine).await.expect("none"), []);
    let days = api::entries::timeline(&b.engine, None).await.expect("timeline");
    let changes: Vec<_> = days[0].events.iter().map(|event| event.change).collect();
    assert_eq!(days.len(), 1);
    assert!(changes.contains(&EntryChange::Edited) && changes.contains(&EntryChange::Superseded));
    b.engine.close().await;
}

#[tokio::test]
async fn a_refused_memory_file_fails_the_tool_and_nothing_else() {
    let b = bench().await;
    let big = vec![b'a'; 3 << 20];
    std::fs::write(b.home.path("workspace/MEMORY.md"), &big).expect("writes");
    b.home
        .server
        .push(Reply::new().call("memory_append", &json!({ "text": "The cat is called Ada." })));
    let events = b.say("Remember my cat", "That did not work.").await;
    let failed = events.iter().any(|event| {
        matches!(&event.body, EventBody::ToolEnd { ok: false, result, .. } if result.contains("at most 2 MiB"))
    });
    assert!(failed, "{events:?}");
    assert_eq!(std::fs::read(b.home.path("workspace/MEMORY.md")).expect("reads"), big);
    b.engine.close().await;
}

#[tokio::test]
async fn a_small_window_is_given_what_its_files_have_no_room_for() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let settings = home.settings(format, kind).replace("window = 128000", "window = 8000");
    home.write_settings(&settings).expect("writes");
    let bench = Bench { engine: home.open().await.expect("opens"), home };
    for n in 0..45 {
        bench.add(&format!("The crate number {n} stands in row {} of the barn.", n * 3)).await;
        if n == 20 {
            bench.add("The skipper of the ferry is called Ingvild Nordahl.").await;
        }
    }
    drop(bench.home.server.take_requests());
    bench.say("What is the skipper of the ferry called?", "Ingvild Nordahl.").await;
    let requests = bench.home.server.take_requests();
    let prompt = requests[0].body["messages"][0]["content"].to_string();
    assert!(!prompt.contains("The crate number 22 "), "all of MEMORY.md stands there: {prompt}");
    assert!(prompt.contains("Ingvild Nordahl"), "{prompt}");
}
