//! Common tasks in two languages, each with its description and ways to ask for it, and what people say
//! without asking for anything: the ground on which messages and skills meet.
//!
//! `tasks.txt`: a task a line, `English | Chinese | asked | asked | …`; `talk.txt`: a sentence a line.
//! `tasks.vectors`: what the embedding model that we ship for makes of them, so that nobody's computer has to
//! do it again; for another model they are made on the spot.
//!
//! Invariant: what is shipped is used only for a model that makes the same of a sentence of it.

use super::embedded::{Embedded, mean, sum};
use hearth_agent::skills::Tasks;
use hearth_embed::{Kind, centred};

const TASKS: &str = include_str!("tasks.txt");
const TALK: &str = include_str!("talk.txt");
const SHIPPED: &[u8] = include_bytes!("tasks.vectors");
/// From here on two models make the same of a sentence.
const SAME: f32 = 0.97;

/// The tasks in the vectors of a model.
pub(super) async fn tasks(texts: &mut Embedded) -> Option<Tasks> {
    if let Some(shipped) = shipped(SHIPPED)
        && let Some(said) = shipped.talk.first()
    {
        let here = texts.asked(&lines(TALK)[..1]).await?;
        let alike: f32 = here.first()?.iter().zip(said).map(|(x, y)| x * y).sum();
        if here.first()?.len() == said.len() && alike >= SAME {
            return Some(shipped);
        }
    }
    made(texts).await
}

/// Makes the vectors.
async fn made(texts: &mut Embedded) -> Option<Tasks> {
    let mut described = [Vec::new(), Vec::new()];
    let mut asked = Vec::new();
    for line in TASKS.lines() {
        let parts: Vec<String> = line.split('|').map(|part| part.trim().to_owned()).collect();
        let [english, chinese, ways @ ..] = &parts[..] else { continue };
        described[0].push(english.clone());
        described[1].push(chinese.clone());
        let ways = texts.asked(ways).await?;
        asked.push(unit(&mean(&ways)));
    }
    let english = both_ways(texts, &described[0]).await?;
    let chinese = both_ways(texts, &described[1]).await?;
    let centre = mean(&english.iter().chain(&chinese).collect::<Vec<_>>());
    let both = |(one, other): (&Vec<f32>, &Vec<f32>)| {
        sum(&unit(&less(one, &centre)), &unit(&less(other, &centre)), 1.0)
    };
    let described = english.iter().zip(&chinese).map(both).collect();
    Some(Tasks { asked, described, talk: texts.asked(&lines(TALK)).await?, centre })
}

/// What tasks are, as they would be asked and as they would be kept.
async fn both_ways(texts: &mut Embedded, all: &[String]) -> Option<Vec<Vec<f32>>> {
    let asked = texts.described(Kind::Query, all).await?;
    let kept = texts.described(Kind::Passage, all).await?;
    Some(asked.iter().zip(&kept).map(|(asked, kept)| sum(asked, kept, 1.0)).collect())
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn less(one: &[f32], centre: &[f32]) -> Vec<f32> {
    one.iter().zip(centre).map(|(x, centre)| x - centre).collect()
}

fn unit(one: &[f32]) -> Vec<f32> {
    centred(one, &vec![0.0; one.len()])
}

/// Reads vectors: their width, the counts of tasks and of talk; the centre in floats; then each vector as its
/// scale and signed bytes. None where that is broken.
fn shipped(bytes: &[u8]) -> Option<Tasks> {
    let (head, mut rest) = bytes.split_at_checked(12)?;
    let (counts, _) = head.as_chunks::<4>();
    let count = |at: usize| usize::try_from(u32::from_le_bytes(*counts.get(at)?)).ok();
    let (width, tasks, talk) = (count(0)?, count(1)?, count(2)?);
    let floats;
    (floats, rest) = rest.split_at_checked(4 * width)?;
    let centre = floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let mut vectors = |count: usize| -> Option<Vec<Vec<f32>>> {
        let own;
        (own, rest) = rest.split_at_checked(count.checked_mul(4 + width)?)?;
        let rows = own.chunks_exact(4 + width).map(|row| {
            let (scale, bytes) = row.split_first_chunk::<4>()?;
            let scale = f32::from_le_bytes(*scale);
            Some(bytes.iter().map(|byte| f32::from(i8::from_le_bytes([*byte])) * scale).collect())
        });
        rows.collect()
    };
    Some(Tasks { asked: vectors(tasks)?, described: vectors(tasks)?, talk: vectors(talk)?, centre })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout, reason = "a skipped test says so")]

    use super::*;
    use hearth_embed::Embedder;
    use hearth_memory::Encoder;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    fn encoder() -> Option<Arc<dyn Encoder>> {
        let home =
            || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/hearth/test-models"));
        let folder = std::env::var_os("HEARTH_TEST_MODELS").map(PathBuf::from).or_else(home)?;
        let embedder = Embedder::new(&folder.join("multilingual-e5-small"));
        if !embedder.is_there() {
            println!("skipped: no embedding model in {}", folder.display());
            return None;
        }
        Some(Arc::new(embedder))
    }

    /// As [`shipped`] reads it.
    fn packed(tasks: &Tasks) -> Vec<u8> {
        let mut bytes = Vec::new();
        for count in [tasks.centre.len(), tasks.asked.len(), tasks.talk.len()] {
            bytes.extend(u32::try_from(count).expect("few").to_le_bytes());
        }
        bytes.extend(tasks.centre.iter().flat_map(|x| x.to_le_bytes()));
        for vector in tasks.asked.iter().chain(&tasks.described).chain(&tasks.talk) {
            let scale = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0;
            bytes.extend(scale.to_le_bytes());
            #[expect(clippy::cast_possible_truncation, reason = "within 127")]
            bytes.extend(vector.iter().flat_map(|x| ((x / scale).round() as i8).to_le_bytes()));
        }
        bytes
    }

    fn near(one: &[Vec<f32>], other: &[Vec<f32>]) -> bool {
        let alike =
            |(a, b): (&Vec<f32>, &Vec<f32>)| -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        one.len() == other.len() && one.iter().zip(other).all(|pair| alike(pair) > 0.98)
    }

    #[test]
    fn every_task_says_what_it_is_and_how_it_is_asked_for() {
        for line in TASKS.lines() {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            assert!(parts.len() >= 6 && parts.iter().all(|part| !part.is_empty()), "{line}");
        }
        let shipped = shipped(SHIPPED).expect("whole");
        assert_eq!(shipped.asked.len(), TASKS.lines().count());
        assert_eq!(shipped.talk.len(), TALK.lines().count());
    }

    #[test]
    fn what_is_broken_is_not_used() {
        assert!(shipped(&[]).is_none());
        assert!(shipped(&SHIPPED[..SHIPPED.len() - 1]).is_none());
        assert!(shipped(&[255; 40]).is_none());
    }

    /// `HEARTH_WRITE_TASKS=1` writes them anew, after a change of the texts.
    #[tokio::test]
    async fn the_shipped_vectors_are_those_of_the_texts() {
        let Some(encoder) = encoder() else { return };
        let mut texts = Embedded::of_model("e5".to_owned(), encoder, Path::new("none"));
        if std::env::var_os("HEARTH_WRITE_TASKS").is_some() {
            let fresh = made(&mut texts).await.expect("made");
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/skills/tasks.vectors");
            std::fs::write(file, packed(&fresh)).expect("written");
            return;
        }
        // Some of each: all of them take minutes.
        let shipped = shipped(SHIPPED).expect("whole");
        let kept = |all: &[Vec<f32>], step| all.iter().step_by(step).cloned().collect::<Vec<_>>();
        let talk = lines(TALK).into_iter().step_by(10).collect::<Vec<_>>();
        let talk = texts.asked(&talk).await.expect("made");
        assert!(near(&talk, &kept(&shipped.talk, 10)), "HEARTH_WRITE_TASKS=1 makes them anew");
        let (mut asked, mut described) = (Vec::new(), Vec::new());
        for line in TASKS.lines().step_by(40) {
            let parts: Vec<String> = line.split('|').map(|part| part.trim().to_owned()).collect();
            asked.push(unit(&mean(&texts.asked(&parts[2..]).await.expect("made"))));
            let both = both_ways(&mut texts, &parts[..2]).await.expect("made");
            let [english, chinese] = [0, 1].map(|at| unit(&less(&both[at], &shipped.centre)));
            described.push(sum(&english, &chinese, 1.0));
        }
        assert!(near(&asked, &kept(&shipped.asked, 40)), "HEARTH_WRITE_TASKS=1 makes them anew");
        assert!(near(&described, &kept(&shipped.described, 40)));
    }
}
