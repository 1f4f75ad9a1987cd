"""The type stubs: everything compiled is in them, and everything public is documented."""

import ast
import importlib
import inspect
import pkgutil
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
