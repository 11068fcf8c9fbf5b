//! What skills cost: tokens on 20 of them against carrying all, the time to read 2,760 cold and warm, and the
//! time of a decision without the embedding of the message.
//!
//! `cargo bench --workspace --bench skills` prints the table. Aims: index 200 tokens, 1,000 with one body of
//! 800 active; 1 s cold, 100 ms warm; 5 ms a decision.

use hearth_agent::TokenCounter;
use hearth_agent::skills::{Candidate, INDEX_TOKENS, Indexed, Matcher, Meaning, Tasks, index_text};
use hearth_protocol::api::skills::SkillSource;
use hearth_workspace::skills::{Found, SkillRoot, Skills};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MANY: usize = 2_760;
const ROUNDS: usize = 200;
const BODY_TOKENS: u64 = 800;
/// Of the embedding model's vectors, and how many tasks there are.
const WIDTH: usize = 384;
const TASKS: usize = 406;

type Failure = Box<dyn std::error::Error>;

/// The tokenizer of current models.
struct O200k;

impl TokenCounter for O200k {
    fn count(&self, text: &str) -> u64 {
        tiktoken_rs::o200k_base_singleton().count_ordinary(text) as u64
    }

    fn exact(&self) -> bool {
        true
    }
}

fn main() -> Result<(), Failure> {
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    tokens(&folder.path().join("twenty"))?;
    times(&folder.path().join("many"))
}

fn roots(folder: &Path) -> [SkillRoot; 1] {
    [SkillRoot { source: SkillSource::Workspace, folder: folder.to_owned() }]
}

/// Purposes that differ, in two languages.
fn purpose(at: usize) -> String {
    const WHAT: [&str; 10] = [
        "Sorts the inbox by urgency and drafts a short answer for each mail",
        "把会议记录整理成决议、待办、负责人和截止日期",
        "Reviews a diff for bugs, security problems and style",
        "从一段材料生成问答式记忆卡片，可导出复习",
        "Plans a journey: transport, places to stay, daily routes and budget",
        "回顾一周完成的事、未完成的事和下周重点",
        "Merges, splits, rotates and extracts text from PDF files",
        "查询天气，遇到下雨、降温、大风提前提醒",
        "Keeps a watering and repotting schedule for house plants",
        "审阅合同，指出风险条款和缺失内容",
    ];
    format!("{} ({at}).", WHAT[at % WHAT.len()])
}

fn write(folder: &Path, count: usize, body: &str) -> Result<(), Failure> {
    for at in 0..count {
        let own = folder.join(format!("skill-{at:04}"));
        std::fs::create_dir_all(own.join("references"))?;
        let text = format!(
            "---\nname: skill-{at:04}\ndescription: \"{}\"\nmetadata: {{\"openclaw\":{{\"emoji\":\"📝\"}}}}\n---\n\n{body}",
            purpose(at)
        );
        std::fs::write(own.join("SKILL.md"), text)?;
        std::fs::write(own.join("references/style.md"), "# Style\n")?;
    }
    Ok(())
}

/// A body of so many tokens, with what bodies have.
fn body(tokens: u64) -> String {
    let mut text =
        "# How\n\nSee [style](references/style.md).\n\n## Self-check\n\n- [ ] done\n\n## Steps\n"
            .to_owned();
    let mut step = 0;
    while O200k.count(&text) < tokens {
        step += 1;
        let _ = writeln!(
            text,
            "{step}. Read what is there, then write down what is missing and for whom."
        );
    }
    text
}

#[expect(clippy::print_stdout, reason = "this is what a benchmark is for")]
fn tokens(folder: &Path) -> Result<(), Failure> {
    write(folder, 20, &body(BODY_TOKENS))?;
    let found = Skills::default().scan(&roots(folder));
    let indexed: Vec<Indexed> = found
        .iter()
        .map(|one| Indexed {
            name: one.skill.name.clone(),
            description: one.skill.description.clone(),
            rank: 0,
        })
        .collect();
    let index = index_text(&indexed, INDEX_TOKENS, &O200k).map_or(0, |text| O200k.count(&text));
    let bodies: Vec<u64> = found
        .iter()
        .map(|one| one.body().map(|body| O200k.count(&body.text)))
        .collect::<Result<_, _>>()?;
    let active = index + bodies[0];
    let all: u64 = bodies.iter().sum();
    let saving = 100 - active * 100 / all.max(1);
    println!(
        "20 skills, tokens: index {index}, index and one active {active}, all bodies {all}, saving {saving} %"
    );
    Ok(())
}

#[expect(clippy::print_stdout, reason = "this is what a benchmark is for")]
fn times(folder: &Path) -> Result<(), Failure> {
    write(folder, MANY, &body(1_200))?;
    let skills = Skills::default();
    let begun = Instant::now();
    let found = skills.scan(&roots(folder));
    let cold = begun.elapsed();
    let begun = Instant::now();
    let again = skills.scan(&roots(folder));
    let warm = begun.elapsed();
    assert_eq!(found.len(), again.len());
    println!("{} skills: {cold:.0?} cold, {warm:.0?} warm", found.len());
    decisions(&found[..100]);
    decisions(&found);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "this is what a benchmark is for")]
fn decisions(found: &[Found]) {
    let candidates = found.iter().map(|one| Candidate {
        name: one.skill.name.clone(),
        description: one.skill.description.clone(),
        triggers: Vec::new(),
        by_model: true,
        by_user: true,
        bundled: false,
    });
    let matcher = Matcher::new(candidates.collect());
    let messages = ["Which of my mails need an answer?", "明天出门要不要带伞", "Thanks a lot!"];
    let begun = Instant::now();
    let meaning = Meaning::new(vectors(found.len()), Arc::new(tasks()));
    let prepared = begun.elapsed();
    let message = vectors(1).remove(0);
    let timed = |by_meaning: bool| {
        let begun = Instant::now();
        for round in 0..ROUNDS {
            let near = by_meaning.then(|| meaning.nearness(&message));
            let _ = matcher.decide(messages[round % messages.len()], near.as_ref());
        }
        begun.elapsed() / u32::try_from(ROUNDS).unwrap_or(1)
    };
    let (words, both) = (timed(false), timed(true));
    println!(
        "a decision among {}: {words:.2?} by words, {both:.2?} with meaning (prepared in {prepared:.0?})",
        found.len()
    );
}

/// What they hold does not matter.
fn vectors(count: usize) -> Vec<Vec<f32>> {
    let one = |at: usize| (0..WIDTH).map(|x| ((at * 31 + x * 17) % 97) as f32 / 1_000.0).collect();
    (0..count).map(one).collect()
}

fn tasks() -> Tasks {
    Tasks {
        asked: vectors(TASKS),
        described: vectors(TASKS),
        talk: vectors(TASKS / 2),
        centre: vec![0.0; WIDTH],
    }
}
