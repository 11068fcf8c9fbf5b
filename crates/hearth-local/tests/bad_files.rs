//! Files that are no usable model: each ends in one clear error, before any great allocation.
#![expect(clippy::unwrap_used, reason = "tests; the lint knows only the functions marked so")]

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use hearth_local::{Error, LocalModel, LocalTokenizer, Options};
use proptest::prelude::*;

/// A model of one tiny layer, complete but for a vocabulary; `change` may spoil it.
fn tiny(
    change: impl FnOnce(&mut BTreeMap<String, Value>, &mut BTreeMap<String, QTensor>),
) -> Vec<u8> {
    let mut metadata: BTreeMap<String, Value> = [
        ("general.architecture", Value::String("qwen2".to_owned())),
        ("qwen2.block_count", Value::U32(1)),
        ("qwen2.context_length", Value::U32(64)),
        ("qwen2.embedding_length", Value::U32(32)),
        ("qwen2.feed_forward_length", Value::U32(64)),
        ("qwen2.attention.head_count", Value::U32(2)),
        ("qwen2.attention.head_count_kv", Value::U32(1)),
        ("qwen2.rope.freq_base", Value::F32(10_000.0)),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    let mut tensors = BTreeMap::new();
    let mut add = |name: &str, shape: &[usize], kind| {
        let tensor = Tensor::ones(shape, candle_core::DType::F32, &Device::Cpu).unwrap();
        tensors.insert(name.to_owned(), QTensor::quantize(&tensor, kind).unwrap());
    };
    add("token_embd.weight", &[8, 32], GgmlDType::Q8_0);
    add("output_norm.weight", &[32], GgmlDType::F32);
    for (part, rows) in [("attn_q", 32), ("attn_k", 16), ("attn_v", 16)] {
        add(&format!("blk.0.{part}.weight"), &[rows, 32], GgmlDType::Q8_0);
        add(&format!("blk.0.{part}.bias"), &[rows], GgmlDType::F32);
    }
    add("blk.0.attn_output.weight", &[32, 32], GgmlDType::Q8_0);
    add("blk.0.ffn_gate.weight", &[64, 32], GgmlDType::Q8_0);
    add("blk.0.ffn_up.weight", &[64, 32], GgmlDType::Q8_0);
    add("blk.0.ffn_down.weight", &[32, 64], GgmlDType::Q8_0);
    add("blk.0.attn_norm.weight", &[32], GgmlDType::F32);
    add("blk.0.ffn_norm.weight", &[32], GgmlDType::F32);
    change(&mut metadata, &mut tensors);
    let metadata: Vec<_> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let tensors: Vec<_> = tensors.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let mut file = std::io::Cursor::new(Vec::new());
    gguf_file::write(&mut file, &metadata, &tensors).unwrap();
    file.into_inner()
}

fn open(bytes: &[u8]) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    // Both ways in must survive; the tokenizer needs less, so its errors may be others.
    let _ = LocalTokenizer::from_gguf(&path);
    LocalModel::load(&path, Options::default()).unwrap_err()
}

#[track_caller]
fn says(bytes: &[u8], expected: &str) {
    let error = open(bytes).to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn not_a_model_file() {
    says(b"", "is not a GGUF model file");
    says(b"GGU", "is not a GGUF model file");
    says(b"<!doctype html><title>Not found</title>", "is not a GGUF model file");
    let error = LocalModel::load(Path::new("/no/such/file"), Options::default()).unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error}");
}

#[test]
fn a_sound_file_without_a_vocabulary() {
    says(&tiny(|_, _| {}), "the tokenizer of the model file cannot be used");
}

#[test]
fn another_architecture() {
    let file = tiny(|metadata, _| {
        metadata.insert("general.architecture".to_owned(), Value::String("llama".to_owned()));
    });
    says(&file, "the model architecture `llama` is not supported");
}

#[test]
fn another_weight_format() {
    let file = tiny(|_, tensors| {
        let ones = Tensor::ones((64, 32), candle_core::DType::F32, &Device::Cpu).unwrap();
        let half = QTensor::quantize(&ones, GgmlDType::F16).unwrap();
        tensors.insert("blk.0.ffn_up.weight".to_owned(), half);
    });
    says(&file, "the tensor blk.0.ffn_up.weight has the weight format F16");
}

#[test]
fn a_tensor_missing_or_of_the_wrong_shape() {
    let file = tiny(|_, tensors| {
        tensors.remove("blk.0.ffn_down.weight");
    });
    says(&file, "there is no tensor blk.0.ffn_down.weight");
    let file = tiny(|metadata, _| {
        metadata.insert("qwen2.feed_forward_length".to_owned(), Value::U32(96));
    });
    says(&file, "blk.0.ffn_gate.weight is [64, 32], not 96 x 32");
}

#[test]
fn absurd_numbers() {
    for (key, value) in [
        ("qwen2.attention.head_count", 0),
        ("qwen2.attention.head_count", 5),
        ("qwen2.attention.head_count_kv", 3),
        ("qwen2.embedding_length", u32::MAX),
        ("qwen2.context_length", 0),
        ("qwen2.block_count", u32::MAX),
        ("general.alignment", 0),
    ] {
        let file = tiny(|metadata, _| {
            metadata.insert(key.to_owned(), Value::U32(value));
        });
        says(&file, "the model file is damaged");
    }
}

#[test]
fn absurd_counts_in_the_header() {
    let sound = tiny(|_, _| {});
    // Tensors, then metadata entries, at byte 8 and 16.
    for at in [8, 16] {
        for count in [u64::MAX, 1 << 40, 1 << 30, 1 << 20] {
            let mut file = sound.clone();
            file[at..at + 8].copy_from_slice(&count.to_le_bytes());
            says(&file, "the model file is damaged");
        }
    }
}

#[test]
fn a_file_cut_anywhere() {
    let sound = tiny(|_, _| {});
    // Every place in the header, some in the weights.
    for length in (4..2000).chain((2000..sound.len() - 32).step_by(97)) {
        let error = open(&sound[..length]);
        let known = matches!(error, Error::Damaged(_) | Error::Incomplete { .. });
        assert!(known, "cut at {length}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn garbled_bytes_never_panic(changes in prop::collection::vec((4usize..1800, any::<u8>()), 1..8)) {
        let mut file = tiny(|_, _| {});
        for (at, byte) in changes {
            file[at] = byte;
        }
        // Without a vocabulary no file loads, so there always is an error to print.
        prop_assert!(!open(&file).to_string().is_empty());
    }
}
