//! Fetching one file over HTTP: resumed where it stopped, checked before it gets its name.
//!
//! Invariants: the final name exists only with the right SHA-256; an interrupted fetch leaves `FILE.part`
//! for the next one; a part with a wrong hash is removed, for resuming it could never succeed.

use super::digest;
use futures::StreamExt;
use reqwest::header::{CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;
use tokio_util::sync::CancellationToken;

/// Attempts without a single new byte before a source is given up.
const BARREN_ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(400);

/// Why a file was not fetched.
#[derive(Debug, Error)]
pub(crate) enum FetchError {
    /// The person stopped it.
    #[error("stopped")]
    Cancelled,
    /// There is no way to the server: no name, no route, nobody who answers.
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    /// The server broke off.
    #[error("{0}")]
    Network(String),
    /// It answered, but not with the file.
    #[error("the server answered {0}")]
    Answer(String),
    /// It sent another file.
    #[error(
        "the file is not the expected one (SHA-256 {found}, expected {expected}); it was removed"
    )]
    WrongHash {
        /// What came.
        found: String,
        /// What should have come.
        expected: String,
    },
    /// It cannot be stored.
    #[error("{path} cannot be written: {source}")]
    Disk {
        /// Where.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// What to fetch and where to put it.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) url: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// What a fetch tells while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many bytes are here.
    Fetched(u64),
    /// All bytes are here and are being checked.
    Checking,
}

/// Where an unfinished file lies.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Fetches, checks and names the file. A server that cannot be reached at all is given up at once, for
/// another source may be there; one that breaks off is tried again.
pub(crate) async fn fetch(
    client: &Client,
    wanted: &Wanted,
    cancel: &CancellationToken,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<(), FetchError> {
    let part = part_of(&wanted.path);
    let work = async {
        download(client, wanted, &part, tell).await?;
        tell(Step::Checking);
        settle(wanted, &part).await
    };
    tokio::select! {
        () = cancel.cancelled() => Err(FetchError::Cancelled),
        result = work => result,
    }
}

/// Gives the checked part its name, or removes it.
pub(crate) async fn settle(wanted: &Wanted, part: &Path) -> Result<(), FetchError> {
    let found = digest::sha256(part).await.map_err(|source| disk(part, source))?;
    if found != wanted.sha256 {
        let _ = tokio::fs::remove_file(part).await;
        let _ = tokio::fs::remove_file(tag_of(part)).await;
        return Err(FetchError::WrongHash { found, expected: wanted.sha256.clone() });
    }
    let _ = tokio::fs::remove_file(tag_of(part)).await;
    tokio::fs::rename(part, &wanted.path).await.map_err(|source| disk(&wanted.path, source))
}

async fn download(
    client: &Client,
    wanted: &Wanted,
    part: &Path,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<(), FetchError> {
    let mut barren = 0;
    let mut reached = false;
    loop {
        let before = length(part).await;
        if before == wanted.bytes {
            return Ok(());
        }
        if before > wanted.bytes {
            tokio::fs::remove_file(part).await.map_err(|source| disk(part, source))?;
            continue;
        }
        let error = match attempt(client, wanted, part, before, tell).await {
            Ok(()) => return Ok(()),
            Err(error @ FetchError::Network(_)) => error,
            Err(error @ FetchError::Unreachable(_)) if reached => error,
            Err(error) => return Err(error),
        };
        reached = true;
        barren = if length(part).await > before { 0 } else { barren + 1 };
        if barren >= BARREN_ATTEMPTS {
            return Err(error);
        }
        tokio::time::sleep(PAUSE * (barren + 1)).await;
    }
}

async fn attempt(
    client: &Client,
    wanted: &Wanted,
    part: &Path,
    have: u64,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<(), FetchError> {
    let response = ask(client, wanted, part, have).await?;
    let start = if response.status() == StatusCode::PARTIAL_CONTENT { have } else { 0 };
    let mut file = open(part, start).await.map_err(|source| disk(part, source))?;
    if let Some(tag) = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()) {
        let _ = tokio::fs::write(tag_of(part), tag).await;
    }
    let mut here = start;
    let mut stream = response.bytes_stream();
    let ended = loop {
        match stream.next().await {
            None => break Ok(()),
            Some(Err(error)) => break Err(FetchError::Network(network(&error))),
            Some(Ok(bytes)) => {
                here += bytes.len() as u64;
                if here > wanted.bytes {
                    let expected = wanted.bytes;
                    break Err(FetchError::Answer(format!(
                        "with a file longer than {expected} bytes"
                    )));
                }
                file.write_all(&bytes).await.map_err(|source| disk(part, source))?;
                tell(Step::Fetched(here));
            }
        }
    };
    file.flush().await.map_err(|source| disk(part, source))?;
    ended?;
    match here == wanted.bytes {
        true => Ok(()),
        false => Err(FetchError::Network("the connection ended before the file did".to_owned())),
    }
}

async fn ask(
    client: &Client,
    wanted: &Wanted,
    part: &Path,
    have: u64,
) -> Result<Response, FetchError> {
    let mut request = client.get(&wanted.url);
    if have > 0 {
        request = request.header(RANGE, format!("bytes={have}-"));
        if let Ok(tag) = tokio::fs::read_to_string(tag_of(part)).await {
            request = request.header(IF_RANGE, tag);
        }
    }
    let response = request.send().await.map_err(|error| {
        let reason = network(&error);
        if error.is_connect() {
            FetchError::Unreachable(reason)
        } else {
            FetchError::Network(reason)
        }
    })?;
    let status = response.status();
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Err(FetchError::Network(format!("the server answered {status}")));
    }
    if !status.is_success() {
        return Err(FetchError::Answer(status.to_string()));
    }
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    if header(CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/html")) {
        return Err(FetchError::Answer("with a web page instead of the file".to_owned()));
    }
    let range = header(CONTENT_RANGE).unwrap_or_default();
    if status == StatusCode::PARTIAL_CONTENT && !range.starts_with(&format!("bytes {have}-")) {
        return Err(FetchError::Answer(format!("with another range than asked for ({range})")));
    }
    Ok(response)
}

async fn open(part: &Path, start: u64) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    match start {
        0 => options.truncate(true),
        _ => options.append(true),
    };
    options.open(part).await
}

async fn length(path: &Path) -> u64 {
    tokio::fs::metadata(path).await.map_or(0, |meta| meta.len())
}

/// What is noted of an unfinished file beside it: how to go on.
pub(super) fn tag_of(part: &Path) -> PathBuf {
    part.with_extension("etag")
}

fn disk(path: &Path, source: std::io::Error) -> FetchError {
    FetchError::Disk { path: path.display().to_string(), source }
}

/// The innermost reason: the outer ones only say that a request failed.
fn network(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream};

    const TAG: &str = "\"v1\"";

    /// A server on loopback that serves one body with ranges and remembers what it was asked.
    pub(crate) struct Files {
        pub(crate) url: String,
        body: Arc<Vec<u8>>,
        asked: Arc<Mutex<Vec<Option<String>>>>,
    }

    impl Files {
        /// `front`: what to answer instead of the file.
        pub(crate) async fn start(body: Vec<u8>, tag: &'static str, front: Option<String>) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
            let url = format!("http://{}/m.gguf", listener.local_addr().expect("address"));
            let (body, asked) = (Arc::new(body), Arc::new(Mutex::new(Vec::new())));
            let files = Self { url, body: Arc::clone(&body), asked: Arc::clone(&asked) };
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    answer(stream, &body, tag, front.as_deref(), &asked).await;
                }
            });
            files
        }
    }

    async fn answer(
        mut stream: TcpStream,
        body: &[u8],
        tag: &str,
        front: Option<&str>,
        asked: &Mutex<Vec<Option<String>>>,
    ) {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).await.is_ok() {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let header = |name: &str| {
            let line =
                head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let range = header("range");
        asked.lock().expect("lock").push(range.clone());
        let start = range.and_then(|range| {
            range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok()
        });
        let same = header("if-range").is_none_or(|wanted| wanted == tag);
        let from = start.filter(|_| same).unwrap_or(0);
        let status = match from {
            0 => "200 OK".to_owned(),
            _ => format!(
                "206 Partial Content\r\ncontent-range: bytes {from}-{}/{}",
                body.len() - 1,
                body.len()
            ),
        };
        let rest = &body[from..];
        let whole = format!(
            "HTTP/1.1 {status}\r\netag: {tag}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            rest.len()
        );
        let sent = match front {
            Some(front) => front.as_bytes().to_vec(),
            None => [whole.as_bytes(), rest].concat(),
        };
        // A client that has seen enough may hang up.
        let _ = stream.write_all(&sent).await;
    }

    struct Case {
        folder: tempfile::TempDir,
        files: Files,
        wanted: Wanted,
    }

    async fn case(tag: &'static str) -> Case {
        let body: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        let files = Files::start(body, tag, None).await;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("m.gguf");
        std::fs::write(&path, &*files.body).expect("writes");
        let sha256 = digest::sha256(&path).await.expect("hashes");
        std::fs::remove_file(&path).expect("removes");
        let wanted = Wanted { url: files.url.clone(), path, bytes: 200_000, sha256 };
        Case { folder, files, wanted }
    }

    async fn run(case: &Case) -> Result<(), FetchError> {
        fetch(
            &crate::http::client_for(&case.wanted.url),
            &case.wanted,
            &CancellationToken::new(),
            &|_| {},
        )
        .await
    }

    fn names(case: &Case) -> Vec<String> {
        let entries = std::fs::read_dir(case.folder.path()).expect("lists");
        entries
            .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[tokio::test]
    async fn a_part_is_resumed_where_it_stopped() {
        let case = case(TAG).await;
        std::fs::write(part_of(&case.wanted.path), &case.files.body[..70_000]).expect("writes");
        std::fs::write(tag_of(&part_of(&case.wanted.path)), TAG).expect("writes");
        run(&case).await.expect("fetches");
        assert_eq!(*case.files.asked.lock().expect("lock"), [Some("bytes=70000-".to_owned())]);
        assert_eq!(std::fs::read(&case.wanted.path).expect("reads"), *case.files.body);
        assert_eq!(names(&case), ["m.gguf"]);
    }

    #[tokio::test]
    async fn a_part_of_another_file_is_begun_again() {
        let case = case("\"v2\"").await;
        std::fs::write(part_of(&case.wanted.path), vec![9; 70_000]).expect("writes");
        std::fs::write(tag_of(&part_of(&case.wanted.path)), TAG).expect("writes");
        run(&case).await.expect("fetches");
        assert_eq!(std::fs::read(&case.wanted.path).expect("reads"), *case.files.body);
    }

    #[tokio::test]
    async fn a_wrong_hash_is_an_error_and_leaves_nothing() {
        let mut case = case(TAG).await;
        case.wanted.sha256 = "0".repeat(64);
        let error = run(&case).await.expect_err("refuses");
        assert!(matches!(error, FetchError::WrongHash { .. }), "{error}");
        assert_eq!(names(&case), Vec::<String>::new());
    }

    #[tokio::test]
    async fn redirects_are_followed_and_web_pages_refused() {
        let case = case(TAG).await;
        let moved = format!(
            "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            case.wanted.url
        );
        let front = Files::start(Vec::new(), TAG, Some(moved)).await;
        let wanted = Wanted { url: front.url, ..case.wanted.clone() };
        fetch(&crate::http::client_for(&wanted.url), &wanted, &CancellationToken::new(), &|_| {})
            .await
            .expect("fetches");

        let html = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
        let page = Files::start(Vec::new(), TAG, Some(html.to_owned())).await;
        let wanted =
            Wanted { url: page.url, path: case.folder.path().join("n"), ..case.wanted.clone() };
        let client = crate::http::client_for(&wanted.url);
        let error = fetch(&client, &wanted, &CancellationToken::new(), &|_| {}).await;
        let error = error.expect_err("refuses").to_string();
        assert_eq!(error, "the server answered with a web page instead of the file");
    }

    #[tokio::test]
    async fn a_stopped_fetch_keeps_its_part() {
        let case = case(TAG).await;
        std::fs::write(part_of(&case.wanted.path), &case.files.body[..10]).expect("writes");
        let cancel = CancellationToken::new();
        cancel.cancel();
        let result =
            fetch(&crate::http::client_for(&case.wanted.url), &case.wanted, &cancel, &|_| {}).await;
        assert!(matches!(result, Err(FetchError::Cancelled) | Ok(())));
    }
}
