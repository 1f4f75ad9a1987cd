#!/usr/bin/env python3
"""Tablebase wins just inside the 50-move rule: none may be thrown away, whatever MultiPV is.

Random positions are kept if they are won by python-chess's prober, and only some of the
winning moves still make it within the 50 moves (the halfmove clock is set so). The engine searches each
at several values of MultiPV; the move it plays must keep the win, and every line must have a score.

    python tests/attack/syzygy.py target/release/tabiya [--positions 180] [--tables FOLDER]
"""

import subprocess

import chess
import chess.syzygy

from common import Report, arguments, seeded
from damage import TABLES

MULTI_PV = [1, 2, 3, 5, 20]


def keeps_win(tables, board, move):
    """Whether a move of a won position keeps the win within the 50-move rule."""
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return True
    if after.is_stalemate() or after.is_insufficient_material():
        return False
    if tables.probe_wdl(after) != -2:
        return False
    return after.halfmove_clock == 0 or -tables.probe_dtz(after) + after.halfmove_clock <= 100


def positions(tables, names, rng, count):
    """Wins with moves that throw them away."""
    while count:
        white, black = rng.choice(names).split("v")
        pieces = [(letter, True) for letter in white] + [(letter, False) for letter in black]
        board = chess.Board(None)
        for square, (letter, color) in zip(rng.sample(range(64), len(pieces)), pieces):
            board.set_piece_at(square, chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), color))
        if not board.is_valid() or tables.get_wdl(board) != 2:
            continue
        board.halfmove_clock = max(0, 100 - tables.probe_dtz(board))
        board.fullmove_number = 100
        keeping = [keeps_win(tables, board, move) for move in board.legal_moves]
        if any(keeping) and not all(keeping):
            count -= 1
            yield board


def main():
    args = arguments(__doc__, positions=180, tables=str(TABLES))
    report = Report("syzygy")
    engine = subprocess.Popen([str(args.program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def say(text):
        engine.stdin.write(text + "\n")

    say(f"setoption name SyzygyPath value {args.tables}")
    with chess.syzygy.open_tablebase(args.tables) as tables:
        # Wins need distances too.
        names = [name for name in tables.wdl if name in tables.dtz and len(name) >= 4]
        wins = list(positions(tables, names, seeded(args.seed), args.positions))
        for multi_pv in MULTI_PV:
            lost = 0
            say(f"setoption name MultiPV value {multi_pv}")
            for board in wins:
                say("ucinewgame")
                say(f"position fen {board.fen()}")
                say("go depth 4")
                lines = {}
                for line in engine.stdout:
                    words = line.split()
                    if words[:1] == ["info"] and "multipv" in words and "pv" in words:
                        lines[int(words[words.index("multipv") + 1])] = words[words.index("pv") + 1]
                    if words[:1] == ["bestmove"]:
                        break
                else:
                    report.defect("the engine has ended")
                    report.end()
                report.add()
                move = chess.Move.from_uci(words[1])
                if move not in board.legal_moves or not keeps_win(tables, board, move):
                    lost += 1
                    report.defect(f"MultiPV {multi_pv}: {words[1]} throws away {board.fen()}")
                if lines.get(1) != words[1]:
                    report.defect(f"MultiPV {multi_pv}: {words[1]} is not the first of line 1 in {board.fen()}")
                if len(lines) != min(multi_pv, board.legal_moves.count()):
                    report.defect(f"MultiPV {multi_pv}: {len(lines)} lines in {board.fen()}")
            print(f"syzygy: MultiPV {multi_pv}: {lost} of {len(wins)} wins lost", flush=True)
    say("quit")
    engine.wait(timeout=5)
    report.end()


if __name__ == "__main__":
    main()
