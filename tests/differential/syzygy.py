#!/usr/bin/env python3
"""WDL and DTZ of random positions with three and four pieces, against python-chess's Syzygy prober.

Every table of the folder gets the same number of positions, with either side to move; positions where a pawn
can be taken en passant are added for tables with pawns of both colors. Any difference is shown, and the exit
code is 1.

    cargo build --release -p xtask --example syzygy_probe
    python tests/differential/syzygy.py target/release/examples/syzygy_probe FOLDER --positions 20000
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import chess
import chess.syzygy


def random_board(rng, name):
    """A legal position with the pieces of a table, colors and side to move at random."""
    swap = rng.random() < 0.5
    sides = name.split("v")
    pieces = [(chess.PIECE_SYMBOLS.index(letter.lower()), (side == 0) != swap)
              for side in (0, 1) for letter in sides[side]]
    while True:
        board = chess.Board(None)
        for square, (kind, color) in zip(rng.sample(chess.SQUARES, len(pieces)), pieces):
            board.set_piece_at(square, chess.Piece(kind, color))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def en_passant_board(rng):
    """A legal position of KPvKP just after a double step, where en passant is legal."""
    while True:
        board = chess.Board(None)
        file = rng.randrange(8)
        beside = file + rng.choice((-1, 1))
        if not 0 <= beside < 8:
            continue
        board.turn = rng.random() < 0.5
        rank, behind = (4, 5) if board.turn else (3, 2)
        board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not board.turn))
        board.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, board.turn))
        for color in (True, False):
            free = [square for square in chess.SQUARES if not board.piece_at(square)]
            board.set_piece_at(rng.choice(free), chess.Piece(chess.KING, color))
        board.ep_square = chess.square(file, behind)
        if board.is_valid() and board.has_legal_en_passant():
            return board


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help="the example syzygy_probe of xtask")
    parser.add_argument("folder")
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    names = sorted(path.stem for path in pathlib.Path(args.folder).glob("*.rtbw"))
    boards = [random_board(rng, name) for name in names for _ in range(args.positions // len(names))]
    if "KPvKP" in names:
        boards += [en_passant_board(rng) for _ in range(args.positions // 20)]

    with tempfile.TemporaryFile("w+") as fens:
        fens.writelines(board.fen(en_passant="legal") + "\n" for board in boards)
        fens.seek(0)
        ours = subprocess.run([args.program, args.folder], stdin=fens, stdout=subprocess.PIPE, text=True, check=True)
    answers = ours.stdout.splitlines()
    assert len(answers) == len(boards), f"{len(answers)} answers for {len(boards)} positions"

    results, en_passant, differences = {}, 0, 0
    with chess.syzygy.open_tablebase(args.folder) as tables:
        for board, answer in zip(boards, answers):
            wdl = tables.probe_wdl(board)
            expected = f"{wdl} {tables.probe_dtz(board)}"
            results[wdl] = results.get(wdl, 0) + 1
            en_passant += board.ep_square is not None
            if answer != expected:
                differences += 1
                print(f"{board.fen()}: {answer}, python-chess has {expected}")
    counts = ", ".join(f"{count} of WDL {wdl}" for wdl, count in sorted(results.items()))
    print(f"syzygy: {len(boards)} positions of {len(names)} tables ({counts}; {en_passant} with en passant), "
          f"{differences} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
