"""Loads a bundled skill's script as a module, and leaves no compiled file beside it."""

import importlib.util
import pathlib
import sys

SKILLS = pathlib.Path(__file__).resolve().parents[2] / "skills"


def script(skill, name):
    sys.dont_write_bytecode = True
    path = SKILLS / skill / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
