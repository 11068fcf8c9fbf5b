//! Each form, mixed; what is nothing to do; what cannot be read.

use super::*;
use crate::problems;

/// `\n`, `\t` and `\u....` of the table's cells.
fn unescaped(cell: &str) -> String {
    let (mut out, mut chars) = (String::new(), cell.chars());
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some('u') => {
                    let code: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&code, 16).expect("hexadecimal");
                    out.push(char::from_u32(code).expect("a character"));
                }
                other => out.extend(['\\'].into_iter().chain(other)),
            },
        }
    }
    out
}

#[test]
fn what_is_nothing_to_do_is_known() {
    let mut rows = 0;
    for row in include_str!("../../tests/fixtures/heartbeat_empty.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [content, calls, why] = cells[..] else { panic!("three cells: {row}") };
        let found = heartbeat(&unescaped(content));
        assert_eq!(found.is_empty(), calls == "no", "{why}: {content:?} {found:?}");
        rows += 1;
    }
    assert!(rows > 40, "{rows} rows");
}

#[test]
fn structure_without_words_and_placeholders_are_nothing_to_do() {
    for nothing in [
        "Heading\n---\n",
        "# A\n\nReminders\n-----\n\n- [ ]\n",
        "> Heading\n> ===\n",
        "* * *\n- - -\n_ _ _\n",
        "| task | when |\n|---|---|\n|  |  |\n",
        "[a]: http://example.com\n[b]: <./x.md> \"A title\"\n",
        "> # Heading\n- # Heading\n",
        "&nbsp;\n&#160;&#xA0;\n",
        "---\ntitle: x\n...\n# H\n",
        "...\n…\n",
        "<!doctype html>\n<?xml version=\"1.0\"?>\n",
        "\u{2060}\u{ad}\n\u{fe0f}\u{2063}\n",
        "_Add tasks below_\n",
        "**Add your tasks here.**\n",
        "- [ ] [Write something to check here]\n",
        "（可选：在这里写任务）\n",
        "*请在下面添加提醒*\n",
        "[](http://example.com)\n",
        "- > \n> - \n> - [ ]\n",
    ] {
        let found = heartbeat(nothing);
        assert!(found.is_empty(), "{nothing:?}: {found:?}");
    }
    for task in [
        "- check mail\n---\n",
        "Check the door.\n---\n",
        "Buy milk\nWater the plants\n---\n",
        "[ ] call mum\n---\n",
        "water the plants\n\n---\n",
        "[mum]: call her\n",
        "[a]: http://example.com is it up?\n",
        "<check mail>\n",
        "https://example.com\n",
        "> - # Heading\n> - read\n",
        "_Check the tasks in Jira_\n",
        "(Add milk to the list)\n",
        "_Write to Anna_\n",
        "(list reminders)\n",
        "（检查任务）\n",
        "（把下面的邮件翻译成英文）\n",
        "*在这里写日记提醒妈妈*\n",
        "---\nfeed the cat\n...\n",
        "| a | b |\n|---|---|\n|  | feed |\n",
        "☎ \n",
        "1\n",
    ] {
        assert!(!heartbeat(task).is_empty(), "{task:?}");
    }
}

const MIXED: &str = "# Heartbeat

- [ ] Is anything due today?
- [x] Water the plants
Check the door.

## Morning
trigger: 0 8 * * 1-5
action: run_turn
prompt: What does today look like?
In three lines.

<!--
trigger: 0 1 * * *
prompt: hidden
-->

- trigger: every 2h
  action: send_message
  prompt: |
    Say something kind.

    And short.
- feed the cat

```yaml
trigger: at 2026-12-01 09:00
action: run_skill weekly-review
missed: skip
zone: Asia/Shanghai
```

tasks:
  - name: mail
    interval: 30m
    prompt: check mail

  - name: disk
    interval: 1d
    prompt: look at the disk

trigger: 0 3 * * *
action: consolidate_memory
";

#[test]
fn the_three_forms_are_read_mixed() {
    let found = heartbeat(MIXED);
    assert_eq!(found.problems, []);
    let rows: Vec<_> = found
        .items
        .iter()
        .map(|item| (item.kind, item.line, item.trigger.as_str(), item.action, item.text.as_str()))
        .collect();
    use ItemKind::{Block, Checklist, Task};
    use JobAction::{ConsolidateMemory, RunSkill, RunTurn, SendMessage};
    assert_eq!(
        rows,
        [
            (
                Checklist,
                3,
                "",
                SendMessage,
                "- [ ] Is anything due today?\nCheck the door.\n- feed the cat"
            ),
            (Block, 8, "0 8 * * 1-5", RunTurn, "What does today look like?\nIn three lines."),
            (Block, 18, "every 2h", SendMessage, "Say something kind.\n\nAnd short."),
            (Block, 27, "at 2026-12-01 09:00", RunSkill, "weekly-review"),
            (Task, 34, "every 30m", SendMessage, "check mail"),
            (Task, 38, "every 1d", SendMessage, "look at the disk"),
            (Block, 42, "0 3 * * *", ConsolidateMemory, ""),
        ]
    );
    let names: Vec<_> = found.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(
        names[1..6],
        ["Morning", "Say something kind. And short.", "weekly-review", "mail", "disk"]
    );
    assert_eq!(found.items[3].zone, Some(Tz::Asia__Shanghai));
    assert_eq!(found.items[3].missed, Some(MissedPolicy::Skip));
}

#[test]
fn an_id_outlives_a_change_of_everything_but_the_name() {
    let before = heartbeat("## Tea\ntrigger: 0 8 * * *\nprompt: tea\n");
    let after = heartbeat("text\n\n## Tea\ntrigger: 0 9 * * *\nprompt: green tea\n");
    assert_eq!(before.items[0].id, after.items[1].id);
    let twice = heartbeat(
        "## Tea\ntrigger: 0 8 * * *\nprompt: tea\n\n## Tea\ntrigger: 0 9 * * *\nprompt: tea\n",
    );
    assert_ne!(twice.items[0].id, twice.items[1].id);
}

#[test]
fn what_cannot_be_read_is_marked_with_its_line_and_never_runs() {
    for (text, line, says) in [
        ("trigger: 61 * * * *\nprompt: x\n", 1, "cannot be read"),
        ("prompt: x\ntrigger: 0 0 31 2 *\n", 2, "never fires"),
        ("trigger: 0 9 * * *\ntrigger: 0 10 * * *\nprompt: x\n", 2, "twice"),
        ("trigger: every fortnight\nprompt: x\n", 1, "no length of time"),
        ("trigger: at tomorrow\nprompt: x\n", 1, "no time"),
        ("trigger:\nprompt: x\n", 1, "empty"),
        ("trigger: 0 9 * * *\naction: dance\nprompt: x\n", 2, "unknown"),
        ("trigger: 0 9 * * *\n", 1, "nothing to do"),
        ("trigger: 0 9 * * *\nzone: Mars/Olympus\nprompt: x\n", 2, "no time zone"),
        ("trigger: 0 9 * * *\nmissed: sometimes\nprompt: x\n", 2, "unknown"),
        ("action: run_turn\nprompt: x\n", 1, "no `trigger:`"),
        ("prompt: x\ntrigger: every 59s\n", 2, "more than once a minute"),
        ("trigger: */20 * * * * *\nprompt: x\n", 1, "more than once a minute"),
        ("trigger: */100 * * * *\nprompt: x\n", 1, "steps further"),
        ("tasks:\n  - name: a\n    interval: 10s\n    prompt: x\n", 3, "more than once a minute"),
        ("tasks:\n  - name: a\n    prompt: x\n", 2, "no `interval:`"),
        ("tasks:\n  - name: a\n    interval: soon\n    prompt: x\n", 3, "no length of time"),
        ("tasks:\n  - name: a\n    interval: 30m\n", 2, "nothing to do"),
    ] {
        let found = heartbeat(text);
        assert_eq!(found.items.len(), 1, "{text}");
        assert!(found.is_empty() && found.items[0].schedule.is_none(), "{text}");
        let marked = problems("HEARTBEAT.md", text);
        assert_eq!(marked.iter().map(|p| p.line).collect::<Vec<_>>(), [line], "{text}: {marked:?}");
        assert!(marked[0].message.contains(says), "{text}: {}", marked[0].message);
    }
    assert_eq!(problems("HEARTBEAT.md", MIXED), []);
}

#[test]
fn a_skill_is_named_by_its_key_its_action_or_its_prompt() {
    for (lines, name, asked) in [
        ("action: run_skill\nprompt: daily-brief", "daily-brief", ""),
        ("action: run_skill\nskill: daily-brief\nprompt: only mail", "daily-brief", "only mail"),
        (
            "action: run_skill daily-brief\nprompt: |\n  only mail\n  of today",
            "daily-brief",
            "only mail\nof today",
        ),
        ("action: run_skill\nskill: daily-brief", "daily-brief", ""),
    ] {
        let found = heartbeat(&format!("trigger: 0 9 * * *\n{lines}\n"));
        let item = &found.items[0];
        assert_eq!((skill_of(&item.text), &item.error), ((name, asked), &None), "{lines}");
    }
    let unnamed = heartbeat("trigger: 0 9 * * *\naction: run_skill\nprompt: sum up the day\n");
    assert!(unnamed.items[0].error.as_ref().is_some_and(|error| error.contains("`skill:`")));
}

#[test]
fn a_time_that_is_past_is_marked_and_one_to_come_is_not() {
    let text =
        "## Tea\nprompt: tea\ntrigger: at 2026-12-01 09:00\n\ntrigger: 0 9 * * *\nprompt: x\n";
    let (found, zone) = (heartbeat(text), Tz::Europe__Oslo);
    let at = hearth_schedule::moment("2026-12-01 09:00", zone).expect("a time");
    assert_eq!(found.past(at - 1, zone), []);
    let lines: Vec<u32> = found.past(at, zone).iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3]);
    assert!(found.items[0].error.is_none(), "one that was missed still runs");
}

#[test]
fn a_key_that_nobody_knows_is_marked_and_is_no_part_of_the_prompt() {
    for (text, line, prompt) in [
        ("trigger: 0 9 * * *\nprompt: say hello\npriority: high\n", 3, "say hello"),
        ("priority: high\ntrigger: 0 9 * * *\nprompt: say hello\n", 1, "say hello"),
        ("trigger: 0 9 * * *\nmised: skip\nprompt: say hello\n", 2, "say hello"),
        ("- trigger: 0 9 * * *\n  to: me\n  prompt: |\n    say: hello\n", 2, "say: hello"),
        ("tasks:\n  - name: a\n    interval: 30m\n    when: now\n    prompt: look\n", 4, "look"),
        ("trigger: 0 9 * * *\nprompt: say hello\n  note: softly\n", 0, "say hello\nnote: softly"),
        (
            "trigger: 0 9 * * *\nprompt: look at\nhttps://example.org\nNote: today\n",
            0,
            "look at\nhttps://example.org\nNote: today",
        ),
    ] {
        let found = heartbeat(text);
        assert_eq!((found.items.len(), found.items[0].text.as_str()), (1, prompt), "{text}");
        assert_eq!(found.items[0].error, None, "{text}");
        let marked: Vec<u32> = found.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(marked, if line == 0 { vec![] } else { vec![line] }, "{text}");
    }
}

#[test]
fn words_that_look_like_keys_are_words() {
    for text in
        ["Action: call mum\n", "name: Bob is ill, ask how he is\n", "Prompt: payment of rent\n"]
    {
        let found = heartbeat(text);
        assert_eq!((found.items.len(), found.items[0].kind), (1, ItemKind::Checklist), "{text}");
        assert_eq!(found.problems, [], "{text}");
    }
}

#[test]
fn much_is_read_too() {
    let prose = "It was a dark and stormy night. ".repeat(600);
    assert_eq!(heartbeat(&prose).items.len(), 1);
    let list = "trigger: 0 9 * * *\nprompt: x\n\n".repeat(5_000);
    let found = heartbeat(&list);
    assert_eq!((found.items.len(), found.problems.len()), (MOST + 1, 1));
    assert!(found.items[MOST].error.is_some());
}

proptest::proptest! {
    /// Any text is read, and what is empty stays empty with a comment around it.
    #[test]
    fn any_text_is_read(lines in proptest::collection::vec(
        proptest::sample::select(vec![
            "trigger: 0 9 * * *", "prompt: x", "prompt: |", "  more", "", "# h", "- [ ] a", "tasks:",
            "  - name: n", "    interval: 1h", "```", "---", "<!--", "-->", "| a |", "|---|", "> q", "é：", "action:",
        ]), 0..24,
    )) {
        let text = lines.join("\n");
        let found = heartbeat(&text);
        let last = u32::try_from(lines.len().max(1)).expect("few");
        proptest::prop_assert!(found.items.iter().all(|item| (1..=last).contains(&item.line)));
        proptest::prop_assert!(found.problems.iter().all(|problem| (1..=last).contains(&problem.line)));
        let hidden = format!("<!--\n{}\n-->\n", text.replace("-->", ""));
        proptest::prop_assert!(heartbeat(&hidden).is_empty());
    }
}
