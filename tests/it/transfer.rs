//! Moving in and out through the whole engine: what the window does.

use hearth_engine::api;
use hearth_llm::scripted::Reply;
use hearth_protocol::ErrorCode;
use hearth_protocol::SessionKey;
use hearth_protocol::api::entries::EntryAdd;
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::{ImportAsk, ImportSource};
use hearth_tests::{FORMATS, TestHome, ask, message};
use serde_json::json;

const PASSPHRASE: &str = "correct horse battery";

async fn home() -> TestHome {
    let (format, kind) = FORMATS[0];
    TestHome::new(format, kind).await.expect("home")
}

#[tokio::test]
async fn a_restore_of_an_open_home_waits_for_its_next_start() {
    let from = home().await;
    let engine = from.open().await.expect("opens");
    from.server.push(Reply::new().text("Inner quay."));
    ask(&engine, message("Where is the mooring?")).await.expect("asks");
    let entry = EntryAdd { text: "The boat is called Marvin.".to_owned(), ..EntryAdd::default() };
    api::entries::add(&engine, entry).await.expect("adds");
    let _ = api::settings::unlock(&engine, "a long passphrase".to_owned()).await;
    let sealed =
        api::secrets::set(&engine, "providers/other".to_owned(), "sk-other-0123456789".to_owned());
    sealed.await.expect("is sealed");
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("hearth.backup").display().to_string();
    let made = api::backups::make(&engine, file.clone(), PASSPHRASE.to_owned());
    let made = made.await.expect("is made");
    assert_eq!((made.counts.sessions, made.counts.secrets), (1, 1));
    assert!(made.left_out.is_empty(), "{:?}", made.left_out);

    let to = home().await;
    let engine = to.open().await.expect("opens");
    to.server.push(Reply::new().text("Mine."));
    ask(&engine, message("Who are you?")).await.expect("asks");
    let said = async |engine: &hearth_engine::Engine| {
        let messages = api::sessions::messages(engine, SessionKey::main()).await.expect("reads");
        messages.last().expect("a reply").joined_text()
    };
    let wrong = api::backups::prepare(&engine, file.clone(), "wrong horse".to_owned()).await;
    assert_eq!(wrong.expect_err("refused").code, ErrorCode::InvalidRequest);
    let prepared = api::backups::prepare(&engine, file.clone(), PASSPHRASE.to_owned()).await;
    let prepared = prepared.expect("is prepared");
    assert!(prepared.at_next_start && prepared.secrets != "locked", "{prepared:?}");
    // Once more: the first one gives way.
    api::backups::prepare(&engine, file, PASSPHRASE.to_owned()).await.expect("is prepared");
    assert_eq!(said(&engine).await, "Mine.", "until then nothing changes");
    engine.close().await;

    let engine = to.open().await.expect("opens");
    assert_eq!(said(&engine).await, "Inner quay.");
    let entries = api::entries::list(&engine).await.expect("lists");
    assert!(entries.iter().any(|entry| entry.text.contains("Marvin")), "{entries:?}");
    assert_eq!(api::secrets::list(&engine).await.expect("lists"), ["providers/other"]);
    if prepared.secrets == "passphrase" {
        let unlocked = api::settings::unlock(&engine, "a long passphrase".to_owned()).await;
        unlocked.expect("the passphrase of before opens them");
    }
    engine.close().await;
    let names = std::fs::read_dir(to.path("")).expect("reads").flatten();
    let names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let aside = names.iter().filter(|name| name.starts_with("before-restore-")).count();
    assert_eq!(aside, 1, "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with(".restore-")), "{names:?}");
}

#[tokio::test]
async fn an_import_tells_how_far_it_is_and_runs_once_at_a_time() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let folder = tempfile::tempdir().expect("a folder");
    let filling = "word ".repeat(2_000);
    let one = |number: usize| {
        json!({"uuid": format!("u-{number}"), "name": "n", "chat_messages": [
            {"sender": "human", "text": filling, "created_at": "2025-02-03T10:00:00Z"}]})
    };
    let list: Vec<_> = (0..600).map(one).collect();
    let path = folder.path().join("conversations.json");
    std::fs::write(&path, serde_json::to_vec(&list).expect("JSON")).expect("written");
    let request = ImportAsk {
        source: ImportSource::Claude,
        path: path.display().to_string(),
        dry_run: false,
    };
    let mut listener = engine.listen();
    let (first, second) = tokio::join!(
        api::imports::run(&engine, request.clone()),
        api::imports::run(&engine, request.clone())
    );
    let (report, refused) = match (first, second) {
        (Ok(report), Err(refused)) | (Err(refused), Ok(report)) => (report, refused),
        odd => panic!("{odd:?}"),
    };
    assert_eq!((report.counts.added, report.counts.messages), (600, 600));
    assert_eq!(refused.message, "an import is running already");
    let mut told = Vec::new();
    while let Some(hearth_engine::Heard::Signal(signal)) = listener.next().await {
        match signal {
            Signal::Import(progress) => told.push(progress),
            Signal::Sessions => break,
            _ => {}
        }
    }
    assert!(!told.is_empty(), "600 conversations take longer than one tick");
    assert!(told.windows(2).all(|two| two[0].done_bytes <= two[1].done_bytes));
    assert!(
        told.iter().all(|one| one.done_bytes <= one.total_bytes && one.total_bytes > 6_000_000)
    );
    let again = api::imports::run(&engine, request).await.expect("runs");
    assert_eq!((again.counts.added, again.counts.already_there), (0, 600));
    engine.close().await;
}
