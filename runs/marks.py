#!/usr/bin/env python3
"""How far the marks of `tabiya analyse` can be trusted: a short analysis beside one ten times as long.

    runs/marks.py GAMES.pgn[.zst] [--games 20] [--nodes 300000] [--factor 10] [--sample 100]
                  [--min-elo 2600] [--tabiya target/release/tabiya]

It takes the first games of the file with both players rated at least --min-elo and at least 30 moves,
and analyses them with --nodes per position (nodes, not seconds, so that the result does not depend on
how busy the machine is; 0.3 s, the default of `tabiya analyse`, are about 300,000 nodes on one core of
2 GHz or more). Every move that is marked, and a random sample of those that are not, is then analysed
again with --factor times the nodes, as a game of one move. The table says how many of the marks hold.

Needs nothing but Python. Progress goes to standard error, the table to standard output.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
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
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--factor", type=int, default=10)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--min-elo", type=int, default=2600)
    parser.add_argument("--tabiya", default="target/release/tabiya")
    args = parser.parse_args()

    moves = []
    chosen = games(args.pgn, args.games, args.min_elo)
    for number, text in enumerate(chosen, 1):
        for move in analyse(args.tabiya, text, args.nodes)[0]["moves"]:
            move["game"] = number
            moves.append(move)
        marks = [move["mark"] for move in moves]
        counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in ("?!", "?", "??"))
        print(f"game {number} of {len(chosen)}: {len(moves)} moves, {counts}", file=sys.stderr, flush=True)

    marked = [move for move in moves if move["mark"]]
    others = [move for move in moves if not move["mark"]]
    random.Random(1).shuffle(others)
    looked_at = sorted(marked + others[: args.sample], key=lambda move: -ORDER[move["mark"]])
    table = {}
    for number, move in enumerate(looked_at, 1):
        longer = analyse(args.tabiya, one_move(move), args.nodes * args.factor)[0]["moves"][0]
        pair = (move["mark"], longer["mark"])
        table[pair] = table.get(pair, 0) + 1
        if move["mark"] != longer["mark"]:
            print(f'game {move["game"]}, {move["number"]}. {move["san"]} ({move["color"]}): '
                  f'{move["mark"]} {move["loss"]:.3f}, longer {longer["mark"]} {longer["loss"]:.3f}',
                  file=sys.stderr, flush=True)
        print(f"{number} of {len(looked_at)} moves analysed longer", file=sys.stderr, flush=True)

    print(f"{len(chosen)} games, {len(moves)} moves, {args.nodes} nodes a position beside "
          f"{args.nodes * args.factor}")
    print("\n| mark | moves | longer: ?? | ? | ?! | none | same mark or worse | still a mark |\n|---|---|---|---|---|---|---|---|")
    for mark in ("??", "?", "?!", None):
        row = [table.get((mark, other), 0) for other in ("??", "?", "?!", None)]
        total = sum(row)
        if not total:
            print(f"| {mark or 'none'} | 0 | | | | | | |")
            continue
        holds = sum(table.get((mark, other), 0) for other in ORDER if ORDER[other] >= ORDER[mark])
        share = lambda n: f"{100 * n / total:.0f} %"
        name, last = (mark, (share(holds), share(total - row[3]))) if mark else (f"none (of {len(others)})", ("", ""))
        print(f"| {name} | {total} | " + " | ".join(map(str, row)) + f" | {last[0]} | {last[1]} |")


if __name__ == "__main__":
    main()
