#!/usr/bin/env python3
"""Measures the built-in model beside llama.cpp: same file, prompt and threads, taking turns.

    python3 -m venv venv && venv/bin/pip install xllamacpp
    cargo build --release --workspace --example bench
    venv/bin/python bench/local/compare.py MODEL.gguf [--threads 1] [--rounds 3]

Prints tokens per second of wall clock and of processor time for reading a prompt and for writing
a reply, the peak of resident memory, and the ratios (ours / theirs). On a machine with other work
the processor time is the one to look at. Linux only.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

SENTENCE = (
    "The keeper of the house writes down what happened each day: who came, what was said, what "
    "was promised and by when. 每天晚上他把要紧的事记在本子上，第二天早上再读一遍。"
)
QUESTION = "Summarise the notes above, then explain in detail how one would keep such a book."


def main():
    options = arguments()
    if options.one:
        print(json.dumps(llama_cpp(options)))
        return
    bench = options.bench or default_bench()
    runs = {"hearth": [], "llama.cpp": []}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(prompt(options.prompt_sentences))
        file.flush()
        ours = [bench, options.model, str(options.threads), str(options.output), file.name]
        theirs = [sys.executable, __file__, options.model, "--threads", str(options.threads)]
        theirs += ["--output", str(options.output), "--one", file.name]
        for _ in range(options.rounds):
            runs["llama.cpp"].append(run(theirs))
            runs["hearth"].append(run(ours))
    report(options, runs)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=int, default=48, help="tokens to write")
    parser.add_argument("--prompt-sentences", type=int, default=5, help="about 65 tokens each")
    parser.add_argument("--bench", help="our program; by default the release build of the example")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def default_bench():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    return os.path.join(target, "release", "examples", "bench")


def prompt(sentences):
    body = "\n".join(f"{i + 1}. {SENTENCE}" for i in range(sentences))
    return (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        f"<|im_start|>user\n{body}\n\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    )


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout.decode().strip().splitlines()[-1])


def llama_cpp(options):
    """One request to llama.cpp in this process; the same numbers as our example prints."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.warmup = False
    params.n_gpu_layers = 0
    params.ui = False
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    with open(options.one, encoding="utf-8") as file:
        text = file.read()
    body = {"prompt": text, "n_predict": options.output, "temperature": 0, "stream": True}
    body |= {"cache_prompt": False, "samplers": ["temperature"]}
    request = urllib.request.Request(
        server.listening_address + "/completion",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    marks, reply, last = [(time.monotonic(), cpu())], "", {}
    with urllib.request.urlopen(request) as answer:
        for line in answer:
            if not line.startswith(b"data: "):
                continue
            last = json.loads(line[6:])
            reply += last["content"]
            if len(marks) == 1:
                marks.append((time.monotonic(), cpu()))
    marks.append((time.monotonic(), cpu()))
    (begin, cpu_begin), (read, cpu_read), (end, cpu_end) = marks
    return {
        "prompt_tokens": last["timings"]["prompt_n"],
        "output_tokens": last["timings"]["predicted_n"],
        "prompt_s": read - begin,
        "output_s": end - read,
        "prompt_cpu_s": cpu_read - cpu_begin,
        "output_cpu_s": cpu_end - cpu_read,
        "rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "text": reply,
    }


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def report(options, runs):
    size = os.path.getsize(options.model)
    print(f"{os.path.basename(options.model)}, {size / 1e6:.0f} MB, {options.threads} thread(s), ", end="")
    first = runs["hearth"][0]
    print(f"{first['prompt_tokens']} tokens read, {first['output_tokens']} written, {options.rounds} rounds")
    print(f"{'tokens a second':24}{'hearth':>12}{'llama.cpp':>12}{'ratio':>8}")
    for name, tokens, seconds in [
        ("reading, wall clock", "prompt_tokens", "prompt_s"),
        ("reading, processor", "prompt_tokens", "prompt_cpu_s"),
        ("writing, wall clock", "output_tokens", "output_s"),
        ("writing, processor", "output_tokens", "output_cpu_s"),
    ]:
        rates = {}
        for who, results in runs.items():
            rates[who] = statistics.median(r[tokens] / max(r[seconds], 1e-9) for r in results)
        ratio = rates["hearth"] / rates["llama.cpp"]
        print(f"{name:24}{rates['hearth']:12.1f}{rates['llama.cpp']:12.1f}{ratio:8.2f}")
    for who, results in runs.items():
        peak = max(r["rss_bytes"] for r in results)
        print(f"peak memory of {who}: {peak / 1e6:.0f} MB, {peak / size:.2f} x the file")
    ours, theirs = runs["hearth"][0]["text"], runs["llama.cpp"][0]["text"]
    same = os.path.commonprefix([ours, theirs])
    print(f"replies agree for the first {len(same)} of {len(theirs)} characters")


if __name__ == "__main__":
    main()
