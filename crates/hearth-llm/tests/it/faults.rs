//! Provider errors end as the recorded table says, through a real connection where there is an answer.

use crate::calls::{call, http, model, model_at};
use crate::support::fixtures;
use chrono::{DateTime, Utc};
use hearth_llm::fault::{Answer, Trouble, of_answer};
use hearth_llm::retry::{Backoff, Next};
use hearth_llm::scripted::{Reply, Server};
use hearth_llm::wire::Format;
use hearth_protocol::{Fault, FaultKind, Retry};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[derive(Debug)]
struct Row {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    retry: String,
    wait: String,
    note: String,
}

fn rows() -> Vec<Row> {
    let table = std::fs::read_to_string(fixtures().join("provider_errors.tsv")).unwrap();
    let unescaped =
        |text: &str| text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    let row = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(unescaped).collect();
        let header = |line: &str| line.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        Row {
            status: columns[0].parse().unwrap(),
            headers: columns[1].lines().filter_map(header).collect(),
            body: columns[2].clone(),
            retry: columns[3].clone(),
            wait: columns[4].clone(),
            note: columns[5].clone(),
        }
    };
    table.lines().skip(1).map(row).collect()
}

async fn fault_of(row: &Row) -> Fault {
    match (row.status, row.body.as_str()) {
        (0, "connection refused") => Trouble::Refused.fault("https://api.example/v1"),
        (0, "dns failure") => Trouble::Offline.fault("https://api.example/v1"),
        (0, "tls: certificate expired") => Trouble::Tls.fault("https://api.example/v1"),
        (0, _) => Trouble::Timeout.fault("https://api.example/v1"),
        (status, body) => {
            let server = Server::start().await.unwrap();
            let headers: Vec<_> =
                row.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            server.push(Reply::answer(status, &headers, body));
            call(&model(&server, Format::Anthropic, Some("sk-the-key"))).await.1.unwrap_err().fault
        }
    }
}

#[tokio::test]
async fn every_row_of_the_table() {
    let rows = rows();
    assert_eq!(rows.len(), 46);
    for row in &rows {
        let fault = fault_of(row).await;
        let next = Backoff::new(7).after(&fault);
        let (retry, wait) = match next {
            Next::Again(pause) => ("retry", Some(pause)),
            Next::Resume(pause) => ("resume", Some(pause)),
            Next::Compact => ("after compaction", None),
            Next::Ask(_) => ("ask", None),
            Next::GiveUp => ("no", None),
        };
        assert_eq!(retry, row.retry, "{row:?} {fault:?}");
        match row.wait.strip_suffix(" s") {
            Some(seconds) => {
                let want = Duration::from_secs_f64(seconds.parse().unwrap());
                assert_eq!(wait, Some(want), "{row:?}");
            }
            None if row.wait == "backoff" => {
                assert!(wait.is_some_and(|pause| pause < Duration::from_secs(2)), "{row:?}");
            }
            None => assert_eq!(wait, None, "{row:?}"),
        }
        let shown = format!("{} {}", fault.message, fault.hint);
        assert!(!shown.contains(['<', '\n']) && !shown.contains("sk-"), "{shown}");
        assert!(!fault.message.is_empty() && !fault.hint.is_empty(), "{fault:?}");
        check_note(row, &fault);
    }
}

/// What the last column says beyond the retry.
fn check_note(row: &Row, fault: &Fault) {
    let note = row.note.as_str();
    let kind = match note {
        _ if note.contains("quota or billing") || note.contains("says balance") => FaultKind::Quota,
        _ if note.contains("points to settings") => FaultKind::BadKey,
        _ if note.contains("says the model is missing") => FaultKind::ModelMissing,
        _ if note.contains("wrong base URL") || note.contains("login page") => FaultKind::WrongUrl,
        _ if note.contains("redirect to another host") => FaultKind::WrongUrl,
        _ if note.contains("offline") => FaultKind::Offline,
        _ if note.contains("certificate or clock") => FaultKind::Tls,
        _ if note.contains("no first byte") => FaultKind::Timeout,
        _ if note == "the message is shown" => {
            assert!(fault.message.contains("Your region is not supported"), "{fault:?}");
            FaultKind::Forbidden
        }
        _ => return,
    };
    assert_eq!(fault.kind, kind, "{row:?}");
    if note.contains("says which URL was asked") {
        assert!(fault.message.contains("/v1/messages"), "{}", fault.message);
    }
    if note.contains("redirect to another host") {
        assert!(fault.message.contains("other.example"), "{}", fault.message);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_even_to_a_server_that_would_answer() {
    let (from, to) = (Server::start().await.unwrap(), Server::start().await.unwrap());
    to.push(Reply::new().text("stolen"));
    let location = format!("{}/chat/completions", to.base_url(Format::OpenaiChat));
    from.push(Reply::answer(307, &[("location", &location)], ""));
    let fault =
        call(&model(&from, Format::OpenaiChat, Some("sk-the-key"))).await.1.unwrap_err().fault;
    assert_eq!((fault.kind, to.requests().len()), (FaultKind::WrongUrl, 0));
}

/// The server speaks one format and is configured as another: one fault, and the kind to set.
#[tokio::test]
async fn a_server_of_another_kind_is_told_by_its_kind() {
    let words = ["openai", "openai-responses", "anthropic", "gemini", "ollama"];
    for (spoken, word) in Format::ALL.into_iter().zip(words) {
        let server = Server::start().await.unwrap();
        server.push(Reply::new().reasoning("hm").text("Hel").text("lo").usage(10, 0, 2));
        let body = raw_answer(&server, spoken).await;
        for configured in Format::ALL.into_iter().filter(|format| *format != spoken) {
            for kind in ["text/event-stream", "application/json"] {
                server.push(Reply::answer(200, &[("content-type", kind)], body.clone()));
                let (deltas, result) = call(&model(&server, configured, None)).await;
                let fault = result.unwrap_err().fault;
                assert_eq!(deltas, [], "{spoken:?} as {configured:?}");
                assert_eq!(fault.retry, Retry::No, "{spoken:?} as {configured:?}: {fault:?}");
                let wanted = format!("of kind \"{word}\"");
                assert!(fault.message.contains(&wanted), "{configured:?}: {}", fault.message);
                assert!(!fault.message.contains('{') && fault.hint.contains(word), "{fault:?}");
            }
        }
    }
}

/// What the scripted server sends in a format.
async fn raw_answer(server: &Server, format: Format) -> Vec<u8> {
    let base = server.base_url(format);
    let url = match format {
        Format::OpenaiChat => format!("{base}/chat/completions"),
        Format::OpenaiResponses => format!("{base}/responses"),
        Format::Anthropic => format!("{base}/v1/messages"),
        Format::Gemini => format!("{base}/models/m:streamGenerateContent?alt=sse"),
        Format::Ollama => format!("{base}/api/chat"),
    };
    // It sets up TLS for all clients.
    drop(http());
    let sent = reqwest::Client::new().post(url).body("{\"stream\":true}").send().await.unwrap();
    sent.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn an_answer_that_is_nothing_of_ours_is_not_quoted() {
    let server = Server::start().await.unwrap();
    for (body, what) in [
        ("{\"hello\": \"world\"}", "JSON"),
        ("data: {\"hello\": 1}\n\ndata: {\"hello\": 2}\n\n", "text"),
        ("pong", "text"),
    ] {
        for format in [Format::OpenaiChat, Format::Ollama] {
            server.push(Reply::answer(200, &[("content-type", "text/plain")], body));
            let fault = call(&model(&server, format, None)).await.1.unwrap_err().fault;
            assert_eq!((fault.kind, fault.retry), (FaultKind::WrongUrl, Retry::No), "{fault:?}");
            assert!(fault.message.contains(what) && !fault.message.contains("hello"), "{fault:?}");
        }
    }
    let body = "{\"error\":{\"message\":\"not found /v1/messages\"}}";
    server.push(Reply::answer(404, &[("content-type", "application/json")], body));
    let fault = call(&model(&server, Format::Anthropic, None)).await.1.unwrap_err().fault;
    assert_eq!(fault.kind, FaultKind::WrongUrl, "{fault:?}");
    assert!(fault.hint.contains("kind"), "{fault:?}");
}

#[tokio::test]
async fn base_urls_that_are_none() {
    let model = model_at("not a url sk-secret", Format::Gemini, Some("k"));
    let fault = call(&model).await.1.unwrap_err().fault;
    assert_eq!(fault.kind, FaultKind::WrongUrl);
    assert!(!fault.message.contains("sk-secret"), "{}", fault.message);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_told_from_one_that_is_not_there() {
    let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://127.0.0.1:{}/v1", plain.local_addr().unwrap().port());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        let mut hello = [0; 5];
        stream.read_exact(&mut hello).await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        // Held open: the answer must be enough.
        std::future::pending::<()>().await;
    });
    let fault = call(&model_at(&base, Format::OpenaiChat, None)).await.1.unwrap_err().fault;
    assert_eq!((fault.kind, fault.retry), (FaultKind::Tls, Retry::No), "{}", fault.message);
}

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-12-01T09:00:00Z").unwrap().with_timezone(&Utc)
}

#[test]
fn recorded_error_bodies() {
    let wire = fixtures().join("wire");
    let mut count = 0;
    for entry in std::fs::read_dir(wire.join("errors")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let body = std::fs::read(&path).unwrap();
        let expected =
            std::fs::read(wire.join("expected/errors").join(format!("{name}.json"))).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let expected = &expected["error"];
        let status = u16::try_from(expected["status"].as_u64().unwrap()).unwrap();
        let headers = HeaderMap::new();
        let url = "https://api.example/v1/chat/completions";
        let fault = of_answer(&Answer { status, headers: &headers, body: &body, url, now: now() });
        let kind = match fault.kind {
            FaultKind::BadKey | FaultKind::Forbidden => "auth",
            FaultKind::ModelMissing | FaultKind::WrongUrl => "not_found",
            FaultKind::RateLimited => "rate_limit",
            FaultKind::Unavailable if matches!(status, 503 | 529) => "overloaded",
            FaultKind::Unavailable | FaultKind::Rejected if status >= 500 => "server",
            _ => "bad_request",
        };
        assert_eq!(kind, expected["kind"], "{name} {fault:?}");
        assert_eq!(fault.retry != Retry::No, expected["retry"] == true, "{name} {fault:?}");
        check_message(&name, &fault, expected, &body);
        count += 1;
    }
    assert_eq!(count, 34);
}

/// The server's own words are shown, as far as they are words.
fn check_message(name: &str, fault: &Fault, expected: &Value, body: &[u8]) {
    assert!(!fault.message.contains('<'), "{name} {}", fault.message);
    let said = expected["message"].as_str().unwrap();
    let is_json = serde_json::from_slice::<Value>(body).is_ok();
    let plain = !said.contains("REDACTED") && !said.contains(['\n', '{', '<']) && said.len() < 200;
    if is_json && plain && !said.is_empty() && fault.kind != FaultKind::WrongUrl {
        let masked = fault.message.contains("[key]");
        assert!(masked || fault.message.contains(said), "{name}: {said:?} in {}", fault.message);
    }
}
