#!/usr/bin/env python3
"""candle beside onnxruntime: the same weights, precision (f32), texts and number of threads.

usage: compare.py MODEL_FOLDER LINES_FILE [--speed PATH]

MODEL_FOLDER holds config.json, model.safetensors and tokenizer.json (scripts/models/fetch.py FOLDER embed).
The ONNX file is built here from model.safetensors, so both sides run the same network; that their vectors
agree is checked. PATH is the built example (cargo build --release --workspace --example speed). Needs numpy,
onnx, onnxruntime, safetensors and tokenizers, in an environment of their own. On a machine with other work
the processor time is the one to look at.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

BATCH_TOKENS = 256  # as in hearth-embed: padded tokens computed at once


class Graph:
    """Nodes and weights of an ONNX graph, named as they are added."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, array):
        self.count += 1
        name = f"w{self.count}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"x{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def build(folder, path):
    config = json.loads((folder / "config.json").read_text())
    tensors = {name: array.astype(np.float32) for name, array in load_file(folder / "model.safetensors").items()}
    heads, width = config["num_attention_heads"], config["hidden_size"]
    eps = config["layer_norm_eps"]
    g = Graph()

    def linear(x, name):
        product = g.add("MatMul", x, g.weight(tensors[f"{name}.weight"].T))
        return g.add("Add", product, g.weight(tensors[f"{name}.bias"]))

    def norm(x, name):
        scale, bias = g.weight(tensors[f"{name}.weight"]), g.weight(tensors[f"{name}.bias"])
        return g.add("LayerNormalization", x, scale, bias, epsilon=eps)

    def split(x):
        shape = g.weight(np.array([0, 0, heads, width // heads], np.int64))
        return g.add("Reshape", x, shape)

    words = g.add("Gather", g.weight(tensors["embeddings.word_embeddings.weight"]), "ids")
    places = g.add("Gather", g.weight(tensors["embeddings.position_embeddings.weight"]), "places")
    x = g.add("Add", g.add("Add", words, places), g.weight(tensors["embeddings.token_type_embeddings.weight"][0]))
    x = norm(x, "embeddings.LayerNorm")
    half, one = g.weight(np.float32(0.5)), g.weight(np.float32(1))
    root = g.weight(np.float32(2**0.5))
    scale = g.weight(np.float32((width // heads) ** -0.5))
    merged = g.weight(np.array([0, 0, width], np.int64))
    for layer in range(config["num_hidden_layers"]):
        own = f"encoder.layer.{layer}"
        q = g.add("Transpose", split(linear(x, f"{own}.attention.self.query")), perm=[0, 2, 1, 3])
        k = g.add("Transpose", split(linear(x, f"{own}.attention.self.key")), perm=[0, 2, 3, 1])
        v = g.add("Transpose", split(linear(x, f"{own}.attention.self.value")), perm=[0, 2, 1, 3])
        scores = g.add("Add", g.add("Mul", g.add("MatMul", q, k), scale), "hidden")
        mixed = g.add("MatMul", g.add("Softmax", scores, axis=-1), v)
        mixed = g.add("Reshape", g.add("Transpose", mixed, perm=[0, 2, 1, 3]), merged)
        x = norm(g.add("Add", linear(mixed, f"{own}.attention.output.dense"), x), f"{own}.attention.output.LayerNorm")
        wide = linear(x, f"{own}.intermediate.dense")
        bent = g.add("Add", g.add("Erf", g.add("Div", wide, root)), one)
        wide = g.add("Mul", g.add("Mul", wide, half), bent)
        x = norm(g.add("Add", linear(wide, f"{own}.output.dense"), x), f"{own}.output.LayerNorm")
    g.nodes.append(helper.make_node("Identity", [x], ["out"]))
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("places", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", 1, 1, "length"]),
    ]
    outputs = [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "length", width])]
    graph = helper.make_graph(g.nodes, "encoder", inputs, outputs, g.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, path)


def batches(lengths):
    order = sorted(range(len(lengths)), key=lambda n: -lengths[n])
    found, room = [], 0
    for n in order:
        if found and len(found[-1]) < room:
            found[-1].append(n)
        else:
            room = max(1, BATCH_TOKENS // lengths[n])
            found.append([n])
    return found


def run(session, tokens):
    vectors = [None] * len(tokens)
    for batch in batches([len(ids) for ids in tokens]):
        longest = max(len(tokens[n]) for n in batch)
        ids = np.zeros((len(batch), longest), np.int64)
        seen = np.zeros((len(batch), longest), np.float32)
        for row, n in enumerate(batch):
            ids[row, : len(tokens[n])] = tokens[n]
            seen[row, : len(tokens[n])] = 1
        places = np.broadcast_to(np.arange(longest, dtype=np.int64), ids.shape)
        hidden = ((1 - seen) * np.finfo(np.float32).min)[:, None, None, :]
        (out,) = session.run(None, {"ids": ids, "places": places, "hidden": hidden})
        sums = (out * seen[:, :, None]).sum(1)
        for row, n in enumerate(batch):
            vectors[n] = sums[row] / np.linalg.norm(sums[row])
    return np.array(vectors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("--speed", default="target/release/examples/speed")
    a = parser.parse_args()
    lines = a.lines.read_text(encoding="utf-8").splitlines()
    ours = json.loads(subprocess.check_output([a.speed, str(a.folder), str(a.lines)]))
    tokenizer = Tokenizer.from_file(str(a.folder / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    tokenizer.no_padding()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "encoder.onnx"
        build(a.folder, str(path))
        options = ort.SessionOptions()
        options.intra_op_num_threads = ours["threads"]
        options.inter_op_num_threads = 1
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        run(session, [tokenizer.encode("passage: warm").ids])
        begun, used = time.perf_counter(), time.process_time()
        theirs = run(session, [tokenizer.encode(f"passage: {line}").ids for line in lines])
        seconds, used = time.perf_counter() - begun, time.process_time() - used
    cosines = (np.array(ours["vectors"]) * theirs).sum(1)
    print(f"{len(lines)} texts, {ours['threads']} thread(s), f32; least cosine between the two {cosines.min():.6f}")
    print(f"candle {len(lines) / ours['seconds']:.1f} texts/s, onnxruntime {len(lines) / seconds:.1f} texts/s")
    print(f"processor seconds: candle {ours['cpu']:.2f}, onnxruntime {used:.2f}")
    print(f"private memory of the model in candle, after all texts: {ours['private_kb'] / 1024:.0f} MB (goal 400)")
    print(f"ratio by the clock {seconds / ours['seconds']:.2f}, by processor time {used / ours['cpu']:.2f}")
    if cosines.min() < 0.999:
        raise SystemExit("the two do not compute the same")


if __name__ == "__main__":
    main()
