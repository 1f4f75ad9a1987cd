#!/usr/bin/env python3
"""Results of random positions of three and four pieces, against python-chess's reader of Syzygy files.

The engine is asked through its own protocol for a search of one ply with the tables; python-chess reads
the same files. Any difference is shown, and the exit code is 1.

    python tests/differential/syzygy.py target/release/tabiya FOLDER --positions 2000
"""

import argparse
import random
import subprocess
import sys

import chess
import chess.syzygy


def positions(count, seed):
    rng = random.Random(seed)
    while count:
        board = chess.Board(None)
        pieces = [(chess.KING, True), (chess.KING, False)]
        pieces += [(rng.randrange(1, 6), rng.random() < 0.5) for _ in range(rng.randrange(1, 3))]
        for square, (kind, color) in zip(rng.sample(chess.SQUARES, len(pieces)), pieces):
            board.set_piece_at(square, chess.Piece(kind, color))
        board.turn = rng.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            count -= 1
            yield board


def result(line):
    """1 for a win, 0 for a draw, -1 for a loss, from the score in an info line."""
    words = line.split()
    at = words.index("score")
    value = int(words[at + 2])
    if words[at + 1] == "cp" and abs(value) < 19_000:
        return 0
    return 1 if value > 0 else -1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    engine = subprocess.Popen([args.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    print(f"setoption name SyzygyPath value {args.folder}", file=engine.stdin)
    counts, differences = {1: 0, 0: 0, -1: 0}, 0
    with chess.syzygy.open_tablebase(args.folder) as tables:
        for board in positions(args.positions, args.seed):
            wdl = tables.probe_wdl(board)
            expected = (wdl > 0) - (wdl < 0)
            print(f"position fen {board.fen()}\ngo depth 1", file=engine.stdin)
            score = None
            for line in engine.stdout:
                if " score " in line:
                    score = line
                if line.startswith("bestmove"):
                    break
            found = result(score) if score else None
            counts[expected] += 1
            if found != expected:
                differences += 1
                print(f"{board.fen()}: {found}, python-chess says {expected}")
    print("quit", file=engine.stdin)
    print(f"syzygy: {args.positions} positions ({counts[1]} won, {counts[0]} drawn, {counts[-1]} lost), "
          f"{differences} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
