//! What counts as a call, what stays text, and that cutting the stream changes neither.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn parser() -> CallParser {
    CallParser::new(["look".to_owned(), "write".to_owned()])
}

/// The parts of a reply given in pieces, neighbouring texts joined.
fn parts<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<ReplyPart> {
    let mut parser = parser();
    let mut all: Vec<ReplyPart> = Vec::new();
    let mut given: Vec<ReplyPart> = pieces.into_iter().flat_map(|p| parser.push(p)).collect();
    given.extend(parser.finish());
    for part in given {
        match (all.last_mut(), part) {
            (Some(ReplyPart::Text(last)), ReplyPart::Text(more)) => last.push_str(&more),
            (_, part) => all.push(part),
        }
    }
    all
}

fn text(text: &str) -> ReplyPart {
    ReplyPart::Text(text.to_owned())
}

fn look(arguments: Value) -> ReplyPart {
    ReplyPart::Call(ChatCall { name: "look".to_owned(), arguments })
}

/// Checks a reply whole, character by character, and cut in two at every place.
fn check(reply: &str, expected: &[ReplyPart]) {
    assert_eq!(parts([reply]), expected, "{reply}");
    let cuts: Vec<usize> = reply.char_indices().map(|(at, _)| at).chain([reply.len()]).collect();
    assert_eq!(parts(cuts.windows(2).map(|cut| &reply[cut[0]..cut[1]])), expected, "{reply}");
    for cut in cuts {
        assert_eq!(parts([&reply[..cut], &reply[cut..]]), expected, "{reply} cut at {cut}");
    }
}

#[test]
fn three_forms_of_a_call() {
    let object = r#"{"name": "look", "arguments": {"at": "}\"{ 好"}}"#;
    let call = || look(json!({"at": "}\"{ 好"}));
    check(&format!("<tool_call>\n{object}\n</tool_call>"), &[call()]);
    check(&format!("I look.\n<tool_call>{object}</tool_call>"), &[text("I look.\n"), call()]);
    check(&format!("```json\n{object}\n```"), &[call()]);
    check(&format!("```\n{object}\n```\n"), &[call()]);
    check(object, &[call()]);
    check(&format!("\n{object}\n"), &[text("\n"), call()]);
}

#[test]
fn several_calls() {
    let object = r#"{"name": "look", "arguments": {}}"#;
    let call = || look(json!({}));
    let tagged = format!("<tool_call>\n{object}\n</tool_call>");
    check(&format!("{tagged}\n{tagged}"), &[call(), text("\n"), call()]);
    check(&format!("<tool_call>{object}\n{object}</tool_call>"), &[call(), call()]);
    check(&format!("```json\n{object}\n{object}\n```"), &[call(), call()]);
    check(&format!("{object}\n{object}"), &[call(), call()]);
    check(&format!("```\n{object}\n```\n\n```json\n{object}\n```"), &[call(), call()]);
    check(&format!("<tool_call>{object}</tool_call>\nDone."), &[call(), text("\nDone.")]);
}

#[test]
fn sloppy_calls() {
    let call = || look(json!({}));
    check(r#"<tool_call>{"name": "look"}</tool_call>"#, &[call()]);
    check(r#"<tool_call>{"name": "look", "arguments": {}}"#, &[call()]);
    check(r#"<tool_call>{{"name": "look", "arguments": {}}}</tool_call>"#, &[call()]);
    check(r#"{"name": "look", "parameters": {}}"#, &[call()]);
    check(r#"{"arguments": {}, "name": "look"}"#, &[call()]);
    check(r#"{"name": "look", "arguments": "{}"}"#, &[call()]);
    check(r#"{"function": {"name": "look", "arguments": {}}}"#, &[call()]);
    check("```json\n{\n  \"name\": \"look\",\n  \"arguments\": {\n  }\n}\n```", &[call()]);
}

#[test]
fn what_explains_a_call_makes_none() {
    let object = r#"{"name": "look", "arguments": {}}"#;
    for reply in [
        format!("You call it like so:\n```json\n{object}\n```"),
        format!("```json\n{object}\n```\nThis looks."),
        format!("```json\n{object}\n```\n```\nlook\n```"),
        format!("好的。\n{object}\n"),
        format!("{object}\nThis looks."),
        format!("```\n<tool_call>{object}</tool_call>\n```"),
        format!("As in:\n````md\n```\n<tool_call>{object}</tool_call>\n```\n````\n"),
        format!("~~~\n<tool_call>\n{object}\n</tool_call>\n~~~ \nSo."),
        format!("```json\n{{\"name\":\n<tool_call>{object}</tool_call>"),
        format!("It writes `<tool_call>{object}</tool_call>`."),
        format!("> <tool_call>{object}</tool_call>"),
        format!("The page says: <tool_call>{object}</tool_call>"),
        format!("So:\n\n    <tool_call>{object}</tool_call>"),
        format!("\t<tool_call>{object}</tool_call>"),
    ] {
        check(&reply, &[text(&reply)]);
    }
    let after = format!("```\nquoted\n```\n<tool_call>{object}</tool_call>");
    check(&after, &[text("```\nquoted\n```\n"), look(json!({}))]);
}

#[test]
fn text_that_only_looks_like_a_call() {
    for reply in [
        "<tool_call>{\"name\": \"unknown\", \"arguments\": {}}</tool_call>",
        "<tool_call>",
        "<tool_call>look</tool_call>",
        "<tool_call>{\"name\": }</tool_call>",
        "<tool_call>{\"name\": \"look\", \"arg",
        "a < b and <tool",
        "```json\n{\"name\": \"Ann\", \"age\": 3}\n```",
        "```json\n{\"age\": 3, \"inner\":\n{\"name\": \"look\", \"arguments\": {}}}\n```",
        "```json\n[1, 2]\n```",
        "```rust\nfn main() {\n}\n```",
        "```",
        "``",
        "{",
        "{\n  x = 1;\n}",
        "{\"name\": \"look\"}",
        "{\"name\": \"unknown\", \"arguments\": {}}",
        "Use {\"name\": \"look\", \"arguments\": {}} for this.",
        "{\"name\": \"look\", \"arguments\": [1]}",
        "  \n\n",
    ] {
        check(reply, &[text(reply)]);
    }
}

#[test]
fn text_is_not_held_longer_than_needed() {
    let mut parser = parser();
    assert_eq!(parser.push("Plain text, <b"), [text("Plain text, <b")]);
    assert_eq!(parser.push("old>.\n```ru"), [text("old>.\n```ru")]);
    assert_eq!(parser.push("st\n{\"a\": 1"), [text("st\n{\"a\": 1")]);
    assert_eq!(parser.push("}\n<tool_"), [text("}\n<tool_")], "code is text");
    assert_eq!(parser.push("kit>\n```\n<tool_"), [text("kit>\n```\n")]);
    assert_eq!(parser.push("kit>"), [text("<tool_kit>")]);
}

fn fragment() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "<tool_call>",
        "</tool_call>",
        "<tool_",
        "```json\n",
        "```\n",
        "```",
        "\n",
        " ",
        "{",
        "}",
        "~~~",
        "    ",
        "\t",
        "\"",
        "\\",
        r#"{"name": "look", "arguments": {"n": 1}}"#,
        r#"{"name": "write", "arguments": {"t": "a\"}"}}"#,
        r#"{"name": "other", "arguments": {}}"#,
        r#"{"age": 1}"#,
        r#"{"name"#,
        "word",
        "好",
    ]);
    prop_oneof![9 => fixed.prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn cutting_changes_nothing(
        fragments in prop::collection::vec(fragment(), 0..12),
        cuts in prop::collection::vec(1usize..9, 1..9),
    ) {
        let reply = fragments.concat();
        let whole = parts([reply.as_str()]);
        let characters: Vec<String> = reply.chars().map(String::from).collect();
        let mut pieces: Vec<String> = Vec::new();
        let (mut rest, mut sizes) = (&characters[..], cuts.iter().cycle());
        while !rest.is_empty() {
            let size = sizes.next().map_or(1, |size| (*size).min(rest.len()));
            pieces.push(rest[..size].concat());
            rest = &rest[size..];
        }
        prop_assert_eq!(&parts(pieces.iter().map(String::as_str)), &whole);
        prop_assert_eq!(&parts(characters.iter().map(String::as_str)), &whole);
        if whole.iter().all(|part| matches!(part, ReplyPart::Text(_))) {
            prop_assert!(whole == [text(&reply)] || reply.is_empty());
        }
    }
}
