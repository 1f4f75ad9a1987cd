"""The engine in this process: no other program, no protocol.

>>> from tabiya import Engine, chess
>>> engine = Engine()
>>> line = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), depth=5)[0]
>>> line.score, line.san
(PovScore(Mate(+1), WHITE), ['Ra8#'])

Engines are independent of each other: several think at once, each on its own threads. Ctrl-C ends a search.
"""

import asyncio
import dataclasses
from typing import Any, AsyncIterator, Iterator, List, Optional

from . import _tabiya, chess
from .chess.engine import Cp, Mate, PovScore

__all__ = ["Engine", "Line", "Thinking"]


@dataclasses.dataclass(frozen=True)
class Line:
    """A principal variation: what the engine expects, and what it thinks of it."""

    #: Depth of the search, and of its longest line.
    depth: int
    seldepth: int
    #: 1 for the best line, 2 for the second best.
    multipv: int
    #: The evaluation and its point of view, the side to move.
    score: PovScore
    #: Positions searched so far, and seconds.
    nodes: int
    time: float
    #: The moves.
    pv: List[chess.Move]
    #: The FEN of the position that was searched.
    fen: str
    chess960: bool = False

    @property
    def move(self) -> chess.Move:
        """The first move."""
        return self.pv[0]

    @property
    def san(self) -> List[str]:
        """The moves in SAN."""
        board = chess.Board(self.fen, chess960=self.chess960)
        texts = []
        for move in self.pv:
            texts.append(board.san(move))
            board.push(move)
        return texts

    @property
    def nps(self) -> int:
        """Positions a second."""
        return int(self.nodes / self.time) if self.time > 0 else 0


class Thinking:
    """A running search: iterate over the lines as they are found; `result` has the last of each.

    As a context manager it stops the search at the end; so does dropping it.
    """

    def __init__(self, search: Any, fen: str, turn: bool, chess960: bool) -> None:
        self._search = search
        self._position = (fen, turn, chess960)
        self._result: Optional[List[Line]] = None

    def _line(self, parts: Any) -> Line:
        depth, seldepth, multipv, centipawns, mate, nodes, seconds, moves = parts
        fen, turn, chess960 = self._position
        score = PovScore(Cp(centipawns) if mate is None else Mate(mate), turn)
        pv = [chess.Move.from_uci(move) for move in moves]
        return Line(depth, seldepth, multipv, score, nodes, seconds, pv, fen, chess960)

    def _next(self, timeout: Optional[float] = None) -> Optional[Line]:
        """The next line; None if the search has ended, or if nothing has come in this time."""
        if self._result is not None:
            return None
        try:
            event = self._search.next(timeout)
        except BaseException:
            self._search.stop()
            raise
        if event is None:
            return None
        ended, content = event
        if not ended:
            return self._line(content)
        self._result = sorted((self._line(parts) for parts in content), key=lambda line: line.multipv)
        return None

    def __iter__(self) -> Iterator[Line]:
        while True:
            line = self._next()
            if line is None:
                return
            yield line

    def stop(self) -> None:
        """End the search soon."""
        self._search.stop()

    @property
    def is_done(self) -> bool:
        """Whether the result is there."""
        return self._result is not None

    @property
    def result(self) -> List[Line]:
        """The last line of each number, the best first; waits for the end of the search."""
        while self._result is None:
            self._next()
        return self._result

    def __enter__(self) -> "Thinking":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()
        # The engine is free when the search has ended.
        while self._result is None:
            self._next()


class Engine:
    """A chess engine.

    ``hash`` is the size of the hash table in mebibytes, ``threads`` the number of threads of a search, ``network`` a
    `tabiya.nnue.Network`, the path of a network file, or 'classic' for the classical evaluation (HCE), and ``syzygy``
    the directories of tablebases.
    """

    def __init__(
        self, *, hash: int = 16, threads: int = 1, network: Optional[Any] = None, syzygy: Optional[Any] = None
    ) -> None:
        self._engine = _tabiya.Engine(hash=hash, threads=threads, network=network, syzygy=syzygy)

    def new_game(self) -> None:
        """Forget what earlier searches have found."""
        self._engine.new_game()

    def think(
        self,
        board: Any,
        *,
        time: Optional[float] = None,
        nodes: Optional[int] = None,
        depth: Optional[int] = None,
        mate: Optional[int] = None,
        multipv: int = 1,
        moves: Optional[Any] = None,
    ) -> Thinking:
        """Begin a search and return at once; iterate over what it returns for the lines as they are found.

        Without a limit it thinks until it is stopped.

        >>> from tabiya import Engine, chess
        >>> with Engine().think(chess.Board()) as thinking:
        ...     for line in thinking:
        ...         if line.depth >= 4:
        ...             break
        >>> thinking.result[0].depth >= 4
        True
        """
        root, played, last = _game(board)
        wanted = None if moves is None else [m if isinstance(m, str) else m.uci() for m in moves]
        search = self._engine.start(
            root, played, time=time, nodes=nodes, depth=depth, mate=mate, multipv=multipv, searchmoves=wanted
        )
        return Thinking(search, last.fen(), bool(last.turn), bool(last.chess960))

    def analyse(
        self,
        board: Any,
        *,
        time: Optional[float] = None,
        nodes: Optional[int] = None,
        depth: Optional[int] = None,
        mate: Optional[int] = None,
        multipv: int = 1,
        moves: Optional[Any] = None,
    ) -> List[Line]:
        """The best lines, the best first: one, or ``multipv``; none without a legal move.

        The board is one of `tabiya.chess` or of python-chess, whose history counts for repetitions, or a FEN. The
        limits are seconds, nodes, plies, or a mate in N moves; at least one is needed. ``moves`` restricts the
        first move to these.
        """
        if time is None and nodes is None and depth is None and mate is None:
            raise ValueError("a limit is needed: time, nodes, depth or mate; think() runs until it is stopped")
        return self.think(
            board, time=time, nodes=nodes, depth=depth, mate=mate, multipv=multipv, moves=moves
        ).result

    def best_move(self, board: Any, **limits: Any) -> Optional[chess.Move]:
        """The move to play; None if there is none. The limits are those of `analyse`."""
        lines = self.analyse(board, **limits)
        return lines[0].move if lines else None

    async def analyse_async(self, board: Any, **limits: Any) -> List[Line]:
        """`analyse`, for programs with an event loop; cancelling it ends the search."""
        if not any(limits.get(name) is not None for name in ("time", "nodes", "depth", "mate")):
            raise ValueError("a limit is needed: time, nodes, depth or mate")
        thinking = self.think(board, **limits)
        async for _ in _lines(thinking):
            pass
        return thinking.result

    async def think_async(self, board: Any, **limits: Any) -> AsyncIterator[Line]:
        """The lines as they are found, for programs with an event loop."""
        async for line in _lines(self.think(board, **limits)):
            yield line


async def _lines(thinking: Thinking) -> AsyncIterator[Line]:
    try:
        while not thinking.is_done:
            line = thinking._next(0)
            if line is not None:
                yield line
            elif not thinking.is_done:
                await asyncio.sleep(0.005)
    finally:
        thinking.stop()


def _game(board: Any) -> Any:
    """The root of a board's history, the moves from there in UCI notation, and the board itself."""
    if isinstance(board, str):
        board = chess.Board(board)
    if not hasattr(board, "move_stack"):
        raise TypeError(f"a position must be a board or a FEN, not {type(board).__name__}")
    stack = list(board.move_stack)
    # A null move is no move of a game: what came before it does not count.
    if not stack or not all(stack):
        return board, [], board
    return board.root(), [move.uci() for move in stack], board
