"""Boards and pieces as SVG, with tabiya's own piece set."""

import dataclasses
import html
import math
import re
from types import MappingProxyType
from typing import Any, Iterable, Mapping, Optional, Tuple, Union

from .. import _tabiya
from .._tabiya import Move, Piece
from ._board import BaseBoard
from ._squares import COLOR_NAMES, PIECE_NAMES, SQUARE_NAMES, WHITE

_PGN_COLORS = {"green": "G", "red": "R", "yellow": "Y", "blue": "B"}


@dataclasses.dataclass(frozen=True)
class Arrow:
    """An arrow between two squares; a circle if they are equal.

    Its color is green, red, yellow, blue, or any color of CSS.
    """

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
    color, name = COLOR_NAMES[piece.color], PIECE_NAMES[piece.piece_type]
    svg = svg.replace("</defs>", f'</defs><g id="{color}-{name}" class="{color} {name}">', 1)
    svg = svg.replace("</svg>", "</g></svg>", 1)
    return _Svg(svg.replace('width="45" height="45"', f'width="{size}" height="{size}"', 1) if size else svg)


#: What the colors of a board are called in ``colors``, and what they are by default.
_COLORS = {
    "square light": "#efe9dc",
    "square dark": "#8fa3a3",
    "margin": "#46555a",
    "coord": "#dfe3dc",
    "arrow green": "#2f8f4e",
    "arrow red": "#c23b32",
    "arrow yellow": "#e0a010",
    "arrow blue": "#2a6fb5",
}


def board(
    board: Any = None,
    *,
    orientation: bool = WHITE,
    lastmove: Optional[Move] = None,
    check: Optional[int] = None,
    arrows: Iterable[Union[Arrow, Tuple[int, int]]] = (),
    fill: Mapping[int, str] = MappingProxyType({}),
    squares: Any = None,
    size: Optional[int] = None,
    coordinates: bool = True,
    colors: Mapping[str, str] = MappingProxyType({}),
    flipped: bool = False,
    borders: bool = False,
    style: Optional[str] = None,
) -> str:
    """A board with its pieces, last move, check, filled and tinted squares, and arrows.

    The arguments are those of python-chess. ``colors`` replaces the colors ``square light``, ``square dark``,
    ``square light lastmove``, ``square dark lastmove``, ``margin``, ``coord``, ``outer border`` and those of arrows
    (``arrow green`` and so on); others have no counterpart. ``style`` is CSS.

    >>> from tabiya import chess
    >>> from tabiya.chess import svg
    >>> picture = svg.board(chess.Board(), arrows=[svg.Arrow(chess.E2, chess.E4, color="blue")], size=350)
    >>> picture.startswith("<svg ")
    True
    """
    if board is not None and not isinstance(board, _tabiya.Board):
        board = BaseBoard(board.board_fen())
    orientation = bool(orientation) != bool(flipped)
    filled = dict(fill)
    if lastmove:
        for square in (lastmove.from_square, lastmove.to_square):
            name = f"square {_shade(square)} lastmove"
            if name in colors:
                filled.setdefault(square, colors[name])
    svg = _tabiya.board_svg(
        board,
        orientation=orientation,
        lastmove=None if not lastmove else (lastmove.from_square, lastmove.to_square),
        check=check,
        arrows=[],
        squares=0 if squares is None else squares,
        size=400 if size is None else size,
        coordinates=coordinates,
    )
    # The description names pieces as python-chess does: "white bishop".
    svg = re.sub("<desc>.*?</desc>", lambda found: found.group().lower(), svg, count=1)
    if colors:
        own = {default: html.escape(colors[name]) for name, default in _COLORS.items() if name in colors}
        for default, color in own.items():
            svg = svg.replace(f'"{default}"', f'"{color}"')
    if filled:
        corners = ((_corner(square, orientation), color) for square, color in filled.items())
        rects = "".join(
            f'<rect x="{x}" y="{y}" width="100" height="100" fill="{html.escape(color)}"/>' for (x, y), color in corners
        )
        start = svg.index('<g shape-rendering="crispEdges">')
        end = svg.index("</g>", start)
        svg = svg[:end] + rects + svg[end:]
    if style:
        svg = svg.replace("</title>", f"</title><style>{html.escape(style, quote=False)}</style>", 1)
    drawn = "".join(_arrow(arrow, orientation, colors) for arrow in arrows)
    if borders:
        stroke = html.escape(colors.get("outer border", "#111111"))
        drawn += f'<rect width="800" height="800" fill="none" stroke="{stroke}" stroke-width="4"/>'
    return _Svg(svg.replace("</svg>", drawn + "</svg>"))


def _shade(square: int) -> str:
    return "dark" if (square + square // 8) % 2 == 0 else "light"


def _corner(square: int, orientation: bool) -> Tuple[int, int]:
    """The upper left corner of a square, each of which is 100 wide."""
    if not 0 <= square < 64:
        raise ValueError(f"{square} is not a square from 0 to 63")
    file, rank = square % 8, square // 8
    return (100 * file, 100 * (7 - rank)) if orientation else (100 * (7 - file), 100 * rank)


def _arrow(arrow: Union[Arrow, Tuple[int, int]], orientation: bool, colors: Mapping[str, str]) -> str:
    """A line with a head; a circle if the arrow ends where it begins."""
    tail, head, color = (arrow.tail, arrow.head, arrow.color) if isinstance(arrow, Arrow) else (*arrow, "green")
    name = f"arrow {color}"
    paint = html.escape(colors.get(name, _COLORS.get(name, color)))
    (x1, y1), (x2, y2) = ((x + 50, y + 50) for x, y in (_corner(tail, orientation), _corner(head, orientation)))
    if tail == head:
        return (
            f'<circle cx="{x1}" cy="{y1}" r="45.5" fill="none" stroke="{paint}" stroke-width="6" opacity=".75"'
            ' class="circle"/>'
        )
    length = math.hypot(x2 - x1, y2 - y1)
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    base_x, base_y = x2 - 36 * along_x, y2 - 36 * along_y
    points = [(x2, y2)] + [(base_x - side * along_y, base_y + side * along_x) for side in (18, -18)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<g opacity=".75" class="arrow"><line x1="{x1 + 15 * along_x:.1f}" y1="{y1 + 15 * along_y:.1f}"'
        f' x2="{base_x:.1f}" y2="{base_y:.1f}" stroke="{paint}" stroke-width="14"/>'
        f'<polygon points="{corners}" fill="{paint}"/></g>'
    )
