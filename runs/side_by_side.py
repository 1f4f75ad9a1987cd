#!/usr/bin/env python3
"""Measures builds of the program side by side: in turns, in one run, on an idle machine.

    runs/side_by_side.py BEFORE AFTER... --pgn FILE [--net FILE] [--rounds N] [--threads N] [--only TASK...]

The first program is what the others are compared with. Each task has the median of all rounds and, for the others, the
ratio of the medians: 1.03 is 3 % faster than the first. Tasks that the programs time themselves have their rates; those
of a fixed amount of work are timed from outside, start-up included.

Node counts of `bench` must be equal unless the versions search differently; they are printed.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run(program, *arguments, allowed=()):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, *allowed):
        sys.exit(f"{program} {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def seconds(program, *arguments, allowed=()):
    begin = time.perf_counter()
    run(program, *arguments, allowed=allowed)
    return time.perf_counter() - begin


def flat(value, name=""):
    """The numbers of JSON by their path."""
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() for k, v in flat(inner, f"{name}.{key}" if name else key).items()}
    return {name: value} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}


class Tasks:
    """Every task returns rates by name: more is better."""

    def __init__(self, options, work):
        self.options, self.work, self.count = options, work, 0

    def new(self):
        self.count += 1
        return self.work / f"out-{self.count}"

    def perft(self, program):
        nodes = flat(json.loads(run(program, "perft", 6, "--json")))
        leaves = flat(json.loads(run(program, "perft", 5, "--no-bulk", "--json")))
        return {"perft 6": nodes["nps"], "perft 5, every leaf made": leaves["nps"]}

    def bench(self, program):
        found = json.loads(run(program, "bench", "--json"))
        return {f"bench, {found['nodes']} nodes": found["nps"]}

    def pgn(self, program):
        size = Path(self.options.pgn).stat().st_size / 1e6
        # Exit code 1: there are games with errors.
        took = seconds(program, "pgn", "check", self.options.pgn, *self.threads(), allowed=[1])
        return {"pgn check (MB/s)": size / took}

    def prepare(self, program):
        size = Path(self.options.pgn).stat().st_size / 1e6
        took = seconds(program, "data", "prepare", self.options.pgn, "--out", self.new(), *self.threads(), allowed=[1])
        return {"data prepare (MB/s)": size / took}

    def nnue(self, program):
        found = flat(json.loads(run(program, "nnue", "bench", *self.threads(), "--json"))["rates"])
        return {f"nnue bench {name[: -len('.per_second')]}": rate for name, rate in found.items() if name.endswith(".per_second")}

    def halfkp(self, program):
        if not self.options.net:
            return {}
        found = flat(json.loads(run(program, "nnue", "bench", "--net", self.options.net, *self.threads(), "--json"))["rates"])
        wanted = {"halfkp.per_second": "HalfKP", "halfkp_updates.per_second": "HalfKP, updates"}
        return {text: found[name] for name, text in wanted.items() if name in found}

    def train(self, program):
        rows = self.work / "rows"
        if not rows.exists():
            first = self.options.programs[0]
            run(first, "data", "prepare", self.options.pgn, "--with-eval", "--format", "packed", "--out", rows, allowed=[1])
        work = ["--positions", 4_000_000, "--warmup", 100_000, "--out", self.new()]
        took = seconds(program, "nnue", "train", "--data", rows, *work, *self.threads())
        return {"nnue train (positions/s)": 4_000_000 / took}

    def pra(self, program):
        rates = {}
        for task in ["infer-1", "infer-256", "train"]:
            found = json.loads(run(program, "pra", "bench", "--seconds", 4, "--only", task, *self.threads(), "--json"))
            rates[f"pra bench {task}"] = found[task.replace("-", "_")]
        return rates

    def paco(self, program):
        found = json.loads(run(program, "paco", "bench", "--json"))
        names = ["playout_games_per_s", "lean_games_per_s", "perft_leaves_per_s"]
        return {f"paco bench {name}": found[name] for name in names if name in found}

    def threads(self):
        return ["--threads", self.options.threads]


NAMES = ["perft", "bench", "pgn", "prepare", "nnue", "halfkp", "train", "pra", "paco"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--pgn", required=True, help="games with evaluations, best some 50 MB of plain text")
    parser.add_argument("--net", help="a HalfKP network")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="TASK")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        tasks = Tasks(options, Path(work))
        for name in options.only:
            rates = [{} for _ in options.programs]
            for _ in range(options.rounds):
                for program, found in zip(options.programs, rates):
                    for text, rate in getattr(tasks, name)(program).items():
                        found.setdefault(text, []).append(rate)
            for text in dict.fromkeys(text for found in rates for text in found):
                medians = [statistics.median(found[text]) if text in found else None for found in rates]
                first, cells = medians[0], []
                for median in medians:
                    ratio = f" ({median / first:.3f})" if median and first else ""
                    cells.append("-" if median is None else f"{median:,.4g}{ratio}")
                print(f"{text:<36} {'  '.join(f'{cell:>22}' for cell in cells)}", flush=True)


if __name__ == "__main__":
    main()
