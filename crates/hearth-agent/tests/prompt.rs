//! The prompt: order, modes, the cache boundary, what fits, and what the manifest says about it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture that cannot be read fails its test"
)]

mod support;

use hearth_agent::TokenCounter;
use hearth_agent::history::{Unsendable, sendable};
use hearth_agent::prompt::{
    Assembled, ModelRoom, PromptError, PromptParts, SMALL_PROMPT_TOKENS, Section, Slot, Today,
    assemble, preview,
};
use hearth_protocol::{Message, Part, PromptMode, Role, ToolResult};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;
use support::{Quarter, call, message, tool, tools};

fn file(slot: Slot, source: &str, text: &str) -> Section {
    Section {
        slot,
        source: source.into(),
        text: Some(text.into()),
        raw_chars: text.chars().count() as u64,
        truncated: false,
        reason: "every full run".into(),
    }
}

fn room() -> ModelRoom {
    ModelRoom {
        model: "work/big".into(),
        window: 32_000,
        output_reserve: 4_000,
        prompt_tokens: None,
    }
}

/// A workspace with all sections, given in another order than the prompt's.
fn parts(mode: PromptMode) -> PromptParts {
    let sections = vec![
        file(Slot::DailyLog, "memory/2026-11-29.md", "- met Zhang Wei"),
        file(Slot::SessionState, "SESSION-STATE.md", "order A-7731"),
        file(Slot::AgentsFile, "AGENTS.md", "Work carefully."),
        Section { text: None, raw_chars: 0, ..file(Slot::SoulFile, "SOUL.md", "") },
        file(Slot::UserFile, "USER.md", "Ada, Berlin."),
        file(Slot::ToolsFile, "TOOLS.md", "The printer is called Emil."),
        file(Slot::HeartbeatFile, "HEARTBEAT.md", "- look at the mail"),
        file(Slot::MemoryFile, "MEMORY.md", "## Cat\nCalled Emma."),
    ];
    PromptParts {
        mode,
        room: room(),
        name: "Fox".into(),
        tools: tools(),
        sections,
        today: Today {
            date: "2026-11-29".into(),
            weekday: "Sunday".into(),
            zone: "Europe/Berlin".into(),
        },
        history: vec![message(Role::User, "hello", "t1")],
    }
}

fn names(assembled: &Assembled) -> Vec<&str> {
    assembled.manifest.sections.iter().map(|section| section.name.as_str()).collect()
}

fn check_mode(mode: PromptMode, expected: &[&str]) {
    let assembled = assemble(parts(mode), &Quarter).expect("fits");
    assert_eq!(names(&assembled), expected, "{mode:?}");
    assert_eq!(assembled.tools.is_empty(), mode == PromptMode::None);
}

#[test]
fn each_mode_carries_its_sections_in_order() {
    check_mode(
        PromptMode::Full,
        &[
            "identity",
            "capabilities",
            "tools",
            "safety",
            "guidance",
            "agents",
            "soul",
            "user",
            "tools_file",
            "memory",
            "date",
            "daily_log",
            "session_state",
            "message",
        ],
    );
    check_mode(
        PromptMode::Minimal,
        &["identity", "capabilities", "tools", "safety", "agents", "tools_file", "date", "message"],
    );
    check_mode(
        PromptMode::Heartbeat,
        &[
            "identity",
            "capabilities",
            "tools",
            "safety",
            "user",
            "heartbeat",
            "date",
            "daily_log",
            "message",
        ],
    );
    check_mode(PromptMode::None, &["identity", "message"]);
}

#[test]
fn the_prompt_reads_as_it_should() {
    let assembled = assemble(parts(PromptMode::Full), &Quarter).expect("fits");
    let [stable, rest] = assembled.system.as_slice() else { panic!("{:?}", assembled.system) };
    assert!(stable.stable && !rest.stable);
    assert!(stable.text.starts_with("You are Fox, "));
    let files = "=== AGENTS.md ===\nWork carefully.\n\n[MISSING] SOUL.md\n\n\
                 === USER.md ===\nAda, Berlin.\n\n=== TOOLS.md ===\nThe printer is called Emil.\n\n\
                 === MEMORY.md ===\n## Cat\nCalled Emma.\n\n";
    assert!(stable.text.ends_with(files), "{}", stable.text);
    assert_eq!(
        rest.text,
        "Today is Sunday, 2026-11-29 (Europe/Berlin).\n\n=== memory/2026-11-29.md ===\n\
         - met Zhang Wei\n\n=== SESSION-STATE.md ===\norder A-7731\n\n"
    );
}

#[test]
fn our_own_words_are_few() {
    let mut bare = parts(PromptMode::Full);
    bare.sections.clear();
    bare.tools = Arc::new([]);
    let with_tools = PromptParts { tools: tools(), ..bare.clone() };
    for parts in [bare, with_tools] {
        let assembled = assemble(parts, &Quarter).expect("fits");
        let own: u64 = assembled
            .manifest
            .sections
            .iter()
            .filter(|section| section.source == "Hearth" && section.name != "tools")
            .map(|section| section.tokens)
            .sum();
        assert!(own <= 350, "{own}");
    }
}

/// Sums and texts of the manifest are those of what is sent.
fn check_manifest(assembled: &Assembled) {
    let manifest = &assembled.manifest;
    assert_eq!(manifest.total_tokens, manifest.sections.iter().map(|s| s.tokens).sum::<u64>());
    for stable in [true, false] {
        let conversation = ["history", "message", "steps", "tools"];
        let sent: String = manifest
            .sections
            .iter()
            .filter(|s| s.cached_part == stable && !conversation.contains(&s.name.as_str()))
            .map(|s| s.text.clone().expect("text"))
            .collect();
        let block = assembled.system.iter().find(|block| block.stable == stable);
        assert_eq!(block.map_or("", |block| block.text.as_str()), sent);
    }
    for section in &manifest.sections {
        let text = section.text.as_ref().expect("text");
        assert_eq!(section.chars, text.chars().count() as u64, "{}", section.name);
    }
}

/// Turns of a user message, a call with its result, and a reply.
fn turns(count: usize, size: usize) -> Vec<Message> {
    let turn = |n: usize| {
        let turn = format!("t{n}");
        let id = format!("c{n}");
        let asks = Part::ToolCall(call(&id, "read", r#"{"path":"a"}"#));
        let result = Part::ToolResult(ToolResult {
            call: id.as_str().into(),
            ok: true,
            text: "r".repeat(size),
        });
        let of = |role, part| Message { parts: vec![part], ..message(role, "m", &turn) };
        [
            message(Role::User, &format!("question {n}"), &turn),
            of(Role::Assistant, asks),
            of(Role::Tool, result),
            message(Role::Assistant, &format!("answer {n}"), &turn),
        ]
    };
    (1..=count).flat_map(turn).collect()
}

#[test]
fn a_running_turn_is_told_apart_from_history() {
    let mut running = parts(PromptMode::Full);
    running.history = turns(3, 10);
    running.history.pop();
    let assembled = assemble(running, &Quarter).expect("fits");
    let shown: Vec<_> = assembled
        .manifest
        .sections
        .iter()
        .rev()
        .take(3)
        .map(|s| {
            (
                s.name.as_str(),
                s.text.as_deref().unwrap_or_default().lines().count(),
                s.reason.as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("steps", 2, "calls and results of this turn so far"),
            ("message", 1, "what is being answered"),
            ("history", 8, "all 2 earlier turns"),
        ]
    );
    check_manifest(&assembled);
}

#[test]
fn the_oldest_turns_are_left_out_whole() {
    let mut long = parts(PromptMode::Full);
    long.room.window = 6_000;
    long.history = turns(20, 1_000);
    long.history.push(message(Role::User, "and now?", "t21"));
    let assembled = assemble(long, &Quarter).expect("fits");
    check_manifest(&assembled);
    assert!(assembled.manifest.total_tokens <= 2_000);
    assert_eq!(sendable(&assembled.messages), Ok(()));
    assert_eq!(assembled.messages[0].role, Role::User);
    let history =
        assembled.manifest.sections.iter().find(|s| s.name == "history").expect("history");
    let kept = assembled.messages.len() / 4;
    assert!((1..20).contains(&kept));
    let reason =
        format!("the latest {kept} turns; {} older ones left out, the window is full", 20 - kept);
    assert_eq!((&history.reason, history.truncated), (&reason, true));
    assert!(history.raw_chars > history.chars);
}

#[test]
fn what_cannot_be_sent_is_an_error_before_it_is_sent() {
    let mut empty = parts(PromptMode::Full);
    empty.history.clear();
    assert_eq!(assemble(empty.clone(), &Quarter), Err(PromptError::Unsendable(Unsendable::Empty)));
    check_manifest(&preview(empty, &Quarter));
    let mut huge = parts(PromptMode::Full);
    huge.history = vec![message(Role::User, &"字".repeat(30_000), "t1")];
    let error = assemble(huge, &Quarter).expect_err("too large");
    assert!(matches!(error, PromptError::Overflow { needed: 30_001.., room: 28_000 }), "{error}");
}

#[test]
fn a_message_too_long_for_any_answer_does_not_stand_in_the_way_of_the_next() {
    let mut stuck = parts(PromptMode::Full);
    stuck.history = turns(1, 10);
    stuck.history.push(message(Role::User, &"字".repeat(30_000), "huge"));
    stuck.history.push(message(Role::User, "hello again", "next"));
    let assembled = assemble(stuck, &Quarter).expect("fits without the huge one");
    let last = assembled.messages.last().expect("a message");
    assert_eq!(last.parts, [Part::Text { text: "hello again".to_owned() }]);
    assert_eq!(assembled.messages.len(), 5, "the turn before is kept");
    let section = assembled.manifest.sections.last().expect("sections");
    assert!(section.truncated && section.reason.contains("1 unanswered"), "{}", section.reason);
}

#[test]
fn the_preview_shows_the_whole_history() {
    let mut parts = parts(PromptMode::Full);
    parts.history = turns(2, 10);
    let shown = preview(parts, &Quarter);
    assert_eq!(names(&shown).last(), Some(&"history"));
    assert_eq!(shown.messages.len(), 8);
}

/// The largest files that the caps allow, for a model that reads slowly.
fn small() -> PromptParts {
    let mut parts = parts(PromptMode::Full);
    parts.room.prompt_tokens = Some(SMALL_PROMPT_TOKENS);
    let text = "A line of some words, then a few more.\n".repeat(500);
    for section in &mut parts.sections {
        if section.slot != Slot::UserFile && section.text.is_some() {
            section.text = Some(text.as_str().into());
        }
    }
    parts
}

#[test]
fn the_small_prompt_keeps_its_budget_and_marks_its_cuts() {
    let assembled = assemble(small(), &Quarter).expect("fits");
    check_manifest(&assembled);
    let total = assembled.manifest.total_tokens;
    assert!((300..=SMALL_PROMPT_TOKENS).contains(&total), "{total}");
    let first = small().sections.into_iter().filter(|section| section.slot.is_stable());
    let first = PromptParts { sections: first.collect(), ..small() };
    let first = assemble(first, &Quarter).expect("fits").manifest.total_tokens;
    assert!((300..=SMALL_PROMPT_TOKENS).contains(&first), "a first request of {first}");
    for section in assembled.manifest.sections.iter().filter(|s| s.chars > 500 && s.name != "tools")
    {
        assert!(section.truncated && section.reason.contains("small prompt"), "{section:?}");
        assert!(section.text.as_ref().is_some_and(|text| text.contains("\n[…]")));
    }
    let left_out: Vec<_> =
        assembled.manifest.sections.iter().filter(|s| s.reason.contains("left out")).collect();
    let prompt: String = assembled.system.iter().map(|block| block.text.as_str()).collect();
    for section in left_out {
        assert!(section.truncated && section.tokens == 0 && !prompt.contains(&section.source));
    }
    let user = assembled.manifest.sections.iter().find(|s| s.name == "user").expect("user");
    assert!(!user.truncated);
}

#[test]
fn a_skill_at_work_stands_whole_in_a_small_prompt() {
    let mut parts = small();
    let steps = "1. Take one step, then look at what came of it.\n".repeat(60);
    parts.sections.push(file(Slot::ActiveSkill, "skill flash-cards", &steps));
    let assembled = assemble(parts, &Quarter).expect("fits");
    check_manifest(&assembled);
    let skill = assembled.manifest.sections.iter().find(|s| s.name == "active_skill");
    assert!(skill.is_some_and(|skill| !skill.truncated), "{skill:?}");
    let rest = assembled.manifest.total_tokens - skill.map_or(0, |skill| skill.tokens);
    assert!(rest <= SMALL_PROMPT_TOKENS, "{rest}");
}

#[test]
fn a_small_prompt_says_how_to_begin_where_a_message_is_about_files() {
    let about = |text: &str, room: ModelRoom| {
        let tools = Arc::new([tool("read_file", json!({}))]);
        let mut parts = PromptParts { room, tools, ..small() };
        parts.history = vec![message(Role::User, text, "t1")];
        let assembled = assemble(parts, &Quarter).expect("fits");
        check_manifest(&assembled);
        assembled.messages.last().expect("a message").joined_text()
    };
    let small = || small().room;
    assert!(about("Read plan.md.", small()).contains("nothing but the first call"));
    assert_eq!(about("Good morning!", small()), "Good morning!");
    assert_eq!(about("Read plan.md.", room()), "Read plan.md.");
}

#[test]
fn the_tools_of_a_small_prompt_are_counted_as_a_template_writes_them() {
    let tokens = |parts: PromptParts| {
        let assembled = assemble(parts, &Quarter).expect("fits");
        let tools = assembled.manifest.sections.into_iter().find(|s| s.name == "tools");
        tools.map(|section| (section.tokens, section.text.unwrap_or_default()))
    };
    let (small, text) = tokens(small()).expect("tools");
    assert!(text.contains("\"type\": \"function\"") && text.contains("</tool_call>"), "{text}");
    let (whole, _) = tokens(parts(PromptMode::Full)).expect("tools");
    assert!(small > whole + 60, "{small} {whole}");
}

#[test]
fn the_small_prompt_of_an_ordinary_home_knows_its_person_and_what_is_recalled() {
    let mut parts = parts(PromptMode::Full);
    parts.room.prompt_tokens = Some(SMALL_PROMPT_TOKENS);
    let agents = "How to work, in one more line of many words.\n".repeat(40);
    let soul = "- **Be useful.** Skip the praise; solve the thing.\n".repeat(9);
    let user = "- **Name:** Ada\n- **Languages:** English, 中文\n- **Home:** Berlin\n".repeat(2);
    parts.sections = vec![
        file(Slot::AgentsFile, "AGENTS.md", &agents),
        file(Slot::SoulFile, "SOUL.md", &soul),
        file(Slot::IdentityFile, "IDENTITY.md", "- **Name:** Fox"),
        file(Slot::UserFile, "USER.md", &user),
        file(Slot::ToolsFile, "TOOLS.md", "The printer is called Emil."),
        file(Slot::MemoryFile, "MEMORY.md", "## Cat\nCalled Emma."),
        file(Slot::DailyLog, "memory/2026-11-29.md", &agents),
        file(Slot::SessionState, "SESSION-STATE.md", &agents),
        file(Slot::Recalled, "recalled memory", "- The booking code is QX31T7M. [log#L3-L3]"),
    ];
    let assembled = assemble(parts, &Quarter).expect("fits");
    check_manifest(&assembled);
    assert!(assembled.manifest.total_tokens <= SMALL_PROMPT_TOKENS);
    let prompt: String = assembled.system.iter().map(|block| block.text.as_str()).collect();
    for whole in
        [&user, "- **Name:** Fox", "Called Emma.", "QX31T7M", "=== SOUL.md ===\n- **Be useful.**"]
    {
        assert!(prompt.contains(whole.trim_end()), "{whole} in {prompt}");
    }
}

fn stable_text(parts: PromptParts) -> String {
    let system = assemble(parts, &Quarter).expect("fits").system;
    system.into_iter().filter(|block| block.stable).map(|block| block.text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_below_the_boundary_changes_what_stands_above(
        log in "[a-z字\n]{0,300}",
        state in prop::option::of("[a-z]{0,80}"),
        date in "20[0-9]{2}-0[1-9]-1[0-9]",
        said in "[a-z字]{1,200}",
        earlier in 0usize..4,
        is_small in any::<bool>(),
    ) {
        let base = || if is_small { small() } else { parts(PromptMode::Full) };
        let mut other = base();
        other.today.date = date;
        other.sections.retain(|s| s.slot != Slot::SessionState && s.slot != Slot::DailyLog);
        other.sections.push(file(Slot::DailyLog, "memory/x.md", &log));
        other.sections.extend(state.map(|text| file(Slot::SessionState, "SESSION-STATE.md", &text)));
        other.history = turns(earlier, 50);
        other.history.push(message(Role::User, &said, "now"));
        prop_assert_eq!(stable_text(other), stable_text(base()));
    }

    #[test]
    fn any_history_fits_or_is_refused(
        count in 0usize..12,
        size in 0usize..3_000,
        running in 0usize..4,
        window in 5_000u64..12_000,
    ) {
        let mut parts = parts(PromptMode::Full);
        parts.room.window = window;
        parts.history = turns(count + 1, size);
        parts.history.truncate(parts.history.len() - running);
        match assemble(parts, &Quarter) {
            Ok(assembled) => {
                prop_assert!(assembled.manifest.total_tokens + 4_000 <= window);
                prop_assert_eq!(sendable(&assembled.messages), Ok(()));
                check_manifest(&assembled);
            }
            Err(PromptError::Overflow { needed, room }) => prop_assert!(needed > room),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

#[test]
fn counters_that_know_the_tokenizer_are_named_exact() {
    struct Exact;
    impl TokenCounter for Exact {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64
        }
        fn exact(&self) -> bool {
            true
        }
    }
    let exact = |counter: &dyn TokenCounter| {
        assemble(parts(PromptMode::None), counter).expect("fits").manifest.exact
    };
    assert!(exact(&Exact) && !exact(&Quarter));
}
