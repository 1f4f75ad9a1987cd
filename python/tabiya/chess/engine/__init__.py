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

from ._options import Info, UciOptionMap
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
    "INFO_ALL",
    "INFO_BASIC",
    "INFO_CURRLINE",
    "INFO_NONE",
    "INFO_PV",
    "INFO_REFUTATION",
    "INFO_SCORE",
    "Info",
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
    "UciOptionMap",
    "Wdl",
]

INFO_NONE = Info.NONE
INFO_BASIC = Info.BASIC
INFO_SCORE = Info.SCORE
INFO_PV = Info.PV
INFO_REFUTATION = Info.REFUTATION
INFO_CURRLINE = Info.CURRLINE
INFO_ALL = Info.ALL
