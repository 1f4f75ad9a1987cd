"""UCI engines in processes of their own, through blocking calls.

>>> from tabiya import chess
>>> from tabiya.chess import engine
>>> score = engine.PovScore(engine.Cp(35), chess.WHITE)
>>> score.black()
Cp(-35)

An engine is started with `SimpleEngine.popen_uci`::

    with engine.SimpleEngine.popen_uci("stockfish") as sf:
        print(sf.play(board, engine.Limit(time=0.1)).move)
        print(sf.analyse(board, engine.Limit(depth=12))["score"])

`tabiya.Engine` is an engine without a process.
"""

from ._score import Cp, Mate, MateGiven, PovScore, PovWdl, Score, Wdl
from ._simple import (
    AnalysisComplete,
    AnalysisResult,
    EngineError,
    EngineTerminatedError,
    InfoDict,
    Limit,
    Option,
    PlayResult,
    SimpleEngine,
)

__all__ = [
    "AnalysisComplete",
    "AnalysisResult",
    "Cp",
    "EngineError",
    "EngineTerminatedError",
    "InfoDict",
    "Limit",
    "Mate",
    "MateGiven",
    "Option",
    "PlayResult",
    "PovScore",
    "PovWdl",
    "Score",
    "SimpleEngine",
    "Wdl",
]
