#!/usr/bin/env python3
"""Runs the published test suite of python-chess with ``tabiya.chess`` in the place of ``chess``.

The source distribution is downloaded from the package index with pip, or is taken from ``--sdist``; nothing of it is
kept. Prints a table by test class. Modules that tabiya does not have (variants, tablebases, opening books) are empty,
so that the tests which need them fail; ``--explain`` lists every failure with its last line.

    python tests/python/python_chess_suite.py [--explain] [--require CLASS=PERCENT ...]
"""

import argparse
import importlib
import importlib.util
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
from pathlib import Path

VERSION = "1.11.2"
PARTS = ["pgn", "svg", "engine", "polyglot", "syzygy", "gaviota", "variant"]


def sources(sdist, folder):
    """The folder of the unpacked source distribution."""
    if sdist is None:
        call = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*call, "-d", folder, f"chess=={VERSION}"], check=True)
        sdist = next(Path(folder).glob("chess-*.tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    return next(path for path in Path(folder).glob("chess-*") if path.is_dir())


def stand_in():
    """Makes ``import chess`` and ``import chess.pgn`` import tabiya's modules."""
    sys.modules["chess"] = importlib.import_module("tabiya.chess")
    for part in PARTS:
        try:
            module = importlib.import_module(f"tabiya.chess.{part}")
        except ImportError:
            module = types.ModuleType(f"chess.{part}")
            # Decorators name it when the suite is loaded.
            module.MissingTableError = type("MissingTableError", (KeyError,), {})
        sys.modules[f"chess.{part}"] = module
        setattr(sys.modules["chess"], part, module)


def load(path):
    # The suite forbids log messages, which its own tests of bad PGN files then raise.
    spec = importlib.util.spec_from_file_location("python_chess_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(module):
    """The test classes in the order of the file."""
    found = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, unittest.TestCase)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdist", type=Path, help="the source distribution, chess-X.tar.gz")
    parser.add_argument("--explain", action="store_true", help="list every failure")
    parser.add_argument("--only", nargs="*", metavar="CLASS", help="run these test classes, such as BoardTestCase")
    parser.add_argument("--require", nargs="*", default=[], metavar="CLASS=PERCENT", help="fail below these pass rates")
    options = parser.parse_args()
    required = {name: float(share) for name, share in (rule.split("=") for rule in options.require)}

    with tempfile.TemporaryDirectory() as folder:
        root = sources(options.sdist and options.sdist.resolve(), folder)
        stand_in()
        os.chdir(root)
        module = load(root / "test.py")
        failed = False
        print(f"{'test class':<32} {'passed':>7} {'of':>5} {'share':>7}")
        for case in cases(module):
            if options.only and case.__name__ not in options.only:
                continue
            suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
            result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
            bad = result.failures + result.errors
            count = result.testsRun - len(result.skipped)
            passed = count - len({str(test) for test, _ in bad})
            share = 100 * passed / count if count else 100.0
            note = f"  ({len(result.skipped)} skipped)" if result.skipped else ""
            print(f"{case.__name__:<32} {passed:>7} {count:>5} {share:>6.1f}%{note}")
            if share < required.get(case.__name__, 0):
                print(f"  below the required {required[case.__name__]:g} %")
                failed = True
            if options.explain:
                for test, trace in bad:
                    print(f"    {test.id().split('.')[-1]}: {trace.strip().splitlines()[-1][:160]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
