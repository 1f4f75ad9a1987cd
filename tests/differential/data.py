#!/usr/bin/env python3
"""`tabiya data prepare` against python-chess, read with pyarrow, pandas, DuckDB and Polars.

Random games, every third one of Chess960, are written as PGN in the manner of real files: evaluations,
mates and clocks in comments, some of them missing; glyphs behind moves and as NAGs; comments with braces
and brackets of their own, variations, a FEN tag, ratings, all results. What our program makes of them is
read with four libraries, and every row is compared with python-chess's result for the same file. Any
difference is shown, and the exit code is 1.

    python tests/differential/data.py target/release/tabiya --games 120
"""

import argparse
import io
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.pgn
import duckdb
import pandas
import polars
import pyarrow.parquet

COLUMNS = ["fen", "best_move", "eval", "mate", "result", "ply", "white_elo", "black_elo", "game", "clock", "board"]
COLUMNS += ["history"]
GLYPHS = ["", "", "", "", "!", "?", "!!", "??", "!?", "?!", " $1", " $18"]
REMARKS = ["", "", "a remark", "b5? was worse; [not a command]", "Bad {nested} remark", "[%cal Ge2e4] $$"]


def game_text(rng, number):
    """A random game, written by hand so that nothing is tidier than in real files."""
    if number % 3 == 0:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
    elif number % 7 == 0:
        board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17")
    else:
        board = chess.Board()
    result = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    lines = [f'[Event "game {number}"]']
    if rng.random() < 0.7:
        lines.append(f'[WhiteElo "{rng.randrange(600, 3600)}"]')
    if rng.random() < 0.7:
        lines.append(f'[BlackElo "{rng.choice(["?", "1500", "2741"])}"]')
    if rng.random() < 0.9:
        lines.append(f'[Result "{result}"]')
    if board.chess960:
        lines.append('[Variant "Chess960"]')
    if board.fen() != chess.STARTING_FEN:
        lines.append('[SetUp "1"]')
        lines.append(f'[FEN "{board.fen()}"]')
    words = []
    if rng.random() < 0.3:
        words.append("{ [%eval 0.12] before the first move }")
    for _ in range(rng.randrange(0, 120)):
        moves = list(board.legal_moves)
        if not moves:
            break
        special = [m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        move = rng.choice(special if special and rng.random() < 0.6 else moves)
        dots = "." if board.turn else "..."
        words.append(f"{board.fullmove_number}{dots} {board.san(move)}{rng.choice(GLYPHS)}")
        comment = []
        kind = rng.random()
        if kind < 0.5:
            comment.append(f"[%eval {rng.randrange(-2500, 2500) / 100:.2f}]")
        elif kind < 0.6:
            comment.append(f"[%eval #{rng.choice([1, 3, 12, 100, -1, -7, -127])}]")
        elif kind < 0.65:
            comment.append(f"[%eval {rng.randrange(-300, 300) / 100:.2f},{rng.randrange(5, 40)}]")
        if rng.random() < 0.4:
            comment.append(f"[%clk {rng.randrange(3)}:{rng.randrange(60):02}:{rng.randrange(60):02}]")
        comment.append(rng.choice(REMARKS))
        rng.shuffle(comment)
        if any(comment):
            words.append("{ " + " ".join(comment).strip() + " }")
        if rng.random() < 0.05:
            other = rng.choice(moves)
            words.append(f"( {board.fullmove_number}{dots} {board.san(other)} {{ [%eval 9.99] }} )")
        board.push(move)
    words.append(result)
    return "\n".join(lines) + "\n\n" + " ".join(words) + "\n\n"


def clean(text):
    """Comments without braces of their own, which python-chess does not read."""
    return text.replace("{nested}", "nested")


def milliseconds(node):
    return None if node.clock() is None else round(node.clock() * 1000)


def rows(text, mover):
    """The rows that python-chess makes of a text."""
    file = io.StringIO(clean(text))
    number = 0
    while (game := chess.pgn.read_game(file)) is not None:
        number += 1
        assert not game.errors, game.errors
        result = {"1-0": 1, "1/2-1/2": 0, "0-1": -1, "*": None}[game.headers["Result"]]
        elo = [game.headers.get(name, "?") for name in ("WhiteElo", "BlackElo")]
        elo = [int(value) if value.isdigit() else None for value in elo]
        board = game.board()
        node, ply, history = game, 0, []
        clocks = {chess.WHITE: None, chess.BLACK: None}
        while node.variations:
            child = node.variations[0]
            value = mate = None
            if (score := node.eval()) is not None:
                seen = score.pov(board.turn) if mover else score.white()
                value, mate = seen.score(), seen.mate()
            yield {
                "fen": board.fen(),
                "best_move": board.uci(child.move),
                "eval": value,
                "mate": mate,
                "result": result,
                "ply": ply,
                "white_elo": elo[0],
                "black_elo": elo[1],
                "game": number,
                "clock": clocks[board.turn],
                "board": packed(board),
                "history": struct.pack("<7H", *(history + 7 * [0])[:7]) if history else None,
            }
            clocks[board.turn] = milliseconds(child)
            history = [ply_code(board, child.move)] + history[:6]
            board.push(child.move)
            node, ply = child, ply + 1


def ply_code(board, move):
    """The 16 bits of a ply in the column history, written down a second time."""
    target, captured = move.to_square, 0
    if board.is_castling(move):
        kingside = chess.square_file(target) > chess.square_file(move.from_square)
        home = chess.BB_RANKS[chess.square_rank(move.from_square)] & board.clean_castling_rights()
        target, captured = chess.msb(home) if kingside else chess.lsb(home), 7
    elif board.is_en_passant(move):
        captured = 6
    elif board.is_capture(move):
        captured = board.piece_type_at(target)
    return move.from_square | target << 6 | captured << 12 | (1 << 15 if move.promotion else 0)


def packed(board):
    """The 32 bytes of docs/src/reference/data.md, written down a second time."""
    codes = []
    castling = board.clean_castling_rights()
    passed = None
    if board.has_legal_en_passant():
        passed = board.ep_square + (-8 if board.turn else 8)
    for square, piece in sorted(board.piece_map().items()):
        code = "PNBRQK".index(piece.symbol().upper()) + (0 if piece.color else 8)
        if square == passed:
            code = 7
        elif piece.piece_type == chess.ROOK and castling & chess.BB_SQUARES[square]:
            code = 6 if piece.color else 14
        elif piece.symbol() == "k" and board.turn == chess.BLACK:
            code = 15
        codes.append(code)
    number = sum(code << (4 * n) for n, code in enumerate(codes))
    return struct.pack(
        "<Q16shHHH", board.occupied, number.to_bytes(16, "little"), -32768, 0, board.fullmove_number, board.halfmove_clock
    )


def read_all(folder, files):
    """The same rows, by four libraries."""
    names = [str(file) for file in files]
    table = [row for name in names for row in pyarrow.parquet.ParquetFile(name).read().to_pylist()]
    yield "pyarrow", table
    columns = ", ".join(COLUMNS)
    connection = duckdb.connect()
    table = []
    for name in names:
        found = connection.execute(f"select {columns} from read_parquet('{name}')").fetchall()
        table += [dict(zip(COLUMNS, row)) for row in found]
    yield "DuckDB", table
    # Folders as they are, with everything else that is in them.
    for library, table in (("pandas, the folder", pandas.read_parquet(folder)),
                           ("pyarrow, the folder", pyarrow.parquet.read_table(folder).to_pandas())):
        table = table.astype(object).where(table.notna(), None)
        yield library, table[COLUMNS].to_dict("records")
    yield "Polars", polars.concat([polars.read_parquet(name) for name in names]).to_dicts()


def compare(expected, found, where):
    """How many rows differ; the first few are shown."""
    bad = 0
    if len(expected) != len(found):
        print(f"{where}: {len(found)} rows instead of {len(expected)}")
        bad += 1
    for n, (want, have) in enumerate(zip(expected, found)):
        wrong = [name for name in COLUMNS if want[name] != have[name]]
        if wrong:
            bad += 1
            if bad < 5:
                for name in wrong:
                    print(f"{where} row {n} {name}: {have[name]!r} instead of {want[name]!r} ({want['fen']})")
    return bad


def run(program, *arguments):
    process = subprocess.run([program, "data", *arguments], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: exit code {process.returncode}\n{process.stderr}")
    return process.stdout


def examples(program, folder, pgn):
    """The examples of docs/src/reference/data.md, run in a folder with a data set: how many fail."""
    options = ["--with-eval", "--val-fraction", "0.2"]
    run(program, "prepare", str(pgn), "--out", str(folder / "positions"), *options)
    text = (Path(__file__).parents[2] / "docs/src/reference/data.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5, len(blocks)
    bad = 0
    for block in blocks:
        process = subprocess.run([sys.executable, "-c", block], cwd=folder, capture_output=True, text=True)
        if process.returncode != 0 or not process.stdout:
            bad += 1
            print(f"an example of docs/src/reference/data.md fails:\n{block}\n{process.stderr}")
        elif process.stdout.startswith("skipped"):
            print(f"docs/src/reference/data.md: {process.stdout.strip()}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    text = "".join(game_text(rng, number) for number in range(1, args.games + 1))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        pgn = folder / "games.pgn"
        pgn.write_text(text, encoding="utf-8")
        for view in ("white", "mover"):
            expected = list(rows(text, view == "mover"))
            out = folder / view
            options = ["--with-eval", "--pov", view, "--shard-rows", "1500", "--group-rows", "400"]
            # All rows in one split, in the order of the games.
            options += ["--val-fraction", "0"]
            run(args.program, "prepare", str(pgn), "--out", str(out), *options)
            run(args.program, "verify", str(out))
            manifest = json.loads((out / "_manifest.json").read_text())
            files = [out / file["path"] for file in manifest["files"]]
            assert len(files) > 1, files
            for library, found in read_all(out, files):
                bad += compare(expected, found, f"{library}, {view}'s view")
        kinds = [
            sum(row["eval"] is not None for row in expected),
            sum(row["mate"] is not None for row in expected),
            sum(row["eval"] is None and row["mate"] is None for row in expected),
        ]
        assert min(kinds) > 50, kinds
        # Splits share no game, and together they are everything.
        run(args.program, "prepare", str(pgn), "--out", str(folder / "split"), "--with-eval", "--val-fraction", "0.3")
        parts = [
            polars.read_parquet(folder / "split" / name / "*.parquet") for name in ("train", "validation")
        ]
        games = [set(part["game"]) for part in parts]
        if games[0] & games[1] or sum(map(len, parts)) != len(expected) or min(map(len, games)) == 0:
            print("the splits are not a split by game")
            bad += 1
        # Packed rows, and back.
        run(args.program, "pack", str(folder / "white"), "--out", str(folder / "packed"))
        run(args.program, "unpack", str(folder / "packed"), "--out", str(folder / "unpacked"))
        names = ["fen", "eval", "mate", "result", "board"]
        tables = [polars.read_parquet(folder / name / "train" / "*.parquet", columns=names) for name in ("white", "unpacked")]
        if not tables[0].equals(tables[1]):
            print("packed rows do not come back as they were")
            bad += 1
        bad += examples(args.program, folder, pgn)
    print(f"data: {len(expected)} rows of {args.games} games, {kinds[0]} evals, {kinds[1]} mates, {kinds[2]} without; "
          f"pyarrow, pandas, DuckDB, Polars, both views: {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
