#!/usr/bin/env python3
"""Absurd calls: every option of every command with numbers and words that nobody means.

The options are taken from the help texts, so that a new one is attacked from its first day. Each value
is given to a call that is otherwise right; files are replaced by folders, devices, pipes without a
writer, empty files and names that do not exist. The program may refuse or obey (then it
is stopped after some seconds): it may not crash, and it may not wait for a pipe.

    python tests/attack/calls.py target/release/tabiya [--seconds 3]
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from common import Report, arguments, in_parallel, run
from damage import must, set_up

NUMBERS = ["", "0", "-1", "1", "255", "257", "65536", "1000000", "2147483648", "9223372036854775808",
           "18446744073709551615", "99999999999999999999999", "1e308", "-0.0", "NaN", "inf", "0x10", "½", "startpos",
           "1..0", "0..18446744073709551615", "elo0=5,elo1=0", "score=-1,moves=0", "/dev/null", b"\xff\xfe"]
FILES = ["missing", "empty", "folder", "fifo", "link-to-zero", "noise", "/dev/null", "/dev/zero"]
# How the help texts call values that are files or folders.
PATHS = {"FILE", "DIR", "PATH", "FENS", "INPUT", "NET", "NETWORK", "CHECKPOINT", "DIR|FILE"}
# Inputs that people feed through pipes: a pipe without a writer is waited for, as everywhere.
STREAMS = {("pgn", "check"), ("pgn", "stats"), ("pgn", "normalize"), ("analyse",), ("data", "prepare"), ("legal",),
           ("eval",), ("match",), ("paco", "states"), ("perft",), ("pra", "predict"), ("pra", "attention"),
           ("nnue", "test"), ("nnue", "towers", "eval"), ("nnue", "towers", "train")}
# Who reads from a pipe that is an output is waited for, too.
OUTPUTS = {"--out", "--svg", "--html", "--raw", "--pgn", "--log", "--annotate"}

# A right call of every command, without its outputs; OUT is a new name for each attack.
CALLS = {
    ("bench",): [],
    ("perft",): ["2"],
    ("legal",): ["fens.txt"],
    ("board",): [],
    ("features",): ["--fen", "startpos"],
    ("eval",): ["startpos"],
    ("analyse",): ["--nodes", "500"],
    ("pgn", "check"): ["games.pgn"],
    ("pgn", "stats"): ["games.pgn"],
    ("pgn", "normalize"): ["games.pgn"],
    ("data", "prepare"): ["games.pgn", "--out", "OUT"],
    ("data", "pack"): ["parquet", "--out", "OUT"],
    ("data", "unpack"): ["packed", "--out", "OUT"],
    ("data", "info"): ["parquet"],
    ("data", "verify"): ["parquet"],
    ("data", "head"): ["parquet"],
    ("selfplay",): ["--games", "2", "--nodes", "50", "--out", "OUT"],
    ("nnue", "rescore"): ["packed", "--out", "OUT"],
    ("nnue", "train"): ["--data", "packed", "--hidden", "32", "--positions", "512", "--batch-size", "128", "--out", "OUT"],
    ("nnue", "towers", "train"): ["--data", "fens.txt", "--out", "OUT"],
    ("nnue", "test"): ["tabiya.nnue", "--file", "fens.txt"],
    ("nnue", "export"): ["tabiya.nnue", "--out", "OUT"],
    ("pra", "train"): ["--data", "parquet", "--depth", "1", "--n-embd", "12", "--num-iterations", "1",
                       "--total-batch-size", "16", "--device-batch-size", "16", "--out", "OUT"],
    ("pra", "eval"): ["--data", "parquet", "--max-positions", "50"],
    ("pra", "predict"): [],
    ("pra", "attention"): ["--all"],
    ("pra", "info"): [],
    ("pra", "export"): ["--out", "OUT"],
    ("paco", "perft"): ["1"],
    ("paco", "sako"): [],
    ("paco", "selfplay"): ["--games", "1"],
    ("match",): ["self", "self", "--nodes", "20", "--games", "2", "--max-moves", "4"],
}


def options(program, command):
    """The options of a command that take a value, and what they say the value is."""
    text = run([program, *command, "--help"]).out.decode()
    return re.findall(r"^\s+(?:-\w, )?(--[a-z0-9-]+) <([^>]*)>", text, re.MULTILINE)


def values(name):
    """What to try for a value of this name."""
    return FILES + [b"\xff\xfe", ""] if name in PATHS else NUMBERS


def hostile_files(folder):
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "link-to-zero").symlink_to("/dev/zero")
    (folder / "noise").write_bytes(bytes(range(256)) * 64)
    # A data set whose one shard never ends.
    for kind, name in (("parquet", "endless"), ("packed", "endless-packed")):
        shutil.copytree(folder / kind, folder / name)
        shard = next((folder / name / "train").iterdir())
        shard.unlink()
        shard.symlink_to("/dev/zero")
    for kind, name in (("parquet", "piped"), ("packed", "piped-packed")):
        shutil.copytree(folder / kind, folder / name)
        shard = next((folder / name / "train").iterdir())
        shard.unlink()
        os.mkfifo(shard)
    for name in ("model.safetensors", "config.json"):
        shutil.copytree(folder / "model", folder / f"piped-{name}")
        (folder / f"piped-{name}" / name).unlink()
        os.mkfifo(folder / f"piped-{name}" / name)


def attacks(program):
    """(command, must it end)."""
    for command, right in CALLS.items():
        for option, name in options(program, command):
            for value in values(name):
                kept = list(right)
                if option in kept:
                    at = kept.index(option)
                    del kept[at : at + 2]
                must_end = value in FILES and command not in STREAMS and option not in OUTPUTS
                yield [*command, *kept, option, value], must_end
        for at, word in enumerate(right):
            if not word.startswith("-") and (at == 0 or not right[at - 1].startswith("-")):
                for value in NUMBERS + FILES:
                    must_end = value in FILES and command not in STREAMS
                    yield [*command, *right[:at], value, *right[at + 1 :]], must_end
    for folder in ("endless", "endless-packed", "piped", "piped-packed"):
        for words in (["data", "verify"], ["data", "info"], ["data", "head"], ["data", "pack", "--out", "OUT"],
                      ["nnue", "rescore", "--out", "OUT"], ["nnue", "train", "--out", "OUT", "--data"],
                      ["pra", "train", "--out", "OUT", "--data"], ["pra", "eval", "--split", "train", "--data"]):
            yield [*words, folder], True
    for name in ("model.safetensors", "config.json"):
        yield ["pra", "predict", "--model", f"piped-{name}"], True
    for net in FILES:
        yield ["eval", "startpos", "--net", net], True
    for first in (b"\xff\xfe", b"", b"genfens \xff", b"--\xff", b"-", b"--", b"play", b"\xf0\x28\x8c\x28"):
        yield [first], False


def main():
    args = arguments(__doc__, seconds=3.0)
    report = Report("calls")
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "files"
        folder.mkdir()
        set_up(args.program, folder)
        must(args.program, "data", "verify", folder / "parquet")
        hostile_files(folder)

        def one(numbered):
            number, (command, must_end) = numbered
            words = [f"../out-{number}" if word == "OUT" else word for word in command]
            words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            ended = run_words(args.program, words, folder, args.seconds)
            shutil.rmtree(Path(parent) / f"out-{number}", ignore_errors=True)
            if ended.timed_out:
                return f"no end after {args.seconds} s: {words}" if must_end else None
            fault = ended.fault()
            return f"{fault}: {words}: {ended.tail()}" if fault else None

        def judged(numbered):
            defect = one(numbered)
            report.add()
            if defect:
                report.defect(defect)

        in_parallel(judged, list(enumerate(attacks(args.program))))
    report.end()


def run_words(program, words, folder, seconds):
    return run([os.fspath(program), *(os.fsdecode(word) for word in words)], cwd=folder, timeout=seconds)


if __name__ == "__main__":
    main()
