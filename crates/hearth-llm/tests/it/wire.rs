//! Every recorded stream gives its expected result, whole, in pieces and cut.

use crate::support::{event_ends, read, read_cut, recorded};
use hearth_llm::wire::Format;
use hearth_protocol::Arguments;

#[test]
fn whole_and_one_byte_at_a_time() {
    let all = recorded();
    assert_eq!(all.len(), 127);
    for file in all {
        let whole = read(file.format, [&file.raw[..]]);
        assert_eq!(whole.as_expected(&file.expected), file.expected, "{}", file.name);
        whole.check_deltas_are_the_reply(&file.name);
        let bytewise = read(file.format, file.raw.chunks(1));
        assert_eq!(bytewise.as_expected(&file.expected), file.expected, "{}", file.name);
        bytewise.check_deltas_are_the_reply(&file.name);
        assert_eq!(
            whole.decoded.reply.reasoning_signature,
            bytewise.decoded.reply.reasoning_signature
        );
    }
}

/// The larger files are covered by the same test of the splitter alone, byte by byte.
#[test]
fn two_pieces_at_every_byte() {
    let mut splits = 0;
    for file in recorded().iter().filter(|file| file.raw.len() <= 1800) {
        for at in 0..=file.raw.len() {
            let (head, tail) = file.raw.split_at(at);
            let got = read(file.format, [head, tail]).as_expected(&file.expected);
            assert_eq!(got, file.expected, "{} split at {at}", file.name);
            splits += 1;
        }
    }
    assert!(splits > 10_000, "{splits}");
}

#[test]
fn cut_after_any_event_it_is_never_complete_and_keeps_its_text() {
    let mut cuts = 0;
    for file in recorded() {
        let whole = read(file.format, [&file.raw[..]]).decoded;
        let full = whole.reply;
        let ends = event_ends(file.format, &file.raw);
        for (cut, end) in read_cut(file.format, &file.raw, &ends).into_iter().zip(ends) {
            cut.check_deltas_are_the_reply(&file.name);
            let reply = cut.decoded.reply;
            let context = format!("{} cut at {end}", file.name);
            assert!(full.text.starts_with(&reply.text), "{context}");
            assert!(full.reasoning.starts_with(&reply.reasoning), "{context}");
            // What follows the end adds usage at most, or takes the completeness back.
            if reply.complete {
                assert_eq!(
                    (&reply.text, reply.tool_calls.len()),
                    (&full.text, full.tool_calls.len())
                );
                let same = reply.tool_calls.iter().zip(&full.tool_calls);
                assert!(same.clone().all(|(a, b)| a.arguments == b.arguments), "{context}");
            } else {
                cuts += 1;
            }
        }
    }
    assert!(cuts > 1000, "{cuts}");
}

#[test]
fn cut_inside_an_event_no_half_arguments_become_a_call_that_runs() {
    for file in recorded().iter().filter(|file| file.raw.len() < 3000) {
        let full = read(file.format, [&file.raw[..]]).decoded.reply;
        for end in (0..file.raw.len()).step_by(7) {
            let reply = read(file.format, [&file.raw[..end]]).decoded.reply;
            for (at, call) in reply.tool_calls.iter().enumerate().filter(|_| reply.complete) {
                let whole = matches!(&call.arguments, Arguments::Object(_));
                assert!(!whole || call.arguments == full.tool_calls[at].arguments, "{}", file.name);
            }
        }
    }
}

#[test]
fn an_emoji_cut_in_two_by_the_server_loses_nothing_around_it() {
    let raw = br#"data: {"choices":[{"delta":{"content":"a\\ud83d \ud83d"}}]}

data: {"choices":[{"delta":{"content":"\ude00b \ud83d\ude00 \u4f60"},"finish_reason":"stop"}]}

"#;
    let reply = read(Format::OpenaiChat, [&raw[..]]).decoded.reply;
    assert_eq!(reply.text, "a\\ud83d \u{fffd}\u{fffd}b 😀 你");
    assert!(reply.complete);
}

#[test]
fn ids_are_made_unique_and_signatures_kept() {
    let raw = br#"{"message":{"tool_calls":[{"id":"x","function":{"name":"a","arguments":{}}},{"id":"x","function":{"name":"b","arguments":null}},{"function":{"name":"c"}}]},"done":true}"#;
    let reply = read(Format::Ollama, [&raw[..]]).decoded.reply;
    let ids: std::collections::HashSet<_> = reply.tool_calls.iter().map(|call| &call.id).collect();
    assert_eq!((ids.len(), reply.tool_calls[0].id.as_str()), (3, "x"));
    let signed = recorded().into_iter().filter(|file| {
        read(file.format, [&file.raw[..]]).decoded.reply.reasoning_signature.is_some()
    });
    let names: Vec<_> = signed.map(|file| file.name).collect();
    assert!(names.iter().any(|name| name.contains("redacted-thinking")), "{names:?}");
    assert!(names.iter().any(|name| name.contains("google-tool-call-gemini3")), "{names:?}");
    assert!(names.iter().any(|name| name.contains("clear-thinking")), "{names:?}");
}
