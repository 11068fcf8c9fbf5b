//! The workspace behind the engine: templates, versions, files that cannot be used, settings with mistakes.

use hearth_engine::api;
use hearth_llm::scripted::Reply;
use hearth_protocol::EventBody;
use hearth_protocol::api::files::{Author, FileSave, FileSaved};
use hearth_protocol::api::settings::{Meet, SettingSet};
use hearth_tests::{FORMATS, TestHome, ask, message};
use serde_json::json;

#[tokio::test]
async fn a_file_is_saved_versioned_and_restored() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let before = api::files::read(&engine, "SOUL.md".into()).await.expect("reads");
    assert!(before.exists, "templates are there");
    let edit = FileSave {
        path: "SOUL.md".into(),
        text: format!("{}\nOne more line.\n", before.text),
        base_hash: before.hash.clone(),
        base_text: before.text.clone(),
        confirmed: false,
    };
    let saved = api::files::save(&engine, edit).await.expect("saves");
    assert!(matches!(saved, FileSaved::Written { .. }));
    let versions = api::files::history(&engine, "SOUL.md".into()).await.expect("history");
    assert_eq!(versions[0].author, Author::User);
    assert_eq!(versions[1].author, Author::Template);
    let diff = api::files::diff(&engine, "SOUL.md".into(), versions[1].rev).await.expect("diff");
    assert!(diff.unified.contains("+One more line."));
    api::files::restore(&engine, "SOUL.md".into(), versions[1].rev).await.expect("restores");
    let after = api::files::read(&engine, "SOUL.md".into()).await.expect("reads");
    assert_eq!(after.hash, before.hash);
    engine.close().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_and_the_turn_works() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    std::fs::write(home.path("workspace/USER.md"), vec![0; 3_000_000]).expect("writes");
    home.server.push(Reply::new().text("Still here."));
    let events = ask(&engine, message("hello")).await.expect("asks");
    let notices: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Notice { body, .. } => Some(body.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("USER.md"));
    assert_eq!(std::fs::metadata(home.path("workspace/USER.md")).expect("there").len(), 3_000_000);
    engine.close().await;
}

#[tokio::test]
async fn mistakes_in_the_settings_are_named_and_the_rest_works() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let good = home.settings(format, kind);
    home.write_settings(&format!("{good}[ui]\ntheme = \"pink\"\n[ui2]\nx = 1\n")).expect("writes");
    let engine = home.open().await.expect("opens");
    let view = api::settings::get(&engine).await.expect("view");
    let keys: Vec<_> = view.problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["ui.theme", "ui2"]);
    assert_eq!((view.model_default.as_str(), view.theme.as_str()), ("work/scripted-1", "system"));
    let set = SettingSet { key: "ui.theme".into(), value: json!("dark") };
    let view = api::settings::set(&engine, set).await.expect("sets");
    assert_eq!((view.problems.len(), view.theme.as_str()), (1, "dark"));
    let set = SettingSet { key: "ui.theme".into(), value: json!("pink") };
    assert!(
        api::settings::set(&engine, set).await.expect_err("refuses").message.contains("\"dark\"")
    );
    engine.close().await;
}

#[tokio::test]
async fn the_first_start_writes_what_was_said() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let meet = Meet {
        assistant_name: "Lumen".into(),
        user_name: "Ada".into(),
        tone: "dry".into(),
        time_zone: "Europe/Berlin".into(),
    };
    api::settings::meet(&engine, meet).await.expect("writes");
    let identity = api::files::read(&engine, "IDENTITY.md".into()).await.expect("reads").text;
    let user = api::files::read(&engine, "USER.md".into()).await.expect("reads").text;
    assert!(identity.contains("Lumen") && user.contains("Ada") && user.contains("Europe/Berlin"));
    home.server.push(Reply::new().text("Hello Ada."));
    ask(&engine, message("hi")).await.expect("asks");
    assert!(home.server.requests()[0].body.to_string().contains("You are Lumen"));
    engine.close().await;
}
