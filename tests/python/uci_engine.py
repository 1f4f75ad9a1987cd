"""A UCI engine for the tests: it plays the first legal move and reports it."""

import sys
import time

from tabiya import chess

board = chess.Board()
multipv = 1
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name first\nid author tests\noption name MultiPV type spin default 1 min 1 max 500")
        print("option name Skill Level type combo default low var low var high\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:3] == ["setoption", "name", "MultiPV"]:
        multipv = int(words[-1])
    elif words[:2] == ["position", "fen"]:
        moves = words.index("moves") if "moves" in words else len(words)
        board = chess.Board(" ".join(words[2:moves]))
        for uci in words[moves + 1 :]:
            board.push_uci(uci)
    elif words[:1] == ["go"]:
        moves = sorted(move.uci() for move in board.legal_moves)
        if "searchmoves" in words:
            moves = words[words.index("searchmoves") + 1 :]
        for n, move in enumerate(moves[:multipv], 1):
            print(f"info depth 1 multipv {n} score cp {10 - n} wdl 500 300 200 nodes 5 time 1500 pv {move}")
        if "infinite" in words:
            sys.stdout.flush()
            time.sleep(0.05)
            sys.stdin.readline()
        print(f"bestmove {moves[0]}" if moves else "bestmove (none)", flush=True)
    elif words[:1] == ["quit"]:
        break
