//! How fast memory answers, and what it holds: `cargo bench --workspace --bench recall -- [CHUNKS …]`.
//!
//! Builds stores of invented notes, in English and Chinese, alone and in conversations, and asks questions
//! made of their words. The embedding of the question is left out: its vector is drawn from its letters.
//! Beside it, in the same run: a plain FTS5 query of the same words, and a copy of all vectors in memory.
//!
//! `… -- index MODEL_FOLDER [CHUNKS]` makes the vectors of 10,000 chunks with the real model, says how far it
//! is, is stopped half-way, and goes on where it was after the memory was opened again.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a benchmark"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hearth_embed::{EmbedError, Embedder, Kind};
use hearth_memory::{Encoder, Memory, Sources};
use hearth_protocol::api::memory::{MemoryProgress, MemoryQuery, SearchMode};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

const WIDTH: usize = 384;
const NOTES_A_DAY: usize = 400;
const QUESTIONS: usize = 200;
/// Milliseconds that 95 of 100 searches may take, by chunks.
const GOALS: [(usize, f64); 3] = [(10_000, 10.0), (100_000, 50.0), (1_000_000, 400.0)];
/// Megabytes that a million chunks may take.
const MOST_MB: u64 = 1_024;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Small numbers come often, large ones seldom, as words do.
    fn word(&mut self, of: usize) -> usize {
        let even = (self.roll() % 1_000_000) as f64 / 1_000_000.0;
        ((of as f64).powf(even) - 1.0) as usize
    }
}

/// A vector that depends on the text alone.
#[derive(Debug)]
struct Drawn;

impl Encoder for Drawn {
    fn name(&self) -> Result<String, EmbedError> {
        Ok("drawn".to_owned())
    }

    fn embed(&self, _kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let seed = text.bytes().fold(1_469_598_103_934_665_603_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
            });
            let mut dice = Dice(seed | 1);
            let mut vector: Vec<f32> =
                (0..WIDTH).map(|_| (dice.roll() >> 40) as f32 / 8_388_608.0 - 1.0).collect();
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn release_idle(&self, _after: Duration) -> bool {
        false
    }
}

struct NoJournal;

impl Journal for NoJournal {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

fn english(n: usize) -> String {
    const PARTS: [&str; 20] = [
        "ba", "co", "di", "fen", "gar", "hol", "ist", "ka", "lum", "mer", "no", "pra", "qui",
        "ros", "sta", "tev", "ul", "vin", "wo", "zan",
    ];
    let mut word = String::new();
    let mut rest = n + 20;
    while rest > 0 {
        word.push_str(PARTS[rest % PARTS.len()]);
        rest /= PARTS.len();
    }
    word
}

fn chinese(n: usize) -> String {
    let han = |n: usize| char::from_u32(0x4e00 + (n % 3_500) as u32).unwrap();
    [han(n * 7 + 1), han(n / 3 + n * 13 + 5)].iter().collect()
}

fn sentence(dice: &mut Dice) -> String {
    let words = 8 + (dice.roll() % 14) as usize;
    if dice.roll().is_multiple_of(2) {
        let words: Vec<String> = (0..words).map(|_| english(dice.word(40_000))).collect();
        words.join(" ")
    } else {
        (0..words).map(|_| chinese(dice.word(20_000))).collect()
    }
}

/// Writes the notes; returns questions made of words of some of them.
fn write_notes(folder: &Path, chunks: usize) -> Vec<String> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut questions = Vec::new();
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    let first = chrono::NaiveDate::from_ymd_opt(2019, 1, 1).unwrap();
    for day in 0..chunks.div_ceil(NOTES_A_DAY) {
        let mut log = String::new();
        for n in 0..NOTES_A_DAY.min(chunks - day * NOTES_A_DAY) {
            let text = sentence(&mut dice);
            let speaker = match (day % 2, n % 2) {
                (0, _) => "",
                (_, 0) => "**Ann**: ",
                _ => "**Ben**: ",
            };
            log.push_str(&format!("- {speaker}{text}\n"));
            if dice.roll() as usize % chunks < QUESTIONS * 2 && questions.len() < QUESTIONS {
                questions.push(question(&text, &mut dice));
            }
        }
        let date = first + chrono::Days::new(day as u64 % 2_600);
        let part = day / 2_600;
        let name = if part == 0 { format!("{date}.md") } else { format!("{date}-{part}.md") };
        std::fs::write(folder.join("memory").join(name), log).unwrap();
    }
    questions
}

fn question(text: &str, dice: &mut Dice) -> String {
    let count = 3 + (dice.roll() % 4) as usize;
    if text.contains(' ') {
        text.split(' ').skip(2).take(count).collect::<Vec<_>>().join(" ")
    } else {
        text.chars().skip(2).take(count * 2).collect()
    }
}

async fn open(folder: &Path, encoder: Arc<dyn Encoder>) -> Memory {
    let workspace =
        Arc::new(WorkspaceRoot::open(&folder.join("workspace"), Arc::new(NoJournal)).unwrap());
    let sources = Sources { workspace, encoder: Some(encoder), conversations: None };
    Memory::open(&folder.join("index.db"), sources).await.unwrap()
}

async fn build(folder: &Path, chunks: usize) {
    let questions = write_notes(&folder.join("workspace"), chunks);
    std::fs::write(folder.join("questions.txt"), questions.join("\n")).unwrap();
    let memory = open(folder, Arc::new(Drawn)).await;
    let begun = Instant::now();
    memory.sync().await.unwrap();
    let read = begun.elapsed();
    memory.embed(&mut |_| true).await.unwrap();
    let status = memory.status().await.unwrap();
    println!(
        "{} chunks: read in {:.1} s, vectors kept in {:.1} s, index {} MB",
        status.chunks,
        read.as_secs_f64(),
        (begun.elapsed() - read).as_secs_f64(),
        std::fs::metadata(folder.join("index.db")).unwrap().len() >> 20
    );
    memory.close().await;
}

fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// Kilobytes of this process that are its own.
fn private_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

async fn measure(folder: &Path, chunks: usize) {
    let questions = std::fs::read_to_string(folder.join("questions.txt")).unwrap();
    let questions: Vec<&str> = questions.lines().collect();
    let begun = Instant::now();
    let memory = open(folder, Arc::new(Drawn)).await;
    let opened = begun.elapsed();
    let mut held = private_kb();
    let mut slowest = 0.0_f64;
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let mut times = Vec::with_capacity(questions.len());
        for question in &questions {
            let asked =
                MemoryQuery { query: (*question).to_owned(), mode, ..MemoryQuery::default() };
            let begun = Instant::now();
            let answer = memory.search(&asked).await.unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
            assert!(!answer.nothing_found, "{question}");
        }
        if mode == SearchMode::Hybrid {
            println!(
                "  the first search, which reads what the next ones have at hand: {:.1} ms",
                times[0]
            );
        }
        slowest = slowest.max(report(&format!("search, {mode:?}"), &mut times, chunks));
        held = held.max(private_kb());
    }
    let options = SqliteConnectOptions::new().filename(folder.join("index.db")).read_only(true);
    let plain = SqlitePool::connect_with(options).await.unwrap();
    let mut times = Vec::new();
    for question in &questions {
        let dense = !question.contains(' ');
        let words: Vec<String> = match dense {
            true => question
                .chars()
                .collect::<Vec<_>>()
                .windows(2)
                .map(|w| w.iter().collect())
                .collect(),
            false => question.split(' ').map(str::to_owned).collect(),
        };
        let asked = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        let begun = Instant::now();
        let rows = sqlx::query_scalar::<_, i64>(
            "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank LIMIT 10",
        );
        let found = rows.bind(asked).fetch_all(&plain).await.unwrap();
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        std::hint::black_box(found);
    }
    let plain_query = report("plain FTS5 query", &mut times, 0);
    let vectors = vec![7_u8; chunks * (WIDTH + 4)];
    let mut copy = vec![0_u8; vectors.len()];
    let mut times: Vec<f64> = (0..20)
        .map(|_| {
            let begun = Instant::now();
            copy.copy_from_slice(std::hint::black_box(&vectors));
            std::hint::black_box(&copy);
            begun.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    let copied = report("copy of all vectors", &mut times, 0);
    println!(
        "  slowest search: {:.1} times a plain query, {:.1} times a copy of the vectors",
        slowest / plain_query,
        slowest / copied
    );
    let held = held >> 10;
    let verdict = match chunks {
        1_000_000 if held <= MOST_MB => format!("  (goal {MOST_MB} MB: reached)"),
        1_000_000 => format!("  (goal {MOST_MB} MB: MISSED)"),
        _ => String::new(),
    };
    println!("  opened in {:.1} s, {held} MB of its own memory{verdict}", opened.as_secs_f64());
    memory.close().await;
}

/// Makes vectors with the real model, stopped half-way and resumed.
async fn index(model: &Path, chunks: usize) {
    let folder = tempfile::tempdir().unwrap();
    write_notes(&folder.path().join("workspace"), chunks);
    let embedder = Arc::new(Embedder::new(model));
    let begun = Instant::now();
    let mut next = 0;
    let mut stop_at = chunks as u64 / 2;
    for part in ["first", "second"] {
        let memory = open(folder.path(), Arc::clone(&embedder) as Arc<dyn Encoder>).await;
        memory.sync().await.unwrap();
        let before = memory.status().await.unwrap();
        println!("  {part} part: {} of {} chunks have no vector", before.stale, before.chunks);
        let mut hear = |now: MemoryProgress| {
            if now.done * 10 >= now.total * next {
                println!(
                    "  {:6.1} s  {:6} of {}",
                    begun.elapsed().as_secs_f64(),
                    now.done,
                    now.total
                );
                next = now.done * 10 / now.total + 1;
            }
            now.done < stop_at
        };
        let all = memory.embed(&mut hear).await.unwrap();
        let after = memory.status().await.unwrap();
        assert_eq!(all, part == "second");
        assert!(part == "first" || (after.stale == 0 && before.stale < after.chunks));
        stop_at = u64::MAX;
        memory.close().await;
    }
    let taken = begun.elapsed().as_secs_f64();
    println!("  {chunks} chunks in {taken:.1} s, {:.1} a second", chunks as f64 / taken);
}

/// Prints the times; returns what 95 of 100 stay below.
fn report(what: &str, times: &mut [f64], chunks: usize) -> f64 {
    let (p50, p95) = (percentile(times, 50), percentile(times, 95));
    let goal = GOALS.iter().find(|(size, _)| *size == chunks);
    let verdict = match goal {
        Some((_, goal)) if p95 <= *goal => format!("  (goal {goal} ms: reached)"),
        Some((_, goal)) => format!("  (goal {goal} ms: MISSED)"),
        None => String::new(),
    };
    println!("  {what:22} p50 {p50:8.2} ms  p95 {p95:8.2} ms{verdict}");
    p95
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    // A process of its own measures what memory alone holds.
    if let [flag, folder, chunks] = &args[..]
        && flag == "measure"
    {
        runtime.block_on(measure(&PathBuf::from(folder), chunks.parse().unwrap()));
        return;
    }
    if let [flag, folder, rest @ ..] = &args[..]
        && flag == "index"
    {
        let chunks = rest.first().map_or(10_000, |chunks| chunks.parse().unwrap());
        runtime.block_on(index(&PathBuf::from(folder), chunks));
        return;
    }
    let sizes: Vec<usize> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if sizes.is_empty() { GOALS.map(|(size, _)| size).to_vec() } else { sizes };
    for chunks in sizes {
        let folder = tempfile::tempdir().unwrap();
        runtime.block_on(build(folder.path(), chunks));
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.arg("measure").arg(folder.path()).arg(chunks.to_string());
        assert!(child.status().unwrap().success());
    }
}
