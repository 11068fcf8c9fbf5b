//! The Qwen2 network: weights in place in the mapped file, a key-value cache of fixed size, and
//! the forward pass over one chunk of tokens.
//!
//! The cache holds `filled` positions. A pass writes after them and counts them only when it has
//! run to its end, so an interrupted pass leaves the cache as it was.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::Error;
use crate::gguf::{Gguf, Shape};
use crate::matrix::{Input, Matrix};
use crate::raw::vector::{attend, rms_norm, silu_times};

/// The weights and the state of a conversation.
pub(crate) struct Network {
    shape: Shape,
    embedding: Matrix,
    layers: Vec<Layer>,
    output_norm: Vec<f32>,
    /// Absent where the embedding serves as the output matrix too.
    output: Option<Matrix>,
    rope: Rope,
    context: usize,
    filled: usize,
    /// What the last layer gave for the last token read.
    last: Vec<f32>,
}

struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: Matrix,
    inner_norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    keys: Cache,
    values: Cache,
}

struct Linear {
    weight: Matrix,
    bias: Vec<f32>,
}

/// Rows of one layer, for each key-value head one after another.
struct Cache {
    rows: Vec<f32>,
    head_width: usize,
    context: usize,
}

/// Cosines and sines of the rotations, for each position half a head wide.
struct Rope {
    cosines: Vec<f32>,
    sines: Vec<f32>,
    half: usize,
}

/// The buffers of one pass, for `count` tokens.
struct Buffers {
    stream: Vec<f32>,
    normed: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    attended: Vec<f32>,
    added: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
}

impl Network {
    /// Takes the weights of `file`, with room for `context` tokens.
    pub(crate) fn new(file: &Gguf, context: usize) -> Result<Self, Error> {
        let shape = file.shape()?;
        let context = context.min(shape.context).max(2);
        let embedding = file.matrix("token_embd.weight", shape.vocabulary, shape.width)?;
        let output = match file.has("output.weight") {
            true => Some(file.matrix("output.weight", shape.vocabulary, shape.width)?),
            false => None,
        };
        let layers = (0..shape.layers).map(|index| Layer::new(file, &shape, index, context));
        Ok(Self {
            layers: layers.collect::<Result<_, _>>()?,
            output_norm: file.vector("output_norm.weight", shape.width)?,
            rope: Rope::new(&shape, context),
            embedding,
            output,
            context,
            filled: 0,
            last: vec![0.0; shape.width],
            shape,
        })
    }

    /// How many tokens fit.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    pub(crate) fn vocabulary(&self) -> usize {
        self.shape.vocabulary
    }

    /// The count of weights.
    pub(crate) fn parameters(&self) -> usize {
        let layers = self.layers.iter().map(Layer::parameters).sum::<usize>();
        let output = self.output.as_ref().map_or(0, Matrix::size);
        self.embedding.size() + layers + output + self.output_norm.len()
    }

    /// The weight format most of the weights have.
    pub(crate) fn quantisation(&self) -> String {
        let mut sizes: Vec<(String, usize)> = Vec::new();
        for matrix in self.layers.iter().flat_map(Layer::matrices) {
            let kind = format!("{:?}", matrix.kind());
            match sizes.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, size)) => *size += matrix.size(),
                None => sizes.push((kind, matrix.size())),
            }
        }
        sizes.into_iter().max_by_key(|(_, size)| *size).map(|(kind, _)| kind).unwrap_or_default()
    }

    /// Forgets all positions from `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.filled = self.filled.min(length);
    }

    /// Reads `tokens` after those in the cache. `between` is asked after every layer whether to go
    /// on; if it says no, nothing was read.
    ///
    /// The caller keeps `tokens` within the context and the vocabulary.
    pub(crate) fn pass(
        &mut self,
        tokens: &[u32],
        mut between: impl FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let start = self.filled;
        let mut buffers = Buffers::new(tokens.len(), &self.shape);
        let width = self.shape.width;
        for (token, row) in tokens.iter().zip(buffers.stream.chunks_exact_mut(width)) {
            self.embedding.row(*token as usize, row);
        }
        for layer in &mut self.layers {
            layer.attention(&mut buffers, &self.shape, &self.rope, start);
            layer.feed_forward(&mut buffers, &self.shape);
            between()?;
        }
        self.filled += tokens.len();
        self.last.copy_from_slice(&buffers.stream[(tokens.len() - 1) * width..]);
        ControlFlow::Continue(())
    }

    /// How likely each token is to follow the last one read.
    pub(crate) fn logits(&self) -> Vec<f32> {
        let mut normed = vec![0.0; self.shape.width];
        rms_norm(&self.last, &self.output_norm, self.shape.epsilon, &mut normed);
        let mut logits = vec![0.0; self.shape.vocabulary];
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        output.multiply(&Input::new(&normed, self.shape.width), &mut logits);
        logits
    }
}

impl Layer {
    fn new(file: &Gguf, shape: &Shape, index: usize, context: usize) -> Result<Self, Error> {
        let name = |part: &str| format!("blk.{index}.{part}");
        let kv_width = shape.kv_heads * shape.head_width;
        let matrix = |part: &str, rows, columns| file.matrix(&name(part), rows, columns);
        let linear = |part: &str, rows| -> Result<Linear, Error> {
            Ok(Linear {
                weight: matrix(&format!("{part}.weight"), rows, shape.width)?,
                bias: file.vector(&name(&format!("{part}.bias")), rows)?,
            })
        };
        Ok(Self {
            attention_norm: file.vector(&name("attn_norm.weight"), shape.width)?,
            query: linear("attn_q", shape.width)?,
            key: linear("attn_k", kv_width)?,
            value: linear("attn_v", kv_width)?,
            attention_output: matrix("attn_output.weight", shape.width, shape.width)?,
            inner_norm: file.vector(&name("ffn_norm.weight"), shape.width)?,
            gate: matrix("ffn_gate.weight", shape.inner, shape.width)?,
            up: matrix("ffn_up.weight", shape.inner, shape.width)?,
            down: matrix("ffn_down.weight", shape.width, shape.inner)?,
            keys: Cache::new(shape, context),
            values: Cache::new(shape, context),
        })
    }

    fn matrices(&self) -> [&Matrix; 7] {
        let (query, key, value) = (&self.query.weight, &self.key.weight, &self.value.weight);
        [query, key, value, &self.attention_output, &self.gate, &self.up, &self.down]
    }

    fn parameters(&self) -> usize {
        let matrices = self.matrices().into_iter().map(Matrix::size).sum::<usize>();
        let biases = self.query.bias.len() + self.key.bias.len() + self.value.bias.len();
        matrices + biases + self.attention_norm.len() + self.inner_norm.len()
    }

    fn attention(&mut self, b: &mut Buffers, shape: &Shape, rope: &Rope, start: usize) {
        rms_norm(&b.stream, &self.attention_norm, shape.epsilon, &mut b.normed);
        let input = Input::new(&b.normed, shape.width);
        self.query.apply(&input, &mut b.query);
        self.key.apply(&input, &mut b.key);
        self.value.apply(&input, &mut b.value);
        let kv_width = shape.kv_heads * shape.head_width;
        let rows = b.query.chunks_exact_mut(shape.width).zip(b.key.chunks_exact_mut(kv_width));
        for (offset, (query, key)) in rows.enumerate() {
            rope.turn(query, start + offset);
            rope.turn(key, start + offset);
        }
        self.keys.write(&b.key, start);
        self.values.write(&b.value, start);
        self.attend(b, shape, start);
        self.attention_output.multiply(&Input::new(&b.attended, shape.width), &mut b.added);
        add(&mut b.stream, &b.added);
    }

    /// One task for each token and key-value head: the query heads of a head lie together.
    fn attend(&self, b: &mut Buffers, shape: &Shape, start: usize) {
        let group = shape.heads / shape.kv_heads * shape.head_width;
        let tasks = b.attended.par_chunks_exact_mut(group).zip(b.query.par_chunks_exact(group));
        tasks.enumerate().for_each_init(Vec::new, |scores, (index, (out, queries))| {
            let (offset, head) = (index / shape.kv_heads, index % shape.kv_heads);
            let length = start + offset + 1;
            let (keys, values) = (self.keys.rows(head, length), self.values.rows(head, length));
            attend(queries, keys, values, shape.head_width, scores, out);
        });
    }

    fn feed_forward(&self, b: &mut Buffers, shape: &Shape) {
        rms_norm(&b.stream, &self.inner_norm, shape.epsilon, &mut b.normed);
        let input = Input::new(&b.normed, shape.width);
        self.gate.multiply(&input, &mut b.gate);
        self.up.multiply(&input, &mut b.up);
        let rows = b.gate.par_chunks_exact_mut(shape.inner).zip(b.up.par_chunks_exact(shape.inner));
        rows.for_each(|(gate, up)| silu_times(gate, up));
        self.down.multiply(&Input::new(&b.gate, shape.inner), &mut b.added);
        add(&mut b.stream, &b.added);
    }
}

impl Linear {
    fn apply(&self, input: &Input<'_>, out: &mut [f32]) {
        self.weight.multiply(input, out);
        for row in out.chunks_exact_mut(self.bias.len()) {
            add(row, &self.bias);
        }
    }
}

impl Cache {
    /// Zeroed memory comes from the system page by page, so unused positions cost nothing.
    fn new(shape: &Shape, context: usize) -> Self {
        let rows = vec![0.0; shape.kv_heads * context * shape.head_width];
        Self { rows, head_width: shape.head_width, context }
    }

    fn write(&mut self, from: &[f32], start: usize) {
        let head_size = self.context * self.head_width;
        let heads = self.rows.len() / head_size;
        for (index, row) in from.chunks_exact(self.head_width).enumerate() {
            let (offset, head) = (index / heads, index % heads);
            let at = head * head_size + (start + offset) * self.head_width;
            self.rows[at..at + self.head_width].copy_from_slice(row);
        }
    }

    fn rows(&self, head: usize, length: usize) -> &[f32] {
        let first = head * self.context * self.head_width;
        &self.rows[first..first + length * self.head_width]
    }
}

impl Rope {
    fn new(shape: &Shape, context: usize) -> Self {
        let half = shape.head_width / 2;
        let (mut cosines, mut sines) = (Vec::new(), Vec::new());
        for position in 0..context {
            for i in 0..half {
                let exponent = -2.0 * i as f64 / shape.head_width as f64;
                let angle = position as f64 * f64::from(shape.rope_base).powf(exponent);
                cosines.push(angle.cos() as f32);
                sines.push(angle.sin() as f32);
            }
        }
        Self { cosines, sines, half }
    }

    /// Turns every head of one token: element `i` with element `i + half`.
    fn turn(&self, heads: &mut [f32], position: usize) {
        let row = position * self.half..(position + 1) * self.half;
        let (cosines, sines) = (&self.cosines[row.clone()], &self.sines[row]);
        for head in heads.chunks_exact_mut(2 * self.half) {
            let (first, second) = head.split_at_mut(self.half);
            for (((a, b), cos), sin) in first.iter_mut().zip(second).zip(cosines).zip(sines) {
                (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
            }
        }
    }
}

impl Buffers {
    fn new(count: usize, shape: &Shape) -> Self {
        let zeros = |width: usize| vec![0.0; count * width];
        let kv_width = shape.kv_heads * shape.head_width;
        Self {
            stream: zeros(shape.width),
            normed: zeros(shape.width),
            query: zeros(shape.width),
            key: zeros(kv_width),
            value: zeros(kv_width),
            attended: zeros(shape.width),
            added: zeros(shape.width),
            gate: zeros(shape.inner),
            up: zeros(shape.inner),
        }
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}
