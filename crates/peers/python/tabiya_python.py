#!/usr/bin/env python3
"""Measures the Python package beside python-chess, in one run and on one core unless said otherwise.

    python crates/peers/python/tabiya_python.py target/release/lib_tabiya.so [--seconds S] [--games N] [--check]

The library is a release build of the extension module. Every line is a task that both do, in turns, with the time of
each and the ratio; ``--check`` fails where a ratio is below what it has to be.
"""

import argparse
import ctypes
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import chess as python_chess
import chess.pgn as python_pgn
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "tabiya"
sys.path.append(str(ROOT / "tests" / "python"))

from random_boards import random_boards  # noqa: E402 - found by the line above


def load(library):
    """Imports the package with this build of the extension module."""
    folder = tempfile.mkdtemp()
    shutil.copytree(PACKAGE, Path(folder, "tabiya"), ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(library, Path(folder, "tabiya", "_tabiya.abi3.so"))
    sys.path.insert(0, folder)
    import tabiya

    return tabiya


def seconds_of(work, least):
    """The least time of a call in several rounds, which together take at least this long."""
    begin = time.perf_counter()
    best = float("inf")
    rounds = 0
    while rounds < 3 or time.perf_counter() - begin < least:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
        rounds += 1
    return best


class Table:
    """The results, printed as they come."""

    def __init__(self, least):
        self.least = least
        self.failed = []
        print(f"{'task':<46} {'python-chess':>14} {'tabiya':>14} {'ratio':>9} {'wanted':>8}")

    def compare(self, name, theirs, ours, count, wanted, unit=1e6, label="µs"):
        """Both on the same task of `count` items."""
        slow, fast = seconds_of(theirs, self.least) / count, seconds_of(ours, self.least) / count
        ratio = slow / fast
        print(f"{name:<46} {slow * unit:>11.3f} {label} {fast * unit:>11.4f} {label} {ratio:>8.1f}x {wanted:>7}x", flush=True)
        if ratio < wanted:
            self.failed.append(name)


def games(count, seed=2):
    """The text of random games, with evaluations and clocks as of a game server."""
    source = random.Random(seed)
    texts = []
    for number in range(count):
        board = python_chess.Board()
        game = python_pgn.Game()
        game.headers.update(Event=f"game {number}", WhiteElo="2000", BlackElo="2100", TimeControl="300+3")
        node = game
        for _ in range(source.randrange(40, 120)):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = source.choice(moves)
            board.push(move)
            node = node.add_variation(move)
            node.comment = f"[%eval {source.randrange(-300, 300) / 100}] [%clk 0:0{source.randrange(9)}:30]"
        texts.append(str(game))
    return "\n\n".join(texts) + "\n"


def features_of(fen):
    """The 768 features of a FEN with python-chess."""
    board = python_chess.Board(fen)
    row = np.zeros(768, dtype=np.float32)
    for square, piece in board.piece_map().items():
        row[384 * piece.color + 64 * (piece.piece_type - 1) + square] = 1
    return row


def boards(table, chess, fens):
    """Single boards."""
    theirs = [python_chess.Board(fen) for fen in fens]
    ours = [chess.Board(fen) for fen in fens]
    count = len(fens)

    def each(items, work):
        return lambda: [work(item) for item in items]

    table.compare(
        "list(board.legal_moves)",
        each(theirs, lambda board: list(board.legal_moves)),
        each(ours, lambda board: list(board.legal_moves)),
        count,
        20,
    )

    def push_pop(pairs):
        def work():
            for board, move in pairs:
                push, pop = board.push, board.pop
                for _ in range(10):
                    push(move)
                    pop()

        return work

    def pairs(items):
        return [(board, next(iter(board.legal_moves))) for board in items if any(board.legal_moves)]

    table.compare("board.push(move), board.pop()", push_pop(pairs(theirs)), push_pop(pairs(ours)), 10 * count, 5)
    table.compare("Board(fen)", each(fens, python_chess.Board), each(fens, chess.Board), count, 10)

    def sans(items):
        every = [(board, list(board.legal_moves)) for board in items]
        return lambda: [board.san(move) for board, moves in every for move in moves]

    total = sum(board.legal_moves.count() for board in theirs)
    table.compare("board.san(move)", sans(theirs), sans(ours), total, 10)


def batches(table, tabiya, fens, text):
    """Whole columns."""
    batch = tabiya.batch
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.pgn")
        path.write_text(text)

        def read_theirs():
            with open(path) as file:
                while python_pgn.read_game(file) is not None:
                    pass

        megabytes = len(text) / 1e6
        for name, columns in (("positions and moves", ["board", "best_move"]), ("all columns", None)):
            def read_ours():
                batch.read_pgn(path, columns=columns, threads=1)

            wanted = 100 if columns else 50
            table.compare(f"PGN to {name}, a MB", read_theirs, read_ours, megabytes, wanted, 1e3, "ms")

    many = fens * 16

    def slow():
        for fen in fens:
            features_of(fen)

    theirs = seconds_of(slow, table.least) / len(fens)
    for layout, width, kind in (("float32", 768, np.float32), ("uint8", 768, np.uint8), ("bits", 96, np.uint8), ("active", 32, np.int16)):
        out = np.zeros((len(many), width), dtype=kind)
        for name, column in (("list", many), ("Arrow column", batch.fens(many))):
            for threads in (1, None):
                cores = "1 core" if threads else "all cores"
                ours = seconds_of(lambda: batch.features(column, layout=layout, out=out, threads=threads), 0.2)
                ours /= len(many)
                label = f"features, {layout}, {name}, {cores}"
                print(f"{label:<46} {theirs * 1e6:>11.3f} µs {ours * 1e6:>11.4f} µs {theirs / ours:>8.1f}x {500:>7}x", flush=True)
                if threads is None and theirs / ours < 500:
                    table.failed.append(label)


def memory(tabiya, fens):
    """A batch [65536, 768] of floats beside writing the same memory in other ways."""
    rows = tabiya.batch.pack((fens * (65536 // len(fens) + 1))[:65536])
    out = np.empty((65536, 768), dtype=np.float32)
    out[:] = 1
    size, address = out.nbytes / 1e9, out.ctypes.data
    first = {
        "memset, 1 core": lambda: ctypes.memset(address, 0, out.nbytes),
        "out.fill(0), 1 core": lambda: out.fill(0),
        "features into out, 1 core": lambda: tabiya.batch.features(rows, out=out, threads=1),
        "features into out, all cores": lambda: tabiya.batch.features(rows, out=out),
        "np.zeros, each page touched": lambda: np.zeros((65536, 768), dtype=np.float32).reshape(-1)[::1024].fill(1),
        "a new array of features, all cores": lambda: tabiya.batch.features(rows),
    }
    for name, work in first.items():
        print(f"[65536, 768] float32: {name:<36} {size / seconds_of(work, 0.5):>6.1f} GB/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--check", action="store_true", help="fail below the wanted ratios")
    options = parser.parse_args()
    tabiya = load(options.library)
    fens = [board.fen() for board in random_boards(options.positions, plies=120)]
    table = Table(options.seconds)
    boards(table, tabiya.chess, fens)
    batches(table, tabiya, fens, games(options.games))
    memory(tabiya, fens)
    if table.failed:
        print(f"below what is wanted: {', '.join(table.failed)}")
    return 1 if options.check and table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
