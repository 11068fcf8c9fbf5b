//! The long haul: thousands of turns in a small window, with planted facts that have to be at hand afterwards.
//!
//! One turn in eight says something worth noting besides the planted facts, so that notes are crowded. Absent
//! here: judging the figures; whoever runs it does.

use crate::{TestHome, ask, done, message};
use anyhow::{Context, Result, ensure};
use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_llm::wire::Format;
use hearth_protocol::{EventBody, SessionKey, StopReason};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Report {
    /// Turns taken.
    pub turns: usize,
    /// Compactions told.
    pub compactions: usize,
    /// Compactions after which the prompt was not smaller.
    pub without_progress: usize,
    /// Requests that the strictest server would refuse.
    pub refused: usize,
    /// Calls with more prompt tokens than the window holds, as the manifest counts them.
    pub too_large: usize,
    /// Messages of the person that no search of the conversation finds.
    pub unfindable: usize,
    /// Facts that were planted.
    pub planted: usize,
    /// Of these, those which stood in the prompt when they were asked for.
    pub in_prompt: usize,
    /// Of the others, those that a search for the question's words finds.
    pub found: usize,
    /// Pairs of turns whose text above the cache boundary was not the same though no file above it changed.
    pub boundary_moved: usize,
    /// Resident memory in KiB after 500 turns (or a quarter of them), and at the end.
    pub memory: (u64, u64),
}

/// A planted fact: what is said, what is asked later, what the answer needs, and a word of the question that a
/// search would use.
struct Fact {
    said: String,
    asked: String,
    needs: String,
    word: String,
}

/// Stands in the prompt of every turn, and in no other.
const ASSISTANT: &str = "personal assistant in Hearth";
const NAMES: [&str; 10] = [
    "Halvorsen",
    "Okafor",
    "Lindqvist",
    "Moreau",
    "Tanaka",
    "Brandt",
    "Silva",
    "Novak",
    "Keller",
    "Rossi",
];
const CHINESE: [&str; 10] = [
    "陈立新",
    "王小明",
    "李文静",
    "张海涛",
    "刘思远",
    "赵国庆",
    "孙丽华",
    "周建平",
    "吴晓东",
    "郑云飞",
];

/// Fifty in English, fifty in Chinese, of all six signals, in turns.
fn facts() -> Vec<Fact> {
    english().into_iter().zip(chinese()).flat_map(|(one, other)| [one, other]).collect()
}

fn english() -> Vec<Fact> {
    let mut facts = Vec::new();
    for (n, name) in NAMES.iter().enumerate() {
        let word = (*name).to_owned();
        let mut add = |said: String, asked: String, needs: String| {
            facts.push(Fact { said, asked, needs, word: word.clone() });
        };
        let code = format!("QX{}T{}M", 31 + n, 7 + n);
        add(
            format!("The booking code of {name} is {code}."),
            format!("What is the booking code of {name}?"),
            code,
        );
        let day = format!("{} March 2027", 10 + n);
        add(
            format!("No, the {name} meeting is on {day}, not in April."),
            format!("When is the {name} meeting?"),
            day,
        );
        add(
            format!("From now on always write to {name} in a formal tone, I prefer that."),
            format!("In which tone do I want you to write to {name}?"),
            "formal tone".to_owned(),
        );
        add(
            format!("We decided to go with vendor number {} for {name}.", 400 + n),
            format!("Which vendor did we decide on for {name}?"),
            (400 + n).to_string(),
        );
        add(
            format!(
                "In the {name} letter, replace the second paragraph with the one about room {}.",
                70 + n
            ),
            format!("What did I want to change in the {name} letter?"),
            format!("room {}", 70 + n),
        );
    }
    facts
}

fn chinese() -> Vec<Fact> {
    let mut facts = Vec::new();
    for (n, name) in CHINESE.iter().enumerate() {
        let word = (*name).to_owned();
        let mut add = |said: String, asked: String, needs: String| {
            facts.push(Fact { said, asked, needs, word: word.clone() });
        };
        let phone = format!("0571-88{}", 20_0010 + n * 37);
        add(format!("{name}的电话是 {phone}。"), format!("{name}的电话是多少？"), phone);
        let time = format!("下午{}点{}分", 1 + n % 8, 10 + n);
        add(
            format!("不对，和{name}的会议是{time}，不是上午。"),
            format!("和{name}的会议是几点？"),
            time,
        );
        add(
            format!("以后给{name}发邮件一律抄送我，我习惯这样。"),
            format!("给{name}发邮件我习惯怎么做？"),
            "抄送我".to_owned(),
        );
        add(
            format!("就这么定了，{name}的项目用第{}号方案。", 30 + n),
            format!("{name}的项目用哪个方案？"),
            format!("第{}号方案", 30 + n),
        );
        add(
            format!("把给{name}的稿子里第二段删掉，换成{}页的表格。", 60 + n),
            format!("给{name}的稿子要改什么？"),
            format!("{}页的表格", 60 + n),
        );
    }
    facts
}

/// What is said in a turn that plants nothing; each is told apart by its mark.
fn filler(n: usize) -> String {
    let mark = mark(n);
    match n % 8 {
        0 => format!("The parcel {mark} weighs {} grams, please note it.", 100 + n),
        1 => format!("Tell me something about clouds, {mark}, and why they look as they do."),
        2 => format!("{mark} 今天天气怎么样，适合出门散步吗？我想听听你的看法。"),
        3 => format!("I was thinking about the garden again, {mark}. What grows in the shade?"),
        4 => format!("{mark} 给我讲一个关于海的小故事，不要太长，语气轻松一点。"),
        5 => format!(
            "Could you explain {mark} how a sourdough starter is kept alive over the winter?"
        ),
        6 => format!("{mark} 我们聊聊旅行吧，你觉得坐火车有什么好处呢？"),
        _ => format!("Thanks, that was good, {mark}. Let us go on with the next thing, slowly."),
    }
}

/// A word that stands in one message alone.
fn mark(n: usize) -> String {
    let letters = |mut n: usize| {
        let mut word = String::new();
        for _ in 0..4 {
            word.push(char::from(b'a' + u8::try_from(n % 26).unwrap_or_default()));
            n /= 26;
        }
        word
    };
    format!("zq{}", letters(n))
}

fn reply(n: usize) -> Reply {
    let sentence = "That is a fair question, and there is more than one way to look at it. ";
    let chinese = "这个问题可以从几个方面来看，我先说最要紧的一点，再慢慢补充。";
    let text =
        if n.is_multiple_of(2) { sentence.repeat(3 + n % 4) } else { chinese.repeat(2 + n % 4) };
    Reply::new().text(text)
}

/// Runs it: so many turns with so many tokens of window.
///
/// # Errors
/// When the engine fails, or a turn does not end well.
pub async fn haul(turns: usize, window: u64) -> Result<Report> {
    let home = TestHome::new(Format::OpenaiChat, "openai").await?;
    home.flush_nothing();
    let settings = home.settings(Format::OpenaiChat, "openai");
    let settings = settings.replace("window = 128000", &format!("window = {window}"));
    home.write_settings(&format!(
        "{settings}[budget]\ndaily_usd = 0\ndaily_tokens = 0\nmonthly_usd = 0\nmonthly_tokens = 0\n"
    ))?;
    let engine = home.open().await?;
    let facts = facts();
    let mut report = Report { planted: facts.len(), ..Report::default() };
    let mut above = HashMap::new();
    // Planted in the first four fifths, evenly.
    let every = (turns * 4 / 5 / facts.len()).max(1);
    for n in 0..turns {
        let planted = facts.get(n / every).filter(|_| n % every == every / 2);
        let text = planted.map_or_else(|| filler(n), |fact| format!("{} {}", fact.said, mark(n)));
        let files = remembered(&home);
        turn(&home, &engine, &text, n, window, &mut report).await?;
        let unchanged = (files == remembered(&home)).then_some(files);
        check_requests(&home, &mut report, unchanged, &mut above);
        if n + 1 == (turns / 4).clamp(1, 500) {
            report.memory.0 = resident();
        }
    }
    report.memory.1 = resident();
    for (n, fact) in facts.iter().enumerate() {
        turn(&home, &engine, &fact.asked, turns + n, window, &mut report).await?;
        let shown = home.server.take_requests().iter().any(|request| {
            let body = request.body.to_string();
            body.contains(ASSISTANT) && body.contains(&fact.needs)
        });
        report.in_prompt += usize::from(shown);
        if !shown {
            let hits = api::sessions::find_text(&engine, None, &fact.word).await?;
            let found = hits.iter().any(|(_, hit)| hit.joined_text().contains(&fact.needs));
            report.found += usize::from(found);
        }
    }
    for n in 0..turns {
        let hits = api::sessions::find_text(&engine, Some(SessionKey::main()), &mark(n)).await?;
        report.unfindable += usize::from(hits.is_empty());
    }
    engine.close().await;
    Ok(report)
}

async fn turn(
    home: &TestHome,
    engine: &Engine,
    text: &str,
    n: usize,
    window: u64,
    report: &mut Report,
) -> Result<()> {
    home.server.push(reply(n));
    let events = ask(engine, message(text)).await?;
    let (_, stop) = done(&events).context("the turn has an end")?;
    ensure!(stop == StopReason::Finished, "turn {n} ended as {stop:?}: {events:?}");
    report.turns += 1;
    for event in &events {
        if let EventBody::Compacted { from_tokens, to_tokens, .. } = &event.body {
            report.compactions += 1;
            report.without_progress += usize::from(to_tokens >= from_tokens);
        }
    }
    let last = events.last().map(|event| event.turn.clone());
    let manifest = api::context::call(engine, SessionKey::main(), last, None).await?;
    report.too_large += usize::from(manifest.total_tokens > window);
    Ok(())
}

/// The files above the cache boundary that may change in a long talk.
fn remembered(home: &TestHome) -> String {
    let read = |name: &str| std::fs::read_to_string(home.path("workspace").join(name));
    ["MEMORY.md", "USER.md"].map(|name| read(name).unwrap_or_default()).concat()
}

/// Every request is in order, and what stands above the cache boundary stays as it is while no file above it
/// changes.
fn check_requests(
    home: &TestHome,
    report: &mut Report,
    files: Option<String>,
    above: &mut HashMap<u64, u64>,
) {
    for request in home.server.take_requests() {
        let refusal = crate::strict::refusal(Format::OpenaiChat, &request.body);
        report.refused += usize::from(refusal.is_some());
        let system = request.body["messages"][0]["content"].to_string();
        // Summaries and the like have a system prompt of their own.
        let Some(files) = files.as_ref().filter(|_| system.contains(ASSISTANT)) else {
            continue;
        };
        // Below the boundary come first the skills near to the message, then the day.
        let below = |text: &str| {
            ["Skills near to this message", "Today is "]
                .iter()
                .filter_map(|first| text.find(first))
                .min()
        };
        let stable = system[..below(&system).unwrap_or(system.len())].to_owned();
        // Their hashes: the texts would grow with the turns, and it is the memory of this process that is measured.
        let stable = hash(&stable);
        let before = above.insert(hash(files), stable);
        report.boundary_moved += usize::from(before.is_some_and(|before| before != stable));
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Resident memory of this process in KiB; 0 where it cannot be known.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
