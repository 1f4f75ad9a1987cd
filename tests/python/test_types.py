"""The type stubs: everything compiled is in them, and everything public is documented."""

import ast
import importlib
import importlib.util
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import tabiya
from tabiya import _tabiya

STUB = ast.parse(Path(tabiya.__file__).with_name("_tabiya.pyi").read_text())


def declared(body):
    """The names that a module or class of the stub declares."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def test_the_package_is_marked_as_typed():
    assert Path(tabiya.__file__).with_name("py.typed").exists()


def test_every_compiled_class_and_function_is_in_the_stub():
    compiled = {name for name in vars(_tabiya) if not name.startswith("_")}
    assert compiled - set(declared(STUB.body)) == set()
    assert {name for name in declared(STUB.body) if not name.startswith("_")} - compiled <= {"Squares"}


@pytest.mark.parametrize("node", [node for node in STUB.body if isinstance(node, ast.ClassDef)], ids=lambda node: node.name)
def test_every_method_is_in_the_stub(node):
    cls = getattr(_tabiya, node.name)
    if issubclass(cls, BaseException):
        return
    names = {name for name in vars(cls) if not name.startswith("__")}
    assert names - set(declared(node.body)) == set()
    assert {name for name in declared(node.body) if not name.startswith("__")} - names == set()


#: Modules that need more than NumPy, or start a program when they are imported.
LEFT_OUT = {"tabiya.__main__"}


def test_everything_public_has_a_docstring():
    bare = []
    for found in pkgutil.walk_packages(tabiya.__path__, "tabiya."):
        if found.name in LEFT_OUT or "._" in found.name:
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == found.name
            if not name.startswith("_") and own and (inspect.isclass(value) or inspect.isfunction(value)):
                if not value.__doc__:
                    bare.append(f"{found.name}.{name}")
    assert bare == []


ROOT = Path(__file__).parents[2] / "python"
needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")

#: What programs of users look like.
USER = """
from typing import List
import numpy as np
from tabiya import Engine, batch, chess
from tabiya.chess import engine, pgn, svg

board: chess.Board = chess.Board()
moves: List[chess.Move] = list(board.legal_moves)
board.push(moves[0])
outcome = board.outcome()
text: str = outcome.result() if outcome is not None else svg.board(board, fill={chess.E4: "red"})
rows: np.ndarray = batch.features([board.fen()])
move: chess.Move = Engine().analyse(board, depth=2)[0].move
limit = engine.Limit(time=1.0)
game = pgn.Game.from_board(board)
"""


def mypy(module, *arguments):
    call = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(call, cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@needs_mypy
def test_the_package_and_programs_that_use_it_are_correctly_typed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(USER)
    cache = ("--cache-dir", str(tmp_path / "cache"))
    code, text = mypy("mypy", "--config-file", "pyproject.toml", *cache)
    assert code == 0 and text.startswith("Success: no issues found"), text
    program.write_text(USER + "board.push('e4')\n")
    code, text = mypy("mypy", "--config-file", "pyproject.toml", "--follow-imports", "silent", *cache, str(program))
    assert code == 1 and "[arg-type]" in text and "Found 1 error in 1 file" in text, text


#: Constructors are described as `__init__`, and final classes are not marked as such.
ACCEPTED = ("__init__", "__new__", "@final", "@disjoint_base", "positional-only", "not present in stub", "Ellipsis", ".Squares ")


@needs_mypy
@pytest.mark.full
def test_the_stubs_are_those_of_the_compiled_module():
    _, text = mypy("mypy.stubtest", "tabiya._tabiya", "--mypy-config-file", "pyproject.toml")
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    assert errors and [line for line in errors if not any(part in line for part in ACCEPTED)] == []
