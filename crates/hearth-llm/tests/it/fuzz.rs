//! Recorded streams split, cut and garbled at random: no panic, no text lost or doubled.

use crate::support::{Recorded, event_ends, read, recorded};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// `HEARTH_FUZZ_CASES` overrides it.
const CASES: u64 = 100_000;
/// Long streams repeat themselves: a case takes at most this much of one.
const LONGEST: usize = 1500;

#[test]
fn split_cut_and_garbled_streams_neither_panic_nor_lose_or_double_text() {
    let cases =
        std::env::var("HEARTH_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let files: Vec<_> =
        recorded().into_iter().map(|file| (event_ends(file.format, &file.raw), file)).collect();
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let files = &files;
            scope.spawn(move || {
                for seed in (thread..cases).step_by(threads as usize) {
                    let mut rng = StdRng::seed_from_u64(seed);
                    let (ends, file) = &files[rng.random_range(0..files.len())];
                    case(&mut rng, ends, file, seed);
                }
            });
        }
    });
}

fn case(rng: &mut StdRng, ends: &[usize], file: &Recorded, seed: u64) {
    let context = format!("{} seed {seed}", file.name);
    match rng.random_range(0..3) {
        // Cut: what comes out is the beginning of the right text.
        0 => {
            let end = rng.random_range(0..=file.raw.len().min(LONGEST));
            let bytes = &file.raw[..end];
            let got = read(file.format, pieces(rng, bytes));
            got.check_deltas_are_the_reply(&context);
            let full = file.expected["text"].as_str().unwrap();
            assert!(full.starts_with(&got.decoded.reply.text), "{context}");
        }
        // Garbled or taken out of the middle: the pieces change nothing.
        kind => {
            let start = if kind == 1 || ends.is_empty() {
                0
            } else {
                ends[rng.random_range(0..ends.len())]
            };
            let end = file.raw.len().min(start + rng.random_range(0..=LONGEST));
            let mut bytes = file.raw[start..end].to_vec();
            if kind == 1 {
                garble(rng, &mut bytes);
            }
            let whole = read(file.format, [&bytes[..]]);
            let split = read(file.format, pieces(rng, &bytes));
            whole.check_deltas_are_the_reply(&context);
            split.check_deltas_are_the_reply(&context);
            let (a, b) = (whole.decoded.reply, split.decoded.reply);
            assert_eq!(
                (a.text, a.reasoning, a.complete),
                (b.text, b.reasoning, b.complete),
                "{context}"
            );
            assert_eq!(a.tool_calls.len(), b.tool_calls.len(), "{context}");
        }
    }
}

fn pieces<'a>(rng: &mut StdRng, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let longest = [1, 3, 40, 700][rng.random_range(0..4)];
    while !bytes.is_empty() {
        let (head, tail) = bytes.split_at(rng.random_range(1..=longest).min(bytes.len()));
        pieces.push(head);
        bytes = tail;
    }
    pieces
}

fn garble(rng: &mut StdRng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..12) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..5) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] = b"{}[]\",:\\\r\n0ntu "[rng.random_range(0..15)],
            2 => {
                bytes.remove(at);
            }
            3 => bytes.insert(at, rng.random()),
            _ => {
                let end = (at + rng.random_range(1..60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
        }
    }
}
