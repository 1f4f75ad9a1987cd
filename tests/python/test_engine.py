"""The engine in the process: `tabiya.Engine`."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import chess as python_chess
import pytest
from tabiya import Engine, chess

MATE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def test_a_mate_is_found_and_written():
    line = Engine().analyse(chess.Board(MATE), depth=6)[0]
    assert line.score.relative.mate() == 1
    assert (line.move, line.san) == (chess.Move.from_uci("a1a8"), ["Ra8#"])


def test_lines_come_ordered_and_in_the_number_wanted():
    board = chess.Board()
    lines = Engine().analyse(board, depth=5, multipv=3)
    assert [line.multipv for line in lines] == [1, 2, 3]
    assert len({line.move for line in lines}) == 3
    assert all(line.move in board.legal_moves and line.nodes > 0 for line in lines)
    scores = [line.score.relative for line in lines]
    assert scores == sorted(scores, reverse=True)
    only = Engine().analyse(board, depth=4, moves=["a2a3", chess.Move.from_uci("h2h3")])[0]
    assert only.move.uci() in ("a2a3", "h2h3")


def test_the_same_search_finds_the_same_lines():
    first, second = (Engine().analyse(chess.Board(), nodes=3000)[0] for _ in range(2))
    assert (first.pv, first.score, first.nodes) == (second.pv, second.score, second.nodes)


def test_boards_of_python_chess_and_fens_are_positions_too():
    board = python_chess.Board()
    board.push_san("e4")
    ours = chess.Board()
    ours.push_san("e4")
    results = [Engine().analyse(position, depth=5)[0] for position in (board, ours, ours.fen())]
    assert len({(tuple(line.pv), line.nodes) for line in results[:2]}) == 1
    assert results[2].score.turn == chess.BLACK


def test_the_history_of_a_board_counts_as_repetition():
    # White is lost, but can repeat the position for the third time.
    board = chess.Board("7k/8/8/8/8/8/qq6/7K b - - 0 1")
    without = Engine().analyse(board.fen(), depth=4)[0]
    for move in ("h8g8", "h1g1", "g8h8", "g1h1", "h8g8", "h1g1", "g8h8"):
        board.push_uci(move)
    line = Engine().analyse(board, depth=4)[0]
    assert without.score.relative.mate() is not None
    # Draws are worth a little more or less than 0, so that the engine varies its lines.
    assert abs(line.score.relative.score()) <= 2


def test_lines_are_seen_while_the_engine_thinks():
    engine = Engine()
    with engine.think(chess.Board()) as thinking:
        depths = []
        for line in thinking:
            depths.append(line.depth)
            if line.depth >= 5:
                break
        assert not thinking.is_done
        with pytest.raises(RuntimeError, match="thinking"):
            engine.analyse(chess.Board(), depth=1)
    assert depths == sorted(depths)
    assert thinking.is_done and thinking.result[0].depth >= 5
    assert engine.analyse(chess.Board(), depth=2)


def test_a_search_that_is_dropped_ends():
    engine = Engine()
    engine.think(chess.Board())
    begun = time.monotonic()
    assert engine.analyse(chess.Board(), depth=1)
    assert time.monotonic() - begun < 5


def test_several_engines_think_at_once():
    results = {}

    def think(number):
        results[number] = Engine(hash=1).analyse(chess.Board(), nodes=2000)[0]

    threads = [threading.Thread(target=think, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({(tuple(line.pv), line.nodes) for line in results.values()}) == 1 and len(results) == 8


def test_the_async_form_leaves_the_loop_free():
    async def work():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.ensure_future(tick())
        lines = await asyncio.gather(*(Engine(hash=1).analyse_async(chess.Board(), time=0.2) for _ in range(2)))
        seen = [line.depth async for line in Engine().think_async(chess.Board(), depth=4)]
        ticking.cancel()
        return ticks, lines, seen

    ticks, lines, seen = asyncio.run(work())
    assert ticks > 3 and all(lines) and seen[-1] == 4


def test_a_cancelled_search_ends():
    async def work():
        engine = Engine()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(engine.analyse_async(chess.Board(), time=1000), 0.1)
        return engine

    assert asyncio.run(work()).analyse(chess.Board(), depth=1)


def test_ctrl_c_ends_a_search_within_200_milliseconds():
    code = """if True:
        import sys, time
        from tabiya import Engine, chess
        engine = Engine()
        print("ready", flush=True)
        try:
            engine.analyse(chess.Board(), time=60)
        except KeyboardInterrupt:
            print(time.time(), flush=True)
        assert engine.analyse(chess.Board(), depth=1)
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.time()
        os.kill(child.pid, signal.SIGINT)
        ended = float(child.stdout.readline())
        assert child.wait(20) == 0
    assert ended - sent < 0.2


def test_positions_without_moves_have_no_lines():
    engine = Engine()
    for fen in ("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"):
        assert engine.analyse(chess.Board(fen), depth=3) == []
        assert engine.best_move(chess.Board(fen), depth=3) is None


def test_wrong_calls_raise_and_leave_the_engine_usable():
    engine = Engine()
    board = chess.Board()
    for call, error in [
        (lambda: engine.analyse(board), ValueError),
        (lambda: engine.analyse(board, time=-1), ValueError),
        (lambda: engine.analyse(board, time=float("nan")), ValueError),
        (lambda: engine.analyse(board, depth=-1), (ValueError, OverflowError)),
        (lambda: engine.analyse(board, depth="x"), TypeError),
        (lambda: engine.analyse(board, depth=1, multipv=0), ValueError),
        (lambda: engine.analyse(board, depth=1, moves=["e2e5"]), ValueError),
        (lambda: engine.analyse(3, depth=1), TypeError),
        (lambda: engine.analyse("nonsense", depth=1), ValueError),
        (lambda: engine.analyse(chess.Board(None), depth=1), ValueError),
        (lambda: Engine(hash=0), ValueError),
        (lambda: Engine(threads=100000), ValueError),
        (lambda: Engine(network="/nowhere.nnue"), FileNotFoundError),
    ]:
        with pytest.raises(error):
            call()
    assert engine.analyse(board, depth=1)


def test_settings_are_used():
    classic = Engine(network="classic").analyse(chess.Board(), depth=6)[0]
    network = Engine().analyse(chess.Board(), depth=6)[0]
    assert classic.nodes != network.nodes
    engine = Engine(threads=2, hash=4)
    assert engine.analyse(chess.Board(), depth=6)
    engine.new_game()
