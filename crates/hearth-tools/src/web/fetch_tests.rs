//! `web_fetch` against a server on loopback, with a resolver double behind the real hook.

use super::*;
use crate::outputs::Outputs;
use crate::reach::Reach;
use crate::web::resolve::LookUp;
use hearth_protocol::Provenance;
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};
use serde_json::Value;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

struct Unkept;

impl Journal for Unkept {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

/// The address that stands for a public one in these tests.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);

fn passes(address: IpAddr) -> bool {
    address == IpAddr::V4(PUBLIC) || crate::web::address::is_public(address)
}

/// A server with fixed answers by path, and what it was asked.
struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn site(answers: impl Fn(u16) -> HashMap<&'static str, Vec<u8>>) -> Site {
    let listener = TcpListener::bind((PUBLIC, 0)).await.expect("listens");
    let port = listener.local_addr().expect("has one").port();
    let answers = Arc::new(answers(port));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (answers, heard) = (Arc::clone(&answers), Arc::clone(&heard));
            tokio::spawn(async move {
                let mut request = vec![0; 8_192];
                let length = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
                heard.lock().expect("no panics").push(request);
                match answers.get(path.as_str()) {
                    Some(answer) => drop(stream.write_all(answer).await),
                    None if path == "/never" => std::future::pending().await,
                    None => drop(
                        stream
                            .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                            .await,
                    ),
                }
            });
        }
    });
    Site { port, asked }
}

fn page_of(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
            .into_bytes();
    answer.extend_from_slice(body);
    answer
}

fn to(place: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {place}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
    .into_bytes()
}

fn tool(folder: &tempfile::TempDir, domains: &[&str]) -> WebFetch {
    let root = WorkspaceRoot::open(&folder.path().join("w"), Arc::new(Unkept)).expect("opens");
    let domains: Vec<String> = domains.iter().map(|domain| (*domain).to_owned()).collect();
    let reach = move || Reach { domains: domains.clone(), max_bytes: 100_000, ..Reach::default() };
    let around = Surroundings::new(Arc::new(root), Outputs::new(folder.path().join("o")), reach);
    let look_up: LookUp = Arc::new(|name| {
        Box::pin(async move {
            let inner: [IpAddr; 1] = [Ipv4Addr::new(10, 0, 0, 7).into()];
            Ok(match name.as_str() {
                "public.example" => vec![PUBLIC.into()],
                "inner.example" => inner.to_vec(),
                // One good address must not carry a bad one through.
                "mixed.example" => vec![PUBLIC.into(), inner[0]],
                "metadata.example" => vec![Ipv4Addr::new(169, 254, 169, 254).into()],
                "mapped.example" => vec![Ipv4Addr::new(127, 0, 0, 2).to_ipv6_mapped().into()],
                _ => return Err(std::io::Error::other("no such name")),
            })
        })
    });
    WebFetch { around, client: client(PublicOnly { look_up, passes }), passes }
}

async fn fetch(tool: &WebFetch, url: &str) -> Outcome {
    let Value::Object(arguments) = json!({"url": url}) else { return Outcome::failed("") };
    tool.run(Invocation::new(arguments, "t".into(), "c".into())).await
}

#[tokio::test]
async fn a_page_comes_as_untrusted_text_and_nothing_of_the_person_goes_out() {
    let folder = tempfile::tempdir().expect("temp");
    let tool = tool(&folder, &[]);
    let site = site(|_| {
        HashMap::from([
            ("/a", page_of("text/html", b"<title>Hi</title><p>Hello <b>you</b></p>")),
            ("/j", page_of("application/json", b"{\"a\": 1}")),
            ("/big", page_of("text/plain", &b"x".repeat(300_000))),
            ("/png", page_of("image/png", b"\x89PNG")),
            ("/empty", page_of("text/html", b"")),
        ])
    })
    .await;
    let at = |path: &str| format!("http://public.example:{}{path}", site.port);
    let outcome = fetch(&tool, &at("/a")).await;
    assert!(
        outcome.ok && outcome.text.contains("# Hi") && outcome.text.contains("Hello **you**"),
        "{}",
        outcome.text
    );
    assert_eq!(outcome.provenance, Provenance::Untrusted { source: at("/a") });
    assert!(fetch(&tool, &at("/j")).await.text.ends_with("{\"a\": 1}"));
    let big = fetch(&tool, &at("/big")).await;
    assert!(
        big.ok && big.text.contains("[only the first 100000 bytes") && big.text.len() < 101_000
    );
    for (path, ok, part) in
        [("/png", false, "image/png"), ("/empty", true, "no text"), ("/gone", false, "404")]
    {
        let outcome = fetch(&tool, &at(path)).await;
        assert_eq!(outcome.ok, ok, "{path}: {}", outcome.text);
        assert!(outcome.text.contains(part), "{path}: {}", outcome.text);
    }
    let asked = site.asked.lock().expect("no panics").join("\n").to_lowercase();
    assert!(
        !asked.contains("cookie") && !asked.contains("referer") && !asked.contains("authorization")
    );
}

#[tokio::test]
async fn names_that_lead_inside_are_refused_at_every_hop() {
    let folder = tempfile::tempdir().expect("temp");
    let tool = tool(&folder, &[]);
    let site = site(|port| {
        HashMap::from([
            ("/meta", to("http://169.254.169.254/latest")),
            ("/inner", to(&format!("http://inner.example:{port}/secret"))),
            ("/file", to("file:///etc/passwd")),
            ("/mapped", to("http://[::ffff:10.0.0.1]/")),
            ("/number", to("http://2130706434/")),
            ("/user", to("http://a:b@public.example/")),
            ("/loop", to("/loop")),
            ("/far", to(&format!("http://public.example:{port}/near"))),
            ("/near", to("end")),
            ("/end", page_of("text/plain", b"arrived")),
            ("/secret", page_of("text/plain", b"canary")),
        ])
    })
    .await;
    for name in ["inner.example", "mixed.example", "metadata.example", "mapped.example"] {
        let outcome = fetch(&tool, &format!("http://{name}:{}/secret", site.port)).await;
        assert!(!outcome.ok && outcome.text.contains("private"), "{name}: {}", outcome.text);
    }
    for path in ["/meta", "/inner", "/file", "/mapped", "/number", "/user"] {
        let outcome = fetch(&tool, &format!("http://public.example:{}{path}", site.port)).await;
        assert!(!outcome.ok && outcome.text.contains("refused"), "{path}: {}", outcome.text);
    }
    let outcome = fetch(&tool, &format!("http://public.example:{}/loop", site.port)).await;
    assert!(!outcome.ok && outcome.text.contains("more than 5 times"), "{}", outcome.text);
    let outcome = fetch(&tool, &format!("http://public.example:{}/far", site.port)).await;
    assert!(outcome.ok && outcome.text.ends_with("arrived"), "{}", outcome.text);
    let asked = site.asked.lock().expect("no panics").join("\n");
    assert!(!asked.contains("/secret"), "{asked}");
    let outcome = fetch(&tool, "http://nowhere.example/").await;
    assert!(!outcome.ok && outcome.text.contains("cannot be reached"), "{}", outcome.text);
}

#[tokio::test]
async fn only_allowed_domains_are_asked_and_a_stop_is_heard() {
    let folder = tempfile::tempdir().expect("temp");
    let site = site(|_| HashMap::from([("/out", to("http://other.example/"))])).await;
    let limited = tool(&folder, &["public.example"]);
    let outcome = fetch(&limited, "http://other.example/").await;
    assert!(!outcome.ok && outcome.text.contains("allowed domains"), "{}", outcome.text);
    let outcome = fetch(&limited, &format!("http://public.example:{}/out", site.port)).await;
    assert!(!outcome.ok && outcome.text.contains("allowed domains"), "{}", outcome.text);
    let Value::Object(arguments) =
        json!({"url": format!("http://public.example:{}/never", site.port)})
    else {
        return;
    };
    let call = Invocation::new(arguments, "t".into(), "c".into());
    let cancel = call.cancel.clone();
    let (outcome, ()) = tokio::join!(limited.run(call), async {
        while site.asked.lock().expect("no panics").len() < 2 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(outcome, Outcome::failed("Stopped."));
}
