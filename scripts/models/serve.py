#!/usr/bin/env python3
"""Serve a GGUF file with llama.cpp over an OpenAI-compatible API on loopback, for tests and comparisons.

usage: FOLDER/venv/bin/python serve.py MODEL.gguf [--port N] [--threads N] [--context N] [--name NAME]

Run it with the interpreter that `fetch.py FOLDER server` made. Once the model is loaded it prints
`READY http://127.0.0.1:PORT/v1`. It ends when its standard input closes, so it never outlives what started it.
"""

import argparse
import sys

import xllamacpp


def parameters(options):
    made = xllamacpp.CommonParams()
    made.model.path = options.model
    made.model_alias = {options.name}
    made.hostnames = ["127.0.0.1"]
    made.port = options.port
    made.n_ctx = options.context
    made.n_parallel = 1
    made.n_gpu_layers = 0
    made.cpuparams.n_threads = options.threads
    made.cpuparams_batch.n_threads = options.threads
    made.use_jinja = True
    made.warmup = False
    made.ui = False
    made.cache_ram_mib = 0
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--name", default="local")
    server = xllamacpp.Server(parameters(parser.parse_args()))
    print(f"READY {server.listening_address}/v1", flush=True)
    while sys.stdin.buffer.read(4096):
        pass


main()
