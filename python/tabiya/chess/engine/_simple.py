"""`SimpleEngine`: a UCI engine process behind blocking calls."""

import contextlib
import dataclasses
import queue
import subprocess
import threading
import time
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from ..._tabiya import Move
from .._board import Board
from ._options import Info, UciOptionMap
from ._score import Cp, Mate, PovScore, PovWdl, Wdl

InfoDict = Dict[str, Any]
_NUMBERS = ("depth", "seldepth", "nodes", "nps", "tbhits", "multipv", "hashfull", "currmovenumber", "cpuload")
#: Seconds an engine gets to answer beyond the time it was given to think.
_GRACE = 10.0


class EngineError(RuntimeError):
    """The engine answered what makes no sense, or not in time."""


class EngineTerminatedError(EngineError):
    """The engine process has ended."""


class AnalysisComplete(Exception):
    """An analysis has ended."""


@dataclasses.dataclass
class Limit:
    """When to stop thinking. Times are in seconds."""

    time: Optional[float] = None
    depth: Optional[int] = None
    nodes: Optional[int] = None
    mate: Optional[int] = None
    white_clock: Optional[float] = None
    black_clock: Optional[float] = None
    white_inc: Optional[float] = None
    black_inc: Optional[float] = None
    remaining_moves: Optional[int] = None

    def _go(self) -> str:
        def milliseconds(seconds: float) -> int:
            return max(1, round(seconds * 1000))

        words = [
            ("movetime", self.time and milliseconds(self.time)),
            ("depth", self.depth),
            ("nodes", self.nodes),
            ("mate", self.mate),
            ("wtime", self.white_clock and milliseconds(self.white_clock)),
            ("btime", self.black_clock and milliseconds(self.black_clock)),
            ("winc", self.white_inc and milliseconds(self.white_inc)),
            ("binc", self.black_inc and milliseconds(self.black_inc)),
            ("movestogo", self.remaining_moves),
        ]
        given = [f"{name} {int(value)}" for name, value in words if value is not None]
        return " ".join(given) if given else "infinite"

    def _patience(self) -> Optional[float]:
        times = (self.time, self.white_clock, self.black_clock)
        known = [t for t in times if t is not None]
        return max(known) + _GRACE if known else None


@dataclasses.dataclass
class PlayResult:
    """The answer of `SimpleEngine.play`."""

    move: Optional[Move]
    ponder: Optional[Move]
    info: InfoDict = dataclasses.field(default_factory=dict)
    draw_offered: bool = False
    resigned: bool = False


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of the engine."""

    name: str
    type: str
    default: Optional[str] = None
    min: Optional[int] = None
    max: Optional[int] = None
    var: Tuple[str, ...] = ()


def _option(line: str) -> Option:
    fields: Dict[str, List[List[str]]] = {}
    key = None
    for word in line.split()[1:]:
        if word in ("name", "type", "default", "min", "max", "var") and not (key == "name" and word != "type"):
            key = word
            fields.setdefault(key, []).append([])
        elif key:
            fields[key][-1].append(word)
    texts = {key: [" ".join(words) for words in values] for key, values in fields.items()}
    first = {key: values[0] for key, values in texts.items()}
    number = {key: int(first[key]) if key in first and first[key].lstrip("-").isdigit() else None for key in ("min", "max")}
    return Option(first.get("name", ""), first.get("type", ""), first.get("default"), number["min"], number["max"], tuple(texts.get("var", ())))


def parse_info(line: str, board: Board) -> InfoDict:
    """The fields of an info line; moves that make no sense on the board end their line."""
    info: InfoDict = {}
    words = line.split()[1:]
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word == "string":
            info["string"] = " ".join(words[at:])
            break
        if word in _NUMBERS and at < len(words) and words[at].lstrip("-").isdigit():
            info[word], at = int(words[at]), at + 1
        elif word == "time" and at < len(words) and words[at].isdigit():
            info["time"], at = int(words[at]) / 1000, at + 1
        elif word == "score" and at + 1 < len(words) and words[at] in ("cp", "mate"):
            value = int(words[at + 1])
            info["score"] = PovScore(Cp(value) if words[at] == "cp" else Mate(value), board.turn)
            at += 2
            while at < len(words) and words[at] in ("lowerbound", "upperbound"):
                info[words[at]], at = True, at + 1
        elif word == "wdl" and at + 2 < len(words):
            info["wdl"], at = PovWdl(Wdl(*map(int, words[at : at + 3])), board.turn), at + 3
        elif word in ("pv", "refutation"):
            line_board, moves = board.copy(stack=False), []
            while at < len(words):
                try:
                    moves.append(line_board.push_uci(words[at]))
                except ValueError:
                    break
                at += 1
            info[word] = moves
        elif word == "currmove" and at < len(words):
            try:
                info["currmove"] = board.parse_uci(words[at])
            except ValueError:
                pass
            at += 1
    return info


class SimpleEngine:
    """A UCI engine process. All calls block; one search runs at a time."""

    def __init__(self, command: Union[str, List[str]], *, timeout: Optional[float] = 10.0, **popen_args: Any) -> None:
        self.timeout = timeout
        self.id: Dict[str, str] = {}
        self.options: UciOptionMap[Option] = UciOptionMap()
        self._lines: "queue.Queue[Optional[str]]" = queue.Queue()
        self._multipv = 1
        self._game: object = None
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, **popen_args
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._hello()
        except BaseException:
            self.close()
            raise

    @classmethod
    def popen_uci(
        cls,
        command: Union[str, List[str]],
        *,
        timeout: Optional[float] = 10.0,
        debug: Optional[bool] = None,
        setpgrp: bool = False,
        **popen_args: Any,
    ) -> "SimpleEngine":
        """Starts an engine and waits until it is ready. With ``setpgrp`` Ctrl-C does not reach it."""
        if setpgrp:
            popen_args["start_new_session"] = True
        return cls(command, timeout=timeout, **popen_args)

    def _read(self) -> None:
        for line in self._output:
            self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def _send(self, line: str) -> None:
        if any(c in line for c in "\r\n"):
            raise EngineError(f"a line break in a command: {line!r}")
        try:
            self._input.write(line + "\n")
            self._input.flush()
        except (OSError, ValueError) as error:
            raise EngineTerminatedError(f"the engine has ended: {error}") from error

    def _receive(self, deadline: Optional[float]) -> str:
        try:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            line = self._lines.get(timeout=wait)
        except queue.Empty:
            raise EngineError("the engine did not answer in time") from None
        if line is None:
            self._lines.put(None)
            raise EngineTerminatedError(f"the engine has ended with code {self._process.wait()}")
        return line

    def _deadline(self) -> Optional[float]:
        return None if self.timeout is None else time.monotonic() + self.timeout

    def _hello(self) -> None:
        self._send("uci")
        deadline = self._deadline()
        while True:
            line = self._receive(deadline)
            words = line.split(None, 2)
            if words[:1] == ["uciok"]:
                break
            if words[:1] == ["id"] and len(words) == 3:
                self.id[words[1]] = words[2]
            elif words[:1] == ["option"]:
                option = _option(line)
                self.options[option.name] = option
        self.ping()

    def ping(self) -> None:
        """Waits until the engine is ready."""
        self._send("isready")
        deadline = self._deadline()
        while self._receive(deadline).strip() != "readyok":
            pass

    def configure(self, options: Mapping[str, Any]) -> None:
        """Sets options by name. Raises EngineError for an option the engine does not have."""
        for name, value in options.items():
            if name not in self.options:
                raise EngineError(f"the engine has no option {name!r}")
            text = {True: "true", False: "false", None: "<empty>"}.get(value, value) if not isinstance(value, int) or isinstance(value, bool) else value
            self._send(f"setoption name {self.options[name].name} value {text}")
        self.ping()

    def _new_game(self, game: object) -> None:
        if game != self._game:
            self._game = game
            self._send("ucinewgame")
            self.ping()

    def _start(self, board: Board, limit: Limit, multipv: int, root_moves: Optional[Iterable[Move]]) -> None:
        if multipv != self._multipv:
            self.configure({"MultiPV": multipv})
            self._multipv = multipv
        chess960 = bool(board.chess960)
        if "UCI_Chess960" in self.options:
            self._send(f"setoption name UCI_Chess960 value {'true' if chess960 else 'false'}")
        root = board.root()
        moves = [move.uci() for move in board.move_stack]
        start = f"fen {root.fen(shredder=chess960)}"
        self._send(f"position {start}" + (" moves " + " ".join(moves) if moves else ""))
        restrict = [board.uci(move) for move in root_moves] if root_moves is not None else []
        self._send("go " + limit._go() + (" searchmoves " + " ".join(restrict) if restrict else ""))

    def play(
        self,
        board: Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = Info.NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Optional[Iterable[Move]] = None,
        options: Mapping[str, Any] = {},
        opponent: Any = None,
    ) -> PlayResult:
        """Thinks within the limit and returns the move.

        Another ``game`` than before is announced to the engine. ``info``, ``ponder``, ``draw_offered`` and
        ``opponent`` are accepted and make no difference.
        """
        if options:
            self.configure(options)
        with self.analysis(board, limit, game=game, root_moves=root_moves) as analysis:
            best = analysis.wait()
            return PlayResult(best.move, best.ponder, analysis.info)

    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: Optional[int] = None,
        game: object = None,
        info: Info = Info.ALL,
        root_moves: Optional[Iterable[Move]] = None,
        options: Mapping[str, Any] = {},
    ) -> Union[InfoDict, List[InfoDict]]:
        """Thinks within the limit and returns what was found: a dictionary, or one for each of multipv lines."""
        if options:
            self.configure(options)
        with self.analysis(board, limit, multipv=multipv, game=game, root_moves=root_moves) as analysis:
            analysis.wait()
            return analysis.info if multipv is None else analysis.multipv

    def analysis(
        self,
        board: Board,
        limit: Optional[Limit] = None,
        *,
        multipv: Optional[int] = None,
        game: object = None,
        info: Info = Info.ALL,
        root_moves: Optional[Iterable[Move]] = None,
        options: Mapping[str, Any] = {},
    ) -> "AnalysisResult":
        """Starts to think and returns what comes in, as an iterator of info dictionaries."""
        limit = limit or Limit()
        if options:
            self.configure(options)
        self._new_game(game)
        self._start(board, limit, multipv or 1, root_moves)
        return AnalysisResult(self, board.copy(), limit)

    def quit(self) -> None:
        """Ends the engine."""
        try:
            self._send("quit")
            self._process.wait(timeout=self.timeout)
        except (EngineError, subprocess.TimeoutExpired):
            pass
        self.close()

    def close(self) -> None:
        """Ends the engine process at once."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for pipe in (self._input, self._output):
            with contextlib.suppress(OSError):
                pipe.close()

    def __enter__(self) -> "SimpleEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.quit()

    def __repr__(self) -> str:
        return f"<SimpleEngine ({self.id.get('name', '?')}, pid={self._process.pid})>"


@dataclasses.dataclass
class BestMove:
    """The end of a search."""

    move: Optional[Move]
    ponder: Optional[Move]


class AnalysisResult:
    """A running analysis: iterate over the info dictionaries, or wait for its end."""

    def __init__(self, engine: SimpleEngine, board: Board, limit: Limit) -> None:
        self._engine, self._board = engine, board
        patience = limit._patience()
        self._deadline = None if patience is None else time.monotonic() + patience
        self._best: Optional[BestMove] = None
        self.multipv: List[InfoDict] = [{}]

    @property
    def info(self) -> InfoDict:
        """What is known of the best line."""
        return self.multipv[0]

    def stop(self) -> None:
        """Stops thinking as soon as possible."""
        if self._best is None:
            self._engine._send("stop")

    def get(self) -> InfoDict:
        """The next info dictionary. Raises AnalysisComplete at the end."""
        while self._best is None:
            line = self._engine._receive(self._deadline)
            words = line.split()
            if words[:1] == ["info"]:
                info = parse_info(line, self._board)
                index = info.get("multipv", 1) - 1
                while 0 <= len(self.multipv) <= index < 500:
                    self.multipv.append({})
                if index < len(self.multipv):
                    self.multipv[index].update(info)
                return info
            if words[:1] == ["bestmove"]:
                self._best = BestMove(*self._best_moves(words))
        raise AnalysisComplete

    def _best_moves(self, words: List[str]) -> Tuple[Optional[Move], Optional[Move]]:
        board = self._board.copy(stack=False)
        if len(words) < 2 or words[1] in ("(none)", "0000", "NULL"):
            return None, None
        try:
            move = board.push_uci(words[1])
        except ValueError as error:
            raise EngineError(f"the engine's move is illegal: {words[1]} in {board.fen()}") from error
        try:
            return move, board.parse_uci(words[3]) if words[2:3] == ["ponder"] and len(words) > 3 else None
        except ValueError:
            return move, None

    def wait(self) -> BestMove:
        """Waits for the end of the analysis."""
        try:
            while True:
                self.get()
        except AnalysisComplete:
            return self._best or BestMove(None, None)

    def __iter__(self) -> Iterator[InfoDict]:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except AnalysisComplete:
            raise StopIteration from None

    def __enter__(self) -> "AnalysisResult":
        return self

    def __exit__(self, *_: object) -> None:
        if self._best is None:
            self.stop()
            self._deadline = time.monotonic() + _GRACE
            self.wait()
