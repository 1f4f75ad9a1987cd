#!/usr/bin/env python3
"""Compares `tabiya legal --json` with python-chess.

Random games of chess and Chess960 are played with python-chess, many of them going back and forth so
that positions recur and the 50- and 75-move rules apply. Of each sampled position both programs say:
legal moves, check, mate, stalemate, dead position, repetitions, outcome, claimable draw, and FEN.

With --setups N, random and mostly impossible setups are compared too: accepted or refused. Ours is
stricter in three ways, which are allowed for (see `also_impossible`): it refuses more promoted pieces
than missing pawns; a pawn's double step that was made while the opponent was already in check; and
castling fields that give a right twice (`AQ`) or, where python-chess drops the letter, give one to a
rook that is not there (`Q` without any rook at home).

One more difference is deliberate: a stalemate with insufficient material has both reasons for a draw;
python-chess names the second, ours the first.

    positions.py target/release/tabiya --positions 100000 --setups 5000 --seed 1

ends with one line for each comparison, `100000 positions, 0 differences`, and exit code 1 if there
is a difference; the first ten are printed.
"""

import argparse
import json
import multiprocessing
import random
import subprocess
import sys
from collections import Counter

import chess

BATCH = 1000
SHOWN = 10

# Starts where castling, en passant and promotions are near.
RICH = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/1p1p1p1p/8/P1P1P1P1/p1p1p1p1/8/1P1P1P1P/R3K2R w KQkq - 0 1",
    "7k/8/4Q3/8/8/8/8/K4Q2 w - - 0 1",
    "8/8/4k3/8/2n5/8/4KB2/8 w - - 0 1",
    "8/p7/4k3/8/8/2b5/4K2P/5B2 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 40 60",
]


def start(rng, chess960):
    if chess960:
        return chess.Board.from_chess960_pos(rng.randrange(960))
    if rng.random() < 0.4:
        return chess.Board(rng.choice(RICH))
    return chess.Board()


def choose(rng, board, moves, shuffling):
    """A legal move. A shuffling game goes back where it came from, and avoids what cannot be undone."""
    if shuffling and len(board.move_stack) >= 2 and rng.random() < 0.6:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    if shuffling and rng.random() < 0.98:
        calm = [m for m in moves if not board.is_zeroing(m) and not board.is_castling(m)]
        moves = calm or moves
    return rng.choice(moves)


def expected(board, moves, repetitions):
    """python-chess's report of a position, with the keys of `tabiya legal --json`."""
    checkmate, stalemate = board.is_checkmate(), board.is_stalemate()
    insufficient = board.is_insufficient_material()
    outcome = None
    found = board.outcome()
    if found is not None:
        outcome = {
            chess.Termination.CHECKMATE: "checkmate",
            chess.Termination.STALEMATE: "stalemate",
            chess.Termination.INSUFFICIENT_MATERIAL: "insufficient material",
            chess.Termination.SEVENTYFIVE_MOVES: "75 moves",
            chess.Termination.FIVEFOLD_REPETITION: "fivefold repetition",
        }[found.termination]
    if stalemate:
        outcome = "stalemate"
    if board.is_repetition(3) != (repetitions >= 3) or board.is_repetition(5) != (repetitions >= 5):
        raise AssertionError("this script miscounts repetitions")
    claimable = None
    if board.is_fifty_moves():
        claimable = "50 moves"
    elif repetitions >= 3:
        claimable = "threefold repetition"
    return {
        "fen": board.fen(shredder=board.chess960, en_passant="legal"),
        "moves": sorted(board.uci(m) for m in moves),
        "check": board.is_check(),
        "checkmate": checkmate,
        "stalemate": stalemate,
        "insufficient_material": insufficient,
        "repetitions": repetitions,
        "outcome": outcome,
        "claimable": claimable,
    }


def play(rng, chess960):
    """Yields (line, python-chess's report) for positions of one random game."""
    board = start(rng, chess960)
    shuffling = rng.random() < 0.35
    plies = rng.randrange(100, 320) if shuffling else rng.randrange(10, 160)
    sampled = 0.15 if shuffling else 0.4
    first = board.fen(shredder=chess960)
    played = []
    seen = Counter([board._transposition_key()])
    for ply in range(plies + 1):
        moves = list(board.legal_moves)
        if rng.random() < sampled or not moves or ply == plies:
            if rng.random() < 0.25:
                # The position alone, with the en-passant square after every double step.
                alone = chess.Board(board.fen(shredder=chess960, en_passant="fen"), chess960=chess960)
                yield alone.fen(shredder=chess960, en_passant="fen"), expected(alone, moves, 1)
            else:
                line = f"{first} moves {' '.join(played)}" if played else first
                repetitions = seen[board._transposition_key()]
                yield line, expected(board, moves, repetitions)
        if not moves:
            return
        m = choose(rng, board, moves, shuffling)
        played.append(board.uci(m))
        if board.is_zeroing(m):
            seen.clear()
        board.push(m)
        seen[board._transposition_key()] += 1


def ask(binary, chess960, lines):
    """The reports of our program, one JSON object per line."""
    command = [binary, "legal", "--json"] + (["--chess960"] if chess960 else [])
    answer = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    answers = [json.loads(line) for line in answer.stdout.splitlines()]
    if len(answers) != len(lines):
        raise AssertionError(f"{len(lines)} lines in, {len(answers)} out")
    return answers


def compare_positions(job):
    """One batch: (how many positions, how many of each kind, differences)."""
    binary, seed, count = job
    rng = random.Random(seed)
    chess960 = seed % 5 == 0
    cases = []
    while len(cases) < count:
        cases.extend(play(rng, chess960))
    del cases[count:]
    differences = []
    kinds = Counter({"Chess960": count if chess960 else 0})
    for (line, theirs), ours in zip(cases, ask(binary, chess960, [line for line, _ in cases])):
        if "moves" in ours:
            ours["moves"].sort()
        for name, value in theirs.items():
            if ours.get(name) != value:
                differences.append(f"{line}\n  {name}: {ours.get(name, ours)}, python-chess {value}")
        kinds.update(name for name in ("check", "checkmate", "stalemate") if theirs[name])
        kinds.update(name for name in (theirs["outcome"], theirs["claimable"]) if name)
    return count, kinds, differences


def random_setup(rng):
    """A FEN that is mostly of no legal position."""
    board = start(rng, rng.random() < 0.3)
    for _ in range(rng.randrange(60)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    if rng.random() < 0.3:
        board.clear_board()
        board.set_piece_at(rng.randrange(64), chess.Piece.from_symbol("K"))
        board.set_piece_at(rng.randrange(64), chess.Piece.from_symbol("k"))
        for _ in range(rng.randrange(8)):
            square = rng.randrange(64)
            if board.piece_type_at(square) != chess.KING:
                board.set_piece_at(square, chess.Piece.from_symbol(rng.choice("PNBRQpnbrq")))
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 5])):
        square = rng.randrange(64)
        if rng.random() < 0.4:
            board.remove_piece_at(square)
        elif board.piece_type_at(square) != chess.KING or rng.random() < 0.1:
            board.set_piece_at(square, chess.Piece.from_symbol(rng.choice("PNBRQPNBRQKpnbrqpnbrqk")))
    placement, turn, castling, en_passant, halfmoves, fullmoves = board.fen(
        shredder=rng.random() < 0.5, en_passant="fen"
    ).split()
    if rng.random() < 0.2:
        turn = rng.choice("wb")
    if rng.random() < 0.3:
        white = "".join(rng.sample("KQABCDEFGH", rng.randrange(3)))
        black = "".join(rng.sample("kqabcdefgh", rng.randrange(3)))
        castling = white + black or "-"
    if rng.random() < 0.3:
        en_passant = rng.choice(chess.FILE_NAMES) + ("6" if turn == "w" else "3")
        if rng.random() < 0.5:
            # Make it likely: a pawn that could have come, and nothing in its way.
            file = chess.FILE_NAMES.index(en_passant[0])
            ranks, pawn = ((6, 5, 4), "p") if turn == "w" else ((1, 2, 3), "P")
            changed = chess.Board(f"{placement} {turn} - - 0 1")
            squares = [chess.square(file, rank) for rank in ranks]
            if not any(changed.piece_type_at(square) == chess.KING for square in squares):
                changed.remove_piece_at(squares[0])
                changed.remove_piece_at(squares[1])
                changed.set_piece_at(squares[2], chess.Piece.from_symbol(pawn))
                placement = changed.board_fen()
    return " ".join([placement, turn, castling, en_passant, halfmoves, fullmoves])


def also_impossible(board, castling):
    """What python-chess lets pass and we do not."""
    named = castling.replace("-", "")
    if len(named) != chess.popcount(board.castling_rights):
        return "castling field"
    for color in chess.COLORS:
        bishops = board.pieces(chess.BISHOP, color)
        promoted = (
            max(len(board.pieces(chess.KNIGHT, color)) - 2, 0)
            + max(len(bishops & chess.BB_LIGHT_SQUARES) - 1, 0)
            + max(len(bishops & chess.BB_DARK_SQUARES) - 1, 0)
            + max(len(board.pieces(chess.ROOK, color)) - 2, 0)
            + max(len(board.pieces(chess.QUEEN, color)) - 1, 0)
        )
        if promoted > 8 - len(board.pieces(chess.PAWN, color)):
            return "promotions"
    if board.ep_square is not None and board.is_check():
        # Take the double step back: a check that is there already is one too many.
        before = board.copy(stack=False)
        forward = 8 if board.turn == chess.WHITE else -8
        pawn = before.remove_piece_at(board.ep_square - forward)
        before.set_piece_at(board.ep_square + forward, pawn)
        if before.is_check():
            return "older check"
    return None


def compare_setups(job):
    binary, seed, count = job
    rng = random.Random(f"setups {seed}")
    lines = [random_setup(rng) for _ in range(count)]
    differences = []
    kinds = Counter()
    for line, ours in zip(lines, ask(binary, True, lines)):
        try:
            board = chess.Board(line, chess960=True)
            stricter = also_impossible(board, line.split()[2]) if board.is_valid() else None
            valid = board.is_valid() and stricter is None
            kinds.update([stricter or ("accepted" if valid else "refused")])
        except ValueError as error:
            board, valid = error, False
            kinds.update(["refused"])
        if ("error" not in ours) != valid:
            reason = board if isinstance(board, ValueError) else repr(board.status())
            verdict = ours.get("error", "accepted")
            differences.append(f"{line}\n  ours: {verdict}; python-chess: {reason}")
    return count, kinds, differences


def run(name, compare, binary, seed, total, pool):
    jobs = []
    left = total
    while left > 0:
        jobs.append((binary, seed * 1_000_003 + len(jobs), min(BATCH, left)))
        left -= BATCH
    done, kinds, differences = 0, Counter(), []
    for count, some, found in pool.imap_unordered(compare, jobs):
        done += count
        kinds.update(some)
        differences.extend(found)
    for difference in differences[:SHOWN]:
        print(difference)
    print("  " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()) if count))
    print(f"{done} {name}, {len(differences)} differences")
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="the tabiya program")
    parser.add_argument("--positions", type=int, default=5000)
    parser.add_argument("--setups", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    with multiprocessing.Pool(args.processes) as pool:
        differences = run(
            "positions", compare_positions, args.binary, args.seed, args.positions, pool
        )
        if args.setups:
            differences += run(
                "setups", compare_setups, args.binary, args.seed, args.setups, pool
            )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
