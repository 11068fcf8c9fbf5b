//! Scratch.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
use hearth_embed::Embedder;
use hearth_memory::{EvalOptions, evaluate};
use hearth_protocol::api::memory::SearchMode;
use std::path::Path;
use std::sync::Arc;

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mode = if args[1] == "keyword" { SearchMode::Keyword } else { SearchMode::Hybrid };
    let embedder = Some(Arc::new(Embedder::new(Path::new(
        "/root/.cache/hearth/test-models/multilingual-e5-small",
    ))));
    for set in &args[2..] {
        let folder = Path::new("/work/shared/data/recall").join(set);
        let docs = std::fs::read_to_string(folder.join("documents.jsonl")).unwrap();
        let queries = std::fs::read_to_string(folder.join("queries.jsonl")).unwrap();
        let options = EvalOptions { ks: vec![5, 10], chars: vec![500, 2000, 8000], mode };
        let began = std::time::Instant::now();
        let done = evaluate(&docs, &queries, embedder.clone(), &options).await.unwrap();
        let f = &done.figures;
        println!("{set} {} n={} chars={:.3?} k={:.3?} mrr={:.3} ndcg={:.3} ms={:?} took={:?}", args[1], f.queries, f.recall_at_chars, f.recall_at_k, f.mrr, f.ndcg, f.latency_ms, began.elapsed());
        for (name, c) in &f.categories {
            println!("   {name} n={} {:.3?}", c.queries, c.recall_at_chars);
        }
        let lines: String = done.rankings.iter().map(|r| serde_json::to_string(r).unwrap() + "\n").collect();
        std::fs::write(format!("/tmp/rank-{set}-{}.jsonl", args[1]), lines).unwrap();
    }
}
