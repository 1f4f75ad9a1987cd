#!/usr/bin/env python3
"""Measures `UCI_Elo` against Stockfish 15.1, whose own `UCI_Elo` is the anchor.

    runs/elo.py [--elo 1400 1700 2000 …] [--games 60] [--anchors 2] [--concurrency 1] [--out elo] [--label TEXT]
                [--engine self] [--stockfish stockfish] [--tabiya target/release/tabiya]

Every level plays --games games against each of the --anchors levels of Stockfish around it (1350 to 2850; further
ones, as long as the result is lopsided). The measured Elo is that of maximum likelihood with the anchors fixed, its
error (95 %) from pairs of games: both colors of an opening. The file of results in --out keeps finished matches, so
that a run can be repeated with more levels or be interrupted.

Stockfish 15.1 chooses its move of limited strength at depth 1 + L, where L = ((Elo - 1346.6) / 143.4) ^ (1 / 0.806), and
ignores what it searches beyond. So `depth` ends its search there: the move is the same as with hours, and the match
takes minutes on a machine of any load. The nodes of our own levels are fixed, too. The limits of Stockfish's calibration
(120 s + 1 s, relative to CCRL 40/4) are far above both.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

ANCHORS = [1350, 1450, 1600, 1800, 2000, 2200, 2400, 2600, 2850]


def depth(elo):
    return 1 + int(min(max(((elo - 1346.6) / 143.4) ** (1 / 0.806), 0), 20))


def expected(difference):
    return 1 / (1 + 10 ** (-difference / 400))


def performance(results):
    """The Elo with the highest likelihood, and its error, from (anchor, games, points, pentanomial)."""
    least, most = 0.0, 4000.0
    # A draw against a virtual anchor in the middle keeps a whitewash finite.
    for _ in range(60):
        elo = (least + most) / 2
        surplus = sum(points - games * expected(elo - anchor) for anchor, games, points, _ in results)
        surplus += 0.5 - expected(elo - sum(r[0] for r in results) / len(results))
        least, most = (elo, most) if surplus > 0 else (least, elo)
    slope = variance = 0.0
    for anchor, games, _, pairs in results:
        p = expected(elo - anchor)
        slope += games * p * (1 - p) * math.log(10) / 400
        count = sum(pairs)
        variance += sum(n * (score / 2 - 2 * p) ** 2 for n, score in zip(pairs, range(5)))
        # A whitewash has no spread, but is no certainty.
        variance += 0.25 / max(count, 1)
    return elo, 1.96 * math.sqrt(variance) / slope


class Matches:
    def __init__(self, options):
        self.options = options
        self.folder = Path(options.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "results.jsonl"
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        self.known = {tuple(entry["key"]): entry["result"] for entry in map(json.loads, lines)}

    def play(self, ours, name, opponent, opponent_name):
        """Games, points and pairs of our level against an opponent."""
        key = (self.options.label, name, opponent_name, self.options.games)
        if key not in self.known:
            print(f"{name} - {opponent_name}", file=sys.stderr)
            command = [self.options.tabiya, "match", f"{ours}; name={name}", f"{opponent}; name={opponent_name}"]
            command += ["--games", str(self.options.games), "--concurrency", str(self.options.concurrency)]
            # No game is adjudicated as won: weak players do not win won games.
            command += ["--option", "Hash=16", "--max-moves", "200", "--depth", "60", "--patience", "600", "--json"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            # Exit code 1: an engine lost a game by a fault, 130: an interrupt.
            if done.returncode:
                sys.exit(f"{done.stderr}the match {name} - {opponent_name} failed: exit code {done.returncode}")
            pairing = json.loads(done.stdout)["pairings"][0]
            self.known[key] = [pairing["games"], pairing["points"], pairing["pentanomial"]]
            with self.file.open("a") as file:
                file.write(json.dumps({"key": key, "result": self.known[key]}) + "\n")
        return self.known[key]


def measure(matches, elo, options):
    ours = f"{options.engine}; UCI_LimitStrength=true; UCI_Elo={elo}"
    left = sorted(ANCHORS, key=lambda anchor: abs(anchor - elo))
    results = []
    estimate = elo
    while left and len(results) < options.anchors + 2:
        left.sort(key=lambda anchor: abs(anchor - estimate))
        # Two anchors, and more if they were far off.
        near = [r for r in results if 0.1 < r[2] / r[1] < 0.9]
        if len(results) >= options.anchors and (near or len(results) > options.anchors):
            break
        anchor = left.pop(0)
        stockfish = f"{options.stockfish}; UCI_LimitStrength=true; UCI_Elo={anchor}; Threads=1; depth={depth(anchor)}"
        results.append((anchor, *matches.play(ours, f"T{elo}", stockfish, f"SF{anchor}")))
        estimate, error = performance(results)
    return estimate, error, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elo", type=int, nargs="+", default=[1400, 1700, 2000, 2300, 2600])
    parser.add_argument("--games", type=int, default=60, help="against each anchor, even")
    parser.add_argument("--anchors", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--out", default="elo")
    parser.add_argument("--label", default="", help="of the results: a new one for a new build")
    parser.add_argument("--stockfish", default="stockfish")
    parser.add_argument("--engine", default="self", help="the engine measured, as for `tabiya match`")
    parser.add_argument("--tabiya", default="target/release/tabiya")
    options = parser.parse_args()
    matches = Matches(options)
    print("asked  measured   error   points of games against Stockfish's UCI_Elo")
    for elo in options.elo:
        measured, error, results = measure(matches, elo, options)
        text = ", ".join(f"{points:g}/{games} v {anchor}" for anchor, games, points, _ in results)
        print(f"{elo:5}  {measured:8.0f}  +-{error:4.0f}   {text}", flush=True)


if __name__ == "__main__":
    main()
