//! Tool arguments as models send them: every line of the fixture ends as it says.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture that cannot be read fails its test"
)]

use hearth_agent::arguments::check;
use hearth_protocol::Arguments;
use serde_json::{Value, json};

fn lines() -> (Value, Vec<Value>) {
    let text = include_str!("fixtures/tool_args_malformed.jsonl");
    let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("a JSON line"));
    (lines.next().expect("tools"), lines.collect())
}

fn sent(line: &Value) -> String {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    match line.get("build") {
        Some(build) => {
            let count = build["count"].as_u64().expect("count") as usize;
            text(&build["prefix"]) + &text(&build["repeat"]).repeat(count) + &text(&build["suffix"])
        }
        None => text(&line["arguments"]),
    }
}

#[test]
fn every_line_ends_as_expected() {
    let (head, lines) = lines();
    assert!(lines.len() > 50);
    for line in lines {
        let tool = line["tool"].as_str().unwrap_or("write");
        let result = check(&Arguments::parse(&sent(&line)), tool, &head["tools"][tool]);
        let wanted = line.get("args").map(|args| args.as_object().expect("an object"));
        match (line["expect"].as_str().expect("expect"), &result) {
            ("run", Ok(object)) | ("error or mended", Ok(object)) => {
                assert!(wanted.is_none_or(|wanted| wanted == object), "{line}: {object:?}");
            }
            ("error", Err(error)) | ("error or mended", Err(error)) => {
                let message = error.to_string();
                assert!(
                    message.contains("nothing was run") && message.contains("path"),
                    "{message}"
                );
            }
            _ => panic!("{line}: {result:?}"),
        }
    }
}

fn outcome(arguments: &str, schema: &Value) -> Result<Value, String> {
    let result = check(&Arguments::parse(arguments), "tool", schema);
    result.map(Value::Object).map_err(|error| error.to_string())
}

#[test]
fn what_can_only_mean_one_thing_is_mended() {
    let schema = json!({"properties": {"n": {"type": "integer"}, "on": {"type": "boolean"},
        "text": {"type": "string"}}, "required": ["n"], "additionalProperties": false});
    for (arguments, expected) in [
        (r#"{"n":"3","on":"true","text":"3"}"#, json!({"n": 3, "on": true, "text": "3"})),
        (r#"{"n":3,"text":null}"#, json!({"n": 3})),
        ("```json\n{\"n\":3,}\n```", json!({"n": 3})),
        ("\u{feff}{\"n\":3}<|im_end|>", json!({"n": 3})),
        (r#""{\"n\":3}""#, json!({"n": 3})),
        (r#"{"n":3,"text":"a,}",}"#, json!({"n": 3, "text": "a,}"})),
    ] {
        assert_eq!(outcome(arguments, &schema), Ok(expected), "{arguments}");
    }
}

#[test]
fn errors_name_the_place_and_what_is_allowed() {
    let schema = json!({"properties": {
        "mode": {"enum": ["a", "b"]},
        "list": {"type": "array", "maxItems": 1, "items": {"type": "object",
            "properties": {"k": {"type": "number", "exclusiveMinimum": 0}}, "required": ["k"]}},
    }});
    for (arguments, wrong) in [
        (r#"{"mode":"c"}"#, r#"`mode` must be one of "a", "b", not "c""#),
        (r#"{"list":[{}]}"#, "`list[0].k` is missing"),
        (r#"{"list":[{"k":0}]}"#, "`list[0].k` is out of range"),
        (
            r#"{"list":[{"k":1},{"k":"x"}]}"#,
            "`list` must be at most 1 long; `list[1].k` must be number, not \"x\"",
        ),
        (r#"{"other":"a\u0000b"}"#, "`other` holds a NUL character"),
    ] {
        let error = outcome(arguments, &schema).expect_err(arguments);
        assert!(error.contains(wrong) && error.contains(r#"mode: "a" | "b""#), "{error}");
    }
}
