#!/usr/bin/env python3
"""SAN, long algebraic notation and UCI of every legal move, both ways, against python-chess.

Random games, every fifth one of Chess960, are played with python-chess. For every position our
example program `notation_lines` writes all legal moves in all notations, and reads back what
python-chess writes. Any difference is shown, and the exit code is 1.

    cargo build --release -p xtask --example notation_lines
    python tests/differential/notation.py target/release/examples/notation_lines --positions 2000
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

import chess


def positions(count, seed):
    """Positions of random games, with a taste for captures, checks, promotions and castling."""
    rng = random.Random(seed)
    found = 0
    game = 0
    while found < count:
        game += 1
        if game % 5 == 0:
            board = chess.Board.from_chess960_pos(rng.randrange(960))
        else:
            board = chess.Board()
        for _ in range(rng.randrange(20, 220)):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                break
            special = [m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
            board.push(rng.choice(special if special and rng.random() < 0.5 else moves))
            if rng.random() < 0.25:
                yield board.copy(stack=False)
                found += 1
                if found == count:
                    return


def line_of(board):
    fen = board.fen(en_passant="legal") if not board.chess960 else board.shredder_fen(en_passant="legal")
    return ("960 " if board.chess960 else "") + fen


def texts_to_read(board):
    """For every legal move: SAN, the same without marks, over-disambiguated, long algebraic."""
    pairs = []
    for move in board.legal_moves:
        uci = board.uci(move)
        san = board.san(move)
        pairs.append((san, uci))
        pairs.append((san.rstrip("+#") + "!?", uci))
        pairs.append((board.lan(move), uci))
        if san.startswith("O"):
            pairs.append((san.replace("O", "0"), uci))
        if "=" in san:
            pairs.append((san.replace("=", ""), uci))
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", type=Path, help="the example program notation_lines")
    arguments = parser.parse_args()
    program = arguments.program

    lines, expected = [], []
    differences = moves = 0

    def compare():
        nonlocal differences, moves
        answer = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        given = answer.stdout.splitlines()
        if len(given) != len(lines):
            sys.exit(f"{len(lines)} lines sent, {len(given)} answered")
        for line, want, got in zip(lines, expected, given):
            got = got.split(" ") if "\t" in line else sorted(filter(None, got.split("|")))
            if want != got:
                differences += 1
                if differences <= 10:
                    wrong = [(a, b) for a, b in zip(want, got) if a != b][:5]
                    print(f"{line[:200]}\n  python-chess, tabiya: {wrong} ({len(want)}, {len(got)})")
        lines.clear()
        expected.clear()

    for count, board in enumerate(positions(arguments.positions, arguments.seed), 1):
        legal = list(board.legal_moves)
        moves += len(legal)
        lines.append(line_of(board))
        expected.append(sorted(f"{board.uci(m)} {board.san(m)} {board.lan(m)}" for m in legal))
        pairs = texts_to_read(board)
        if pairs:
            lines.append(line_of(board) + "\t" + " ".join(text for text, _ in pairs))
            expected.append([uci for _, uci in pairs])
        if count % 2000 == 0 or count == arguments.positions:
            compare()
    print(f"{arguments.positions} positions, {moves} legal moves, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
