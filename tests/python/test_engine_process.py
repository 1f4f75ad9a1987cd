"""UCI engines in processes of their own."""

import sys
from pathlib import Path

import pytest
from tabiya import chess
from tabiya.chess import engine

COMMAND = [sys.executable, str(Path(__file__).with_name("uci_engine.py"))]


@pytest.fixture
def process():
    with engine.SimpleEngine.popen_uci(COMMAND) as started:
        yield started


def test_the_engine_names_itself_and_its_options(process):
    assert process.id["name"] == "first"
    assert process.options["MultiPV"].max == 500 and process.options["Skill Level"].var == ("low", "high")


def test_play_and_analyse(process):
    board = chess.Board()
    board.push_san("e4")
    result = process.play(board, engine.Limit(time=0.01))
    assert result.move == chess.Move.from_uci("a7a5") and board.is_legal(result.move)
    info = process.analyse(board, engine.Limit(depth=1))
    assert info["score"] == engine.PovScore(engine.Cp(9), chess.BLACK) and info["time"] == 1.5
    assert info["wdl"].white() == engine.Wdl(200, 300, 500) and info["pv"] == [result.move]
    lines = process.analyse(board, engine.Limit(depth=1), multipv=3)
    assert [line["score"].relative.score() for line in lines] == [9, 8, 7]
    only = process.analyse(board, engine.Limit(depth=1), root_moves=[chess.Move.from_uci("g8f6")])
    assert only["pv"][0].uci() == "g8f6"


def test_an_endless_analysis_stops(process):
    with process.analysis(chess.Board()) as analysis:
        assert next(analysis)["depth"] == 1
    assert process.play(chess.Board(), engine.Limit(nodes=1)).move


def test_no_move_is_none(process):
    mated = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert process.play(mated, engine.Limit(depth=1)).move is None


def test_errors_have_reasons(process):
    with pytest.raises(engine.EngineError, match="no option"):
        process.configure({"Nonsense": 1})
    process._process.kill()
    with pytest.raises(engine.EngineTerminatedError):
        process.ping()
    with pytest.raises(engine.EngineError):
        engine.SimpleEngine.popen_uci([sys.executable, "-c", "pass"])
    with pytest.raises(FileNotFoundError):
        engine.SimpleEngine.popen_uci("no such engine")


def test_scores_are_ordered():
    scores = [engine.Mate(0), engine.Mate(-1), engine.Mate(-4), engine.Cp(-200), engine.Cp(0), engine.Cp(200)]
    scores += [engine.Mate(4), engine.Mate(1), engine.MateGiven]
    assert sorted(scores, key=lambda s: s) == scores
    assert [-score for score in reversed(scores)] == scores
    assert engine.Mate(3).score(mate_score=1000) == 997 and engine.Mate(-3).score(mate_score=1000) == -997
