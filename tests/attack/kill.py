#!/usr/bin/env python3
"""`kill -9` and Ctrl-C at 20 random moments of every command that writes files; outputs that are inputs.

Every command runs once to its end, for reference. Then it is killed at random moments and run again:
its inputs must be untouched, a file it writes must be the old one or the new one at every moment, and
the finished output must be that of the reference, byte for byte. Ctrl-C must end a command with exit
code 130 (or let it finish), and the same command must then come to the same end.

At last every command is given one of its inputs as output, by its name, by a symbolic and by a hard
link: it must refuse, and the input must be as it was.

    python tests/attack/kill.py target/release/tabiya [--moments 20] [--only prepare,pra]
"""

import hashlib
import json
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from common import Report, arguments, run, seeded
from damage import ROOT, board_fens, games, must

OLD = b"an old file\n"

NNUE = ["nnue", "train", "--data", "packed", "--hidden", "32", "--positions", "400000", "--superbatch", "50000",
        "--batch-size", "1024", "--warmup", "0", "--threads", "1"]
PRA = ["pra", "train", "--data", "parquet", "--depth", "1", "--n-embd", "12", "--num-iterations", "40",
       "--total-batch-size", "64", "--device-batch-size", "64", "--save-every", "5", "--eval-every", "10",
       "--eval-positions", "64", "--threads", "1"]

# name: command, files and folders it writes, whether they are replaced (there is an old file of that name)
JOBS = {
    "annotate": (["analyse", "--pgn", "few.pgn", "--nodes", "2000", "--annotate", "out.pgn"], ["out.pgn"], True),
    "graph": (["analyse", "--pgn", "few.pgn", "--game", "1", "--nodes", "2000", "--svg", "out.svg"], ["out.svg"], True),
    "prepare": (["data", "prepare", "games.pgn", "--with-eval", "--val-fraction", "0.1", "--shard-rows", "4096",
                 "--group-rows", "1024", "--out", "out"], ["out"], False),
    "prepare packed": (["data", "prepare", "games.pgn", "--with-eval", "--format", "packed", "--shard-rows", "4096",
                        "--out", "out"], ["out"], False),
    "prepare shuffled": (["data", "prepare", "games.pgn", "--shuffle", "--dedup", "--shard-rows", "4096", "--out",
                          "out"], ["out"], False),
    "pack": (["data", "pack", "parquet", "--out", "out"], ["out"], False),
    "unpack": (["data", "unpack", "packed", "--out", "out"], ["out"], False),
    "info": (["data", "info", "parquet", "--svg", "out"], ["out"], False),
    "selfplay": (["selfplay", "--games", "60", "--nodes", "100", "--unit-games", "4", "--out", "out"], ["out"], False),
    "rescore": (["nnue", "rescore", "packed", "--quiescence", "--out", "out"], ["out"], False),
    "nnue": (NNUE + ["--out", "out"], ["out/network.nnue"], False),
    "pra": (PRA + ["--out", "out"], ["out/model"], False),
    "match": (["match", "self; name=a", "self; name=b", "--nodes", "200", "--games", "40", "--max-moves", "40",
               "--openings", "book.epd", "--state", "out.jsonl"], ["out.jsonl"], False),
    "attention": (["pra", "attention", "--all", "--html", "out.html"], ["out.html"], True),
    "pra export": (["pra", "export", "--f16", "--out", "out"], ["out"], False),
    "predict": (["pra", "predict", "--file", "fens.txt", "--raw", "out.safetensors"], ["out.safetensors"], True),
}

# Too short to save anything: a signal ends them as it ends any process. What they leave is a temporary file.
SHORT = {"info", "attention", "pra export", "predict"}

# Commands whose output OUT is one of their inputs.
REFUSED = {
    "few.pgn": [["analyse", "--pgn", "few.pgn", "--nodes", "100", "--annotate", "OUT"],
                ["analyse", "--pgn", "few.pgn", "--game", "1", "--nodes", "100", "--svg", "OUT"],
                ["data", "prepare", "few.pgn", "--out", "OUT"]],
    "fens.txt": [["pra", "predict", "--file", "fens.txt", "--raw", "OUT"],
                 ["pra", "attention", "--all", "--positions", "fens.txt", "--html", "OUT"]],
    "book.epd": [["match", "self", "self", "--nodes", "10", "--games", "2", "--openings", "book.epd", kind, "OUT"]
                 for kind in ("--pgn", "--state", "--log")],
    "parquet": [["data", "pack", "parquet", "--out", "OUT"], ["nnue", "rescore", "parquet", "--out", "OUT"],
                PRA + ["--out", "OUT"], ["nnue", "train", "--data", "parquet", "--out", "OUT"]],
    "packed": [["data", "unpack", "packed", "--out", "OUT"], ["nnue", "rescore", "packed", "--out", "OUT"],
               NNUE + ["--out", "OUT"]],
    "model": [["pra", "export", "--model", "model", "--out", "OUT"]],
}


def set_up(program, folder):
    rng = seeded("kill")
    (folder / "games.pgn").write_bytes(games(rng, 400))
    (folder / "few.pgn").write_bytes(games(rng, 4))
    fens = list(board_fens(rng, 60))
    (folder / "fens.txt").write_text("\n".join(fens) + "\n")
    (folder / "book.epd").write_text("".join(" ".join(fen.split()[:4]) + ' id "x";\n' for fen in fens))
    must(program, "data", "prepare", folder / "games.pgn", "--with-eval", "--val-fraction", "0.1", "--out", folder / "parquet")
    must(program, "data", "pack", folder / "parquet", "--out", folder / "packed")
    shutil.copytree(ROOT / "crates/pra/model", folder / "model")


def is_bookkeeping(path):
    """Logs and times are not the same twice."""
    return path.name.startswith((".", "_lock")) or path.suffix == ".tmp" or path.name in ("log.jsonl", "log.csv")


TIMES = ("seconds", "milliseconds", "overrun", "created", "positions_per_second")


def less_times(value):
    """JSON without what depends on the clock."""
    if isinstance(value, dict):
        return {key: less_times(inner) for key, inner in value.items() if key not in TIMES}
    return [less_times(inner) for inner in value] if isinstance(value, list) else value


def without_times(path, content):
    """A file's content, less what depends on the clock."""
    if path.suffix not in (".json", ".jsonl"):
        return content
    documents = content.splitlines() if path.suffix == ".jsonl" else [content]
    return "\n".join(sorted(json.dumps(less_times(json.loads(text)), sort_keys=True) for text in documents)).encode()


def contents(folder, names):
    """Hashes of all files below these names."""
    found = {}
    for name in names:
        path = folder / name
        paths = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
        for file in paths:
            if file.is_file() and not is_bookkeeping(file):
                found[str(file.relative_to(folder))] = hashlib.sha256(without_times(file, file.read_bytes())).hexdigest()
    return found


def inputs(folder):
    return contents(folder, ["games.pgn", "few.pgn", "fens.txt", "book.epd", "parquet", "packed", "model"])


def fresh(original, parent, job):
    """A copy of the inputs, with old files where the job replaces some."""
    copy = Path(tempfile.mkdtemp(dir=parent)) / "files"
    shutil.copytree(original, copy)
    _, outputs, replaces = job
    if replaces:
        for name in outputs:
            (copy / name).write_bytes(OLD)
    return copy


def attack(program, original, parent, name, moments, seed, report):
    job = JOBS[name]
    command, outputs, replaces = job
    copy = fresh(original, parent, job)
    begin = time.monotonic()
    reference = run([program, *command], cwd=copy, timeout=300)
    seconds = time.monotonic() - begin
    if reference.code != 0:
        report.defect(f"{name}: the reference run failed: {reference.fault() or reference.code}: {reference.tail()}")
        return
    before, wanted = inputs(original), contents(copy, outputs)
    if not wanted:
        report.defect(f"{name}: the reference run wrote nothing")
    rng = seeded(seed, name)
    killed_in_time = 0
    for moment in range(moments):
        for signal_name in ("kill", "Ctrl-C"):
            copy = fresh(original, parent, job)
            process = subprocess.Popen([str(program), *command], cwd=copy, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            delay = rng.uniform(0, seconds)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL if signal_name == "kill" else signal.SIGINT)
            try:
                _, err = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                report.defect(f"{name}: no end 60 s after {signal_name}")
                continue
            report.add()
            what = f"{name}, {signal_name} {moment}"
            killed_in_time += process.returncode != 0
            # So does one before the handler is there.
            early = process.returncode == -signal.SIGINT and (delay < 0.1 or name in SHORT)
            if signal_name == "Ctrl-C" and process.returncode not in (0, 130) and not early:
                report.defect(f"{what}: exit code {process.returncode}: {err.decode(errors='replace')[-200:]}")
            if inputs(copy) != before:
                report.defect(f"{what}: an input has changed")
            if replaces:
                for path in map(copy.joinpath, outputs):
                    content = path.read_bytes() if path.exists() else None
                    is_new = contents(copy, [path.name]) == {path.name: wanted.get(path.name)}
                    # An interrupted analysis keeps what it has.
                    if content != OLD and not is_new and not (signal_name == "Ctrl-C" and content):
                        report.defect(f"{what}: {path.name} is neither the old file nor the new one")
            again = run([program, *command], cwd=copy, timeout=300)
            if again.code != 0:
                report.defect(f"{what}: it cannot be run again: {again.fault() or again.code}: {again.tail()}")
            elif contents(copy, outputs) != wanted:
                report.defect(f"{what}: another output than without it")
            elif left := [path.name for path in copy.rglob(".tabiya-*")] if not replaces and name not in SHORT else []:
                report.defect(f"{what}: temporary files are left after a whole run: {left}")
            shutil.rmtree(copy.parent)
    print(f"kill: {name}: {seconds:.1f} s, {2 * moments} signals, {killed_in_time} in time", flush=True)


def refuse(program, original, parent, report):
    for name, commands in REFUSED.items():
        for command in commands:
            for kind in ("its name", "another path", "a symbolic link", "a hard link"):
                copy = Path(tempfile.mkdtemp(dir=parent)) / "files"
                shutil.copytree(original, copy)
                target = copy / name
                out = name
                if kind == "another path":
                    out = f"../files/./{name}"
                elif kind == "a symbolic link":
                    out = "link"
                    (copy / out).symlink_to(target)
                elif kind == "a hard link":
                    if target.is_dir():
                        continue
                    out = "link"
                    (copy / out).hardlink_to(target)
                before = inputs(copy)
                ended = run([program, *[out if word == "OUT" else word for word in command]], cwd=copy, timeout=60)
                what = f"tabiya {' '.join(command)}, OUT = {name} by {kind}"
                report.add()
                if fault := ended.fault():
                    report.defect(f"{what}: {fault}")
                elif ended.code == 0:
                    report.defect(f"{what}: not refused")
                if inputs(copy) != before:
                    report.defect(f"{what}: the input has changed")
                shutil.rmtree(copy.parent)
    # Standard output that is appended to the input.
    copy = Path(tempfile.mkdtemp(dir=parent)) / "files"
    shutil.copytree(original, copy)
    before = inputs(copy)
    with open(copy / "few.pgn", "ab") as out:
        code = subprocess.run([str(program), "pgn", "normalize", "few.pgn"], cwd=copy, stdout=out,
                              stderr=subprocess.DEVNULL, timeout=60).returncode
    report.add()
    if code == 0 or inputs(copy) != before:
        report.defect("tabiya pgn normalize few.pgn >> few.pgn: not refused")


def main():
    args = arguments(__doc__, moments=20, only="")
    report = Report("kill")
    with tempfile.TemporaryDirectory() as parent:
        original = Path(parent) / "original"
        original.mkdir()
        set_up(args.program, original)
        for name in JOBS:
            if not args.only or name in args.only.split(","):
                attack(args.program, original, parent, name, args.moments, args.seed, report)
        if not args.only or "refuse" in args.only.split(","):
            refuse(args.program, original, parent, report)
    report.end()


if __name__ == "__main__":
    main()
