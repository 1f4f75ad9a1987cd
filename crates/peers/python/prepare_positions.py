#!/usr/bin/env python3
"""PGN to Parquet as people do it: python-chess and pyarrow, one row for every position.

This is what `tabiya data prepare` is measured against. It does the same work for the first three
columns, and none of it for the others: FEN, the move played in UCI, the evaluation of the position in
centipawns (null where there is none). Positions are written in batches, compressed by zstd.

    python prepare_positions.py games.pgn OUT.parquet [--max-positions N] [--json]
"""

import argparse
import json
import time

import chess
import chess.pgn
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema([("fen", pa.string()), ("best_move", pa.string()), ("eval", pa.int32())])
BATCH = 50_000


def rows(game):
    """The rows of the main line of a game."""
    board = game.board()
    node = game
    while node.variations:
        child = node.variations[0]
        score = node.eval()
        centipawns = None
        if score is not None:
            centipawns = score.white().score()
        yield board.fen(), board.uci(child.move), centipawns
        board.push(child.move)
        node = child


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--max-positions", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    begin, cpu = time.perf_counter(), time.process_time()
    games = positions = 0
    columns = [[], [], []]

    def flush(writer):
        arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA)]
        writer.write_table(pa.table(arrays, schema=SCHEMA))
        for column in columns:
            column.clear()

    with open(args.input, encoding="utf-8", errors="replace") as file:
        with pq.ParquetWriter(args.output, SCHEMA, compression="zstd") as writer:
            while True:
                game = chess.pgn.read_game(file)
                if game is None or (args.max_positions and positions >= args.max_positions):
                    break
                games += 1
                for row in rows(game):
                    for column, value in zip(columns, row):
                        column.append(value)
                    positions += 1
                if len(columns[0]) >= BATCH:
                    flush(writer)
            flush(writer)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    if args.json:
        print(json.dumps({"games": games, "positions": positions, "seconds": seconds, "cpu_seconds": cpu}))
    else:
        print(f"{games} games, {positions} positions, {positions / cpu:.0f} positions per second of CPU time")


if __name__ == "__main__":
    main()
