"""Boards and pieces as SVG, with tabiya's own piece set."""

import dataclasses
from typing import Iterable, Optional, Tuple, Union

from .. import _tabiya
from .._tabiya import Move, Piece
from ._board import BaseBoard
from ._squares import SQUARE_NAMES, WHITE

_PGN_COLORS = {"green": "G", "red": "R", "yellow": "Y", "blue": "B"}


@dataclasses.dataclass(frozen=True)
class Arrow:
    """An arrow between two squares; a circle if they are equal. Its color is green, red, yellow or blue."""

    tail: int
    head: int
    color: str = "green"

    def __init__(self, tail: int, head: int, *, color: str = "green") -> None:
        object.__setattr__(self, "tail", tail)
        object.__setattr__(self, "head", head)
        object.__setattr__(self, "color", color)

    def pgn(self) -> str:
        """The arrow as in the PGN commands ``[%csl …]`` and ``[%cal …]``, such as ``Ga1h8``."""
        letter = _PGN_COLORS.get(self.color, "G")
        head = "" if self.tail == self.head else SQUARE_NAMES[self.head]
        return f"{letter}{SQUARE_NAMES[self.tail]}{head}"

    def __str__(self) -> str:
        return self.pgn()

    @classmethod
    def from_pgn(cls, pgn: str) -> "Arrow":
        """Parses the text of `pgn`. Raises ValueError with the reason if it is none."""
        colors = {letter: color for color, letter in _PGN_COLORS.items()}
        squares = pgn[1:] if pgn[:1] in colors else pgn
        if len(squares) not in (2, 4) or squares[:2] not in SQUARE_NAMES or squares[-2:] not in SQUARE_NAMES:
            raise ValueError(f"not an arrow: {pgn!r}")
        color = colors.get(pgn[:1], "green")
        return cls(SQUARE_NAMES.index(squares[:2]), SQUARE_NAMES.index(squares[-2:]), color=color)


class _Svg(str):
    """SVG text that notebooks show as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)

    _repr_html_ = _repr_svg_


def piece(piece: Piece, size: Optional[int] = None) -> str:
    """A single piece."""
    svg = piece._repr_svg_()
    return _Svg(svg.replace('width="45" height="45"', f'width="{size}" height="{size}"', 1) if size else svg)


def board(
    board: Optional[BaseBoard] = None,
    *,
    orientation: bool = WHITE,
    lastmove: Optional[Move] = None,
    check: Optional[int] = None,
    arrows: Iterable[Union[Arrow, Tuple[int, int]]] = (),
    squares=0,
    size: Optional[int] = None,
    coordinates: bool = True,
) -> str:
    """A board with its pieces, last move, check, tinted squares and arrows.

    >>> from tabiya import chess
    >>> from tabiya.chess import svg
    >>> picture = svg.board(chess.Board(), arrows=[svg.Arrow(chess.E2, chess.E4, color="blue")], size=350)
    >>> picture.startswith("<svg ")
    True
    """
    if board is not None and not isinstance(board, _tabiya.Board):
        board = BaseBoard(board.board_fen())
    flat = [(a.tail, a.head, a.color) if hasattr(a, "tail") else (a[0], a[1], "green") for a in arrows]
    return _Svg(
        _tabiya.board_svg(
            board,
            orientation=orientation,
            lastmove=None if not lastmove else (lastmove.from_square, lastmove.to_square),
            check=check,
            arrows=flat,
            squares=squares,
            size=400 if size is None else size,
            coordinates=coordinates,
        )
    )
