#!/usr/bin/env python3
"""How far the marks of `tabiya analyse` can be trusted: a short analysis beside one ten times as long.

    runs/marks.py GAMES.pgn[.zst] [--games 20] [--nodes 250000] [--factor 10] [--sample 60]
                  [--min-elo 2600] [--jobs 1] [--state FILE] [--tabiya target/release/tabiya]

It takes the first games of the file with both players rated at least --min-elo and at least 30 moves,
and analyses them with --nodes per position (nodes, not seconds, so that the result does not depend on
how busy the machine is; the 0.3 s that `tabiya analyse` takes by default are 200,000 to 500,000 nodes
on one core). Every move marked ? or ??, and a random sample of the others, is then analysed again with
--factor times the nodes, as a game of one move. The table has the number of confirmed marks.

Needs nothing but Python. Progress goes to standard error, the table to standard output. With --state
every analysis is kept in a file, and a run that was killed resumes there.
"""

import argparse
import contextlib
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ORDER = {None: 0, "?!": 1, "?": 2, "??": 3}


def games(path, count, min_elo):
    """The first games of strong players, as text."""
    if path.endswith(".zst"):
        process = subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = process.stdout
    else:
        process, lines = None, open(path, "rb")
    found, game = [], []
    for line in lines:
        if line.startswith(b"[Event ") and game:
            text = b"".join(game).decode("utf-8", "replace")
            elo = [int(n) for n in re.findall(r'\[(?:White|Black)Elo "(\d+)"\]', text)]
            if len(elo) == 2 and min(elo) >= min_elo and re.search(r"\b30\.", text):
                found.append(text)
                if len(found) == count:
                    break
            game = []
        game.append(line)
    if process:
        process.kill()
    return found


class Analyses:
    """The analyses of texts by `tabiya analyse`, kept in a file if one is given."""

    def __init__(self, tabiya, state):
        self.tabiya, self.state, self.known = tabiya, state, {}
        # Analyses of another build do not count.
        self.build = hashlib.sha256(Path(tabiya).read_bytes()).hexdigest()[:16]
        if state and Path(state).exists():
            for line in Path(state).read_text().splitlines():
                with contextlib.suppress(ValueError):  # the last line of a killed run
                    key, games = json.loads(line)
                    self.known[key] = games

    def __call__(self, text, nodes):
        key = f"{self.build} {nodes} {hashlib.sha256(text.encode()).hexdigest()}"
        if key not in self.known:
            self.known[key] = analyse(self.tabiya, text, nodes)
            if self.state:
                with open(self.state, "a") as file:
                    file.write(json.dumps([key, self.known[key]]) + "\n")
        return self.known[key]


def analyse(tabiya, text, nodes):
    """The games of a text as `tabiya analyse` sees them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.pgn"
        path.write_text(text)
        command = [tabiya, "analyse", "--pgn", str(path), "--nodes", str(nodes), "--json"]
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)["games"]


def one_move(move):
    """A game of this move alone."""
    return f'[SetUp "1"]\n[FEN "{move["fen"]}"]\n\n{move["san"]} *\n\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pgn")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=250_000)
    parser.add_argument("--factor", type=int, default=10)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--min-elo", type=int, default=2600)
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time")
    parser.add_argument("--state", help="file to keep analyses in")
    parser.add_argument("--tabiya", default="target/release/tabiya")
    args = parser.parse_args()

    moves = []
    pool = ThreadPoolExecutor(args.jobs)
    look = Analyses(args.tabiya, args.state)
    chosen = games(args.pgn, args.games, args.min_elo)
    analysed = pool.map(lambda text: look(text, args.nodes)[0]["moves"], chosen)
    for number, found in enumerate(analysed, 1):
        moves += [move | {"game": number} for move in found]
        marks = [move["mark"] for move in moves]
        counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in ("?!", "?", "??"))
        print(f"game {number} of {len(chosen)}: {len(moves)} moves, {counts}", file=sys.stderr, flush=True)

    random.Random(1).shuffle(moves)
    by_mark = {mark: [move for move in moves if move["mark"] == mark] for mark in ORDER}
    looked_at = by_mark["??"] + by_mark["?"] + by_mark["?!"][: args.sample] + by_mark[None][: args.sample]
    table = {}
    look_longer = lambda move: look(one_move(move), args.nodes * args.factor)[0]["moves"][0]
    for number, (move, longer) in enumerate(zip(looked_at, pool.map(look_longer, looked_at)), 1):
        pair = (move["mark"], longer["mark"])
        table[pair] = table.get(pair, 0) + 1
        if move["mark"] != longer["mark"]:
            print(f'game {move["game"]}, {move["number"]}. {move["san"]} ({move["color"]}): '
                  f'{move["mark"]} {move["loss"]:.3f}, longer {longer["mark"]} {longer["loss"]:.3f}',
                  file=sys.stderr, flush=True)
        print(f"{number} of {len(looked_at)} moves analysed longer", file=sys.stderr, flush=True)

    print(f"{len(chosen)} games, {len(moves)} moves, {args.nodes} nodes a position beside "
          f"{args.nodes * args.factor}")
    print("\n| mark | longer: ?? | ? | ?! | none | mark holds | false positive |")
    print("|---|---|---|---|---|---|---|")
    for mark in ("??", "?", "?!", None):
        row = [table.get((mark, other), 0) for other in ("??", "?", "?!", None)]
        total = sum(row)
        share = lambda n: f"{100 * n / total:.0f} %" if mark and total else "–"
        holds = sum(n for other, n in zip(("??", "?", "?!", None), row) if ORDER[other] >= ORDER[mark])
        name = f"{mark or 'none'}, {total} of {len(by_mark[mark])}"
        print(f"| {name} | " + " | ".join(map(str, row)) + f" | {share(holds)} | {share(row[3])} |")


if __name__ == "__main__":
    main()
