//! Runs one prompt through a model file and prints what it cost as one line of JSON; the other
//! half of `bench/local/compare.py`. Usage: `bench MODEL THREADS OUTPUT_TOKENS PROMPT_FILE`.
#![expect(clippy::print_stdout, reason = "its output is the result")]

use std::ops::ControlFlow;

use hearth_local::{LocalModel, Options, Piece, Sampling};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, threads, output, prompt] = arguments.as_slice() else {
        return Err("usage: bench MODEL THREADS OUTPUT_TOKENS PROMPT_FILE".into());
    };
    let prompt = std::fs::read_to_string(prompt)?;
    let mut model =
        LocalModel::load(model, Options { threads: threads.parse()?, ..Options::default() })?;
    let tokens = model.tokenizer().encode_marked(&prompt);
    let sampling = Sampling {
        temperature: 0.0,
        repeat_penalty: 1.0,
        max_tokens: output.parse()?,
        ..Sampling::default()
    };
    let mut text = String::new();
    let begin = cpu_seconds()?;
    let mut read = begin;
    let outcome = model.generate(&tokens, sampling, &mut |piece| {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Reading { done, total } if done == total => {
                read = cpu_seconds().unwrap_or(f64::NAN);
            }
            Piece::Reading { .. } => {}
        }
        ControlFlow::Continue(())
    })?;
    let end = cpu_seconds()?;
    let result = serde_json::json!({
        "prompt_tokens": outcome.prompt_tokens,
        "output_tokens": outcome.output_tokens,
        "prompt_s": outcome.prompt_ms / 1e3,
        "output_s": outcome.output_ms / 1e3,
        "prompt_cpu_s": read - begin,
        "output_cpu_s": end - read,
        "rss_bytes": status_bytes("VmHWM:")?,
        "text": text,
    });
    println!("{result}");
    Ok(())
}

/// Processor time of all threads of this process, from `/proc` (Linux only, like the benchmark).
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    // After the name: state is field 1 here, user and system ticks of 1/100 s are 12 and 13.
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok());
    match (ticks(12), ticks(13)) {
        (Some(user), Some(system)) => Ok((user + system) / 100.0),
        _ => Err("unexpected /proc/self/stat".into()),
    }
}

fn status_bytes(name: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?;
    Ok(kilobytes.parse::<u64>()? * 1024)
}
