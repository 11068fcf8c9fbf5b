//! The layers of the encoder: attention over the tokens of each text, and the step that looks at one token.
//!
//! The products are candle's; what stands between them is done in place ([`crate::arithmetic`]). Invariant: rows
//! of padding are computed like all others and are never looked at.

use candle_core::{
    CpuStorage, CustomOp1, Device, InplaceOp1, InplaceOp2, Layout, Result, Shape, Tensor, bail,
};
use candle_transformers::models::bert::{Config, HiddenAct};
use pulp::Arch;

use crate::EmbedError;
use crate::arithmetic::{Norm, add_and_norm, gelu, softmax};
use crate::weights::Weights;

/// The texts of a batch, all padded to the longest of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// Tokens of each text.
    pub(crate) lengths: &'a [usize],
    /// Of the longest.
    pub(crate) longest: usize,
}

/// All layers.
pub(crate) struct Layers {
    layers: Vec<Layer>,
    heads: usize,
    arch: Arch,
}

struct Layer {
    /// Query, key and value in one product.
    attention: Dense,
    joined: Dense,
    attention_norm: Norm,
    up: Dense,
    down: Dense,
    norm: Norm,
}

/// A product with a table of weights, whose bias is added by what comes next.
struct Dense {
    weight: Tensor,
    bias: Vec<f32>,
}

impl Layers {
    pub(crate) fn load(
        weights: &Weights,
        config: &Config,
        arch: Arch,
    ) -> std::result::Result<Self, EmbedError> {
        if config.hidden_act != HiddenAct::Gelu {
            return Err(EmbedError::Failed("the model's activation is not GELU".to_owned()));
        }
        let heads = config.num_attention_heads;
        if heads == 0 || !config.hidden_size.is_multiple_of(heads) {
            return Err(EmbedError::Failed(format!(
                "{heads} heads do not share the model's width"
            )));
        }
        let layers = (0..config.num_hidden_layers)
            .map(|n| Layer::load(weights, &format!("encoder.layer.{n}"), config.layer_norm_eps))
            .collect::<std::result::Result<_, _>>()?;
        Ok(Self { layers, heads, arch })
    }

    /// Rows of tokens, text after text, through all layers.
    pub(crate) fn forward(&self, rows: Tensor, batch: Batch<'_>) -> Result<Tensor> {
        self.layers
            .iter()
            .try_fold(rows, |rows, layer| layer.forward(&rows, batch, self.heads, self.arch))
    }
}

impl Layer {
    fn load(weights: &Weights, name: &str, epsilon: f64) -> std::result::Result<Self, EmbedError> {
        let dense = |part: &str| Dense::load(weights, &[&format!("{name}.{part}")]);
        let norm = |part: &str| load_norm(weights, &format!("{name}.{part}.LayerNorm"), epsilon);
        let parts = ["query", "key", "value"].map(|part| format!("{name}.attention.self.{part}"));
        Ok(Self {
            attention: Dense::load(weights, &parts.each_ref().map(String::as_str))?,
            joined: dense("attention.output.dense")?,
            attention_norm: norm("attention.output")?,
            up: dense("intermediate.dense")?,
            down: dense("output.dense")?,
            norm: norm("output")?,
        })
    }

    fn forward(&self, rows: &Tensor, batch: Batch<'_>, heads: usize, arch: Arch) -> Result<Tensor> {
        let shape = Heads { texts: batch.lengths.len(), longest: batch.longest, heads };
        let split = Split { shape, bias: &self.attention.bias };
        let parts = rows.matmul(&self.attention.weight)?.apply_op1_no_bwd(&split)?;
        let (query, key, value) = (parts.get(0)?, parts.get(1)?, parts.get(2)?);
        let shares = query.matmul(&key.t()?)?;
        #[expect(clippy::cast_precision_loss, reason = "the width of a head")]
        let scale = 1.0 / (query.dim(2)? as f32).sqrt();
        shares.inplace_op1(&Softmax { batch, heads, scale, arch })?;
        let seen = shares.matmul(&value)?.apply_op1_no_bwd(&Join(shape))?;

        let seen = seen.matmul(&self.joined.weight)?;
        let after = AddAndNorm { bias: &self.joined.bias, norm: &self.attention_norm, arch };
        seen.inplace_op2(rows, &after)?;
        let up = seen.matmul(&self.up.weight)?;
        up.inplace_op1(&Gelu { bias: &self.up.bias, arch })?;
        let down = up.matmul(&self.down.weight)?;
        down.inplace_op2(&seen, &AddAndNorm { bias: &self.down.bias, norm: &self.norm, arch })?;
        Ok(down)
    }
}

impl Dense {
    /// The parts side by side.
    fn load(weights: &Weights, names: &[&str]) -> std::result::Result<Self, EmbedError> {
        let (mut table, mut bias) = (Vec::new(), Vec::new());
        let mut width = 0;
        for name in names {
            let (rows, columns) = weights.table(&format!("{name}.weight"))?;
            if table.is_empty() {
                table.reserve_exact(rows * columns * names.len());
            }
            width = columns;
            weights.append(&format!("{name}.weight"), &mut table)?;
            weights.append(&format!("{name}.bias"), &mut bias)?;
        }
        let weight = Tensor::from_vec(table, (bias.len(), width), &Device::Cpu)?.t()?;
        Ok(Self { weight, bias })
    }
}

/// A normalisation by its name.
pub(crate) fn load_norm(
    weights: &Weights,
    name: &str,
    epsilon: f64,
) -> std::result::Result<Norm, EmbedError> {
    let part = |part: &str| {
        let mut numbers = Vec::new();
        weights.append(&format!("{name}.{part}"), &mut numbers)?;
        Ok::<_, EmbedError>(numbers)
    };
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    Ok(Norm { weight: part("weight")?, bias: part("bias")?, epsilon: epsilon as f32 })
}

/// How rows of tokens are parted among the heads.
#[derive(Debug, Clone, Copy)]
struct Heads {
    texts: usize,
    longest: usize,
    heads: usize,
}

impl Heads {
    /// Calls with the place of each token's share of each head, as it stands in a row and by head.
    fn each(self, width: usize, mut with: impl FnMut(usize, usize)) {
        let head_width = width / self.heads;
        for text in 0..self.texts {
            for token in 0..self.longest {
                let row = text * self.longest + token;
                for head in 0..self.heads {
                    let by_head = (text * self.heads + head) * self.longest + token;
                    with(row * width + head * head_width, by_head * head_width);
                }
            }
        }
    }
}

/// From rows of query, key and value to each of them by text and head, with their bias.
struct Split<'a> {
    shape: Heads,
    bias: &'a [f32],
}

impl CustomOp1 for Split<'_> {
    fn name(&self) -> &'static str {
        "split-heads"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let numbers = whole(storage, layout)?;
        let Heads { texts, longest, heads } = self.shape;
        let (all, width) = (self.bias.len(), self.bias.len() / 3);
        let head = width / heads;
        let mut out = vec![0.0; numbers.len()];
        for (n, out) in out.chunks_exact_mut(numbers.len() / 3).enumerate() {
            let bias = &self.bias[n * width..];
            self.shape.each(width, |at, by_head| {
                let (row, inside) = (at / width, at % width);
                let from = &numbers[row * all + n * width + inside..][..head];
                let parts = out[by_head..by_head + head].iter_mut().zip(from).zip(&bias[inside..]);
                parts.for_each(|((out, x), bias)| *out = x + bias);
            });
        }
        Ok((CpuStorage::F32(out), Shape::from((3, texts * heads, longest, head))))
    }
}

/// Back from heads to rows of tokens.
struct Join(Heads);

impl CustomOp1 for Join {
    fn name(&self) -> &'static str {
        "join-heads"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let numbers = whole(storage, layout)?;
        let Heads { texts, longest, heads } = self.0;
        let (rows, head) = (texts * longest, layout.dims()[2]);
        let mut out = vec![0.0; numbers.len()];
        self.0.each(head * heads, |at, by_head| {
            out[at..at + head].copy_from_slice(&numbers[by_head..by_head + head]);
        });
        Ok((CpuStorage::F32(out), Shape::from((rows, head * heads))))
    }
}

struct Softmax<'a> {
    batch: Batch<'a>,
    heads: usize,
    scale: f32,
    arch: Arch,
}

impl InplaceOp1 for Softmax<'_> {
    fn name(&self) -> &'static str {
        "softmax-of-texts"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let Batch { lengths, longest } = self.batch;
        let of_heads = lengths.iter().flat_map(|length| std::iter::repeat_n(*length, self.heads));
        let numbers = whole_mut(storage, layout)?;
        softmax(self.arch, numbers, (longest, longest), of_heads, self.scale);
        Ok(())
    }
}

struct Gelu<'a> {
    bias: &'a [f32],
    arch: Arch,
}

impl InplaceOp1 for Gelu<'_> {
    fn name(&self) -> &'static str {
        "bias-and-gelu"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        gelu(self.arch, whole_mut(storage, layout)?, self.bias);
        Ok(())
    }
}

struct AddAndNorm<'a> {
    bias: &'a [f32],
    norm: &'a Norm,
    arch: Arch,
}

impl InplaceOp2 for AddAndNorm<'_> {
    fn name(&self) -> &'static str {
        "add-and-norm"
    }

    fn cpu_fwd(
        &self,
        storage: &mut CpuStorage,
        layout: &Layout,
        residual: &CpuStorage,
        residual_layout: &Layout,
    ) -> Result<()> {
        let residual = whole(residual, residual_layout)?;
        add_and_norm(self.arch, whole_mut(storage, layout)?, residual, self.bias, self.norm);
        Ok(())
    }
}

fn whole<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(numbers), Some((from, to))) => Ok(&numbers[from..to]),
        _ => bail!("numbers of 32 bits in one piece are expected"),
    }
}

fn whole_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(numbers), Some((from, to))) => Ok(&mut numbers[from..to]),
        _ => bail!("numbers of 32 bits in one piece are expected"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use candle_core::DType;
    use candle_nn::VarBuilder;
    use candle_transformers::models::bert::BertEncoder;

    use super::*;

    /// Invented weights of two small layers, by name.
    fn tensors(config: &Config) -> Result<HashMap<String, Tensor>> {
        let (width, wide) = (config.hidden_size, config.intermediate_size);
        let mut tensors = HashMap::new();
        for n in 0..config.num_hidden_layers {
            let mut add = |name: &str, shape: &[usize], mean: f32| -> Result<()> {
                let tensor = Tensor::randn(mean, 0.2, shape, &Device::Cpu)?;
                tensors.insert(format!("encoder.layer.{n}.{name}"), tensor);
                Ok(())
            };
            for (name, out, from) in [
                ("attention.self.query", width, width),
                ("attention.self.key", width, width),
                ("attention.self.value", width, width),
                ("attention.output.dense", width, width),
                ("intermediate.dense", wide, width),
                ("output.dense", width, wide),
            ] {
                add(&format!("{name}.weight"), &[out, from], 0.0)?;
                add(&format!("{name}.bias"), &[out], 0.0)?;
            }
            for name in ["attention.output", "output"] {
                add(&format!("{name}.LayerNorm.weight"), &[width], 1.0)?;
                add(&format!("{name}.LayerNorm.bias"), &[width], 0.0)?;
            }
        }
        Ok(tensors)
    }

    #[test]
    fn they_compute_what_the_encoder_of_candle_computes() {
        let config = Config {
            hidden_size: 36,
            num_attention_heads: 3,
            intermediate_size: 77,
            num_hidden_layers: 2,
            ..Config::default()
        };
        let tensors = tensors(&config).expect("weights");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.safetensors");
        candle_core::safetensors::save(&tensors, &path).expect("saves");
        let weights = Weights::open(&path).expect("opens");
        let ours = Layers::load(&weights, &config, Arch::new()).expect("loads");
        let theirs = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
        let theirs = BertEncoder::load(theirs.pp("encoder"), &config).expect("loads");

        let (lengths, longest) = ([19, 5, 1], 19);
        let rows = Tensor::randn(0.0_f32, 1.0, (3, longest, 36), &Device::Cpu).expect("rows");
        let hide =
            |(text, token): (usize, usize)| if token < lengths[text] { 0.0 } else { f32::MIN };
        let mask: Vec<f32> = (0..3)
            .flat_map(|text| (0..longest).map(move |token| (text, token)))
            .map(hide)
            .collect();
        let mask = Tensor::from_vec(mask, (3, 1, 1, longest), &Device::Cpu).expect("a mask");
        let right = theirs.forward(&rows, &mask).expect("computes");
        let rows = rows.reshape((3 * longest, 36)).expect("rows");
        let found = ours.forward(rows, Batch { lengths: &lengths, longest }).expect("computes");

        let right: Vec<Vec<Vec<f32>>> = right.to_vec3().expect("numbers");
        let found: Vec<Vec<f32>> = found.to_vec2().expect("numbers");
        for (text, length) in lengths.into_iter().enumerate() {
            for token in 0..length {
                for (x, y) in right[text][token].iter().zip(&found[text * longest + token]) {
                    assert!((x - y).abs() < 2e-5, "text {text}, token {token}: {x} and {y}");
                }
            }
        }
    }

    #[test]
    fn another_activation_is_refused() {
        let config = Config { hidden_act: HiddenAct::Relu, ..Config::default() };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.safetensors");
        candle_core::safetensors::save(&HashMap::<String, Tensor>::new(), &path).expect("saves");
        let weights = Weights::open(&path).expect("opens");
        assert!(Layers::load(&weights, &config, Arch::new()).is_err());
    }
}
