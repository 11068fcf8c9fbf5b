//! `hearth signals`: messages in, classes out, line by line, without a home.

use crate::support::{json_lines, said};
use serde_json::json;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

#[tokio::test]
async fn each_line_is_answered_with_its_signals() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hearth"))
        .args(["signals", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("input");
    input.write_all("更正一下，会议是下午四点\n\nGo on.\r\n".as_bytes()).await.expect("writes");
    drop(input);
    let output = child.wait_with_output().await.expect("ends");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(
        json_lines(&output),
        [
            json!({"text": "更正一下，会议是下午四点", "signals": ["correction", "exact_value"]}),
            json!({"text": "", "signals": []}),
            json!({"text": "Go on.", "signals": []}),
        ]
    );
}
