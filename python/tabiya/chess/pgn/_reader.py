"""The reader of PGN text, line by line.

A game is tag pairs, at most one blank line among them, and moves up to the next blank line outside a comment. After a
move that is not legal the rest of its variation is skipped. Accepted beyond the standard are moves in UCI and long
algebraic notation, null moves (``--``, ``Z0``), missing results, and unbalanced parentheses.
"""

import re
from typing import Any, Callable, List, Optional, TextIO, Tuple

from .._board import Board
from ._headers import Headers
from ._visitors import SKIP, BaseVisitor, GameBuilder, HeadersBuilder, SkipVisitor

_TAG = re.compile(r'^\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"([^\r\n]*)"\s*\]\s*$')
_TOKEN = re.compile(
    r"""
    (?P<move>(?:[NBKRQP]?[a-h]?[1-8]?[x:-]?[a-h][1-8](?:[=/]?\(?[nbrqkNBRQK]\)?)?|[O0o]-[O0o](?:-[O0o])?|[NBRQK]@[a-h][1-8]
      |--|Z0|0000|@@@@)[+#]*)
    |(?P<result>\*|1-0|0-1|1/2-1/2|½-½)
    |(?P<symbol>[!?]{1,2})
    |\$(?P<nag>[0-9]{1,9})
    |(?P<mark>[{;()])
    """,
    re.VERBOSE,
)
_SYMBOLS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


def read_game(handle: TextIO, *, Visitor: Callable[[], BaseVisitor] = GameBuilder) -> Optional[Any]:
    """Reads the next game of a text file, or None at its end.

    Errors, such as illegal moves, are logged and kept in ``game.errors``. Open files with the encoding of their text.
    """
    lines = _Lines(handle)
    line = lines.next()
    while line and (line.isspace() or line.startswith("%")):
        line = lines.next()
    if not line:
        return None
    visitor = Visitor()
    if visitor.begin_game() is SKIP:
        _Moves(lines, visitor, Board(), skipping=True).read(_after_headers(line, lines, None, None))
    else:
        _read(line, lines, visitor)
    visitor.end_game()
    return visitor.result()


def read_headers(handle: TextIO) -> Optional[Headers]:
    """Reads the tag pairs of the next game and skips its moves; None at the end of the file."""
    return read_game(handle, Visitor=HeadersBuilder)


def skip_game(handle: TextIO) -> bool:
    """Skips the next game; False at the end of the file."""
    return bool(read_game(handle, Visitor=SkipVisitor))


class _Lines:
    """The lines of a file, without a byte order mark before a game."""

    def __init__(self, handle: TextIO) -> None:
        self.handle = handle
        self.first = True

    def next(self) -> str:
        line = self.handle.readline()
        if self.first:
            line, self.first = line.lstrip("\ufeff"), False
        return line


def _after_headers(line: str, lines: _Lines, visitor: Optional[BaseVisitor], headers: Optional[Headers]) -> str:
    """Reads tag pairs and returns the first line after them."""
    blank = 0
    while line:
        if line.isspace():
            blank += 1
            if blank > 1:
                break
        elif not line.startswith("%"):
            match = _TAG.match(line) if line.lstrip().startswith("[") else None
            if not match:
                break
            blank = 0
            name, value = match[1], match[2].replace('\\"', '"').replace("\\\\", "\\")
            if headers is not None:
                headers[name] = value
            if visitor is not None:
                visitor.visit_header(name, value)
        line = lines.next()
    return line


def _read(line: str, lines: _Lines, visitor: BaseVisitor) -> None:
    headers = visitor.begin_headers()
    if headers is None:
        headers = Headers({})
    line = _after_headers(line, lines, visitor, headers)
    if visitor.end_headers() is SKIP:
        _Moves(lines, visitor, Board(), skipping=True).read(line)
        return
    try:
        board = headers.board()
    except ValueError as error:
        visitor.handle_error(error)
        board = Board()
        visitor.visit_board(board)
        _Moves(lines, visitor, board, skipping=True).read(line)
        return
    visitor.visit_board(board)
    _Moves(lines, visitor, board, skipping=False).read(line)


class _Moves:
    """Reads the moves of one game."""

    def __init__(self, lines: _Lines, visitor: BaseVisitor, board: Board, *, skipping: bool) -> None:
        self.lines, self.visitor, self.skipping = lines, visitor, skipping
        self.boards: List[Board] = [board]
        #: The depth of parentheses within a variation that is skipped; 0 if none is.
        self.skipped_depth = 0

    def read(self, line: str) -> None:
        while line and not line.isspace():
            if not line.startswith("%"):
                self._line(line)
            line = self.lines.next()

    def _line(self, line: str) -> None:
        at = 0
        while True:
            match = _TOKEN.search(line, at)
            if not match:
                return
            at = match.end()
            mark = match["mark"]
            if mark == ";":
                return
            if mark == "{":
                line, at = self._comment(line, at)
            elif self.skipping:
                continue
            elif mark == "(":
                self._open()
            elif mark == ")":
                self._close()
            elif self.skipped_depth:
                continue
            elif match["move"]:
                self._move(match["move"])
            elif match["result"]:
                if len(self.boards) == 1:
                    self.visitor.visit_result(match["result"].replace("½-½", "1/2-1/2"))
            else:
                self.visitor.visit_nag(_SYMBOLS.get(match["symbol"], 0) if match["symbol"] else int(match["nag"]))

    def _comment(self, line: str, at: int) -> Tuple[str, int]:
        """Reads a comment, which may go over several lines; returns the line it ends on and where."""
        texts, end = [], line.find("}", at)
        while end < 0:
            texts.append(line[at:])
            line, at = self.lines.next(), 0
            if not line:
                line, end = "", 0
                break
            end = line.find("}")
        texts.append(line[at:end])
        if not self.skipping and not self.skipped_depth:
            text = "".join(texts)
            text = text[1:] if text.startswith(" ") else text
            self.visitor.visit_comment(text[:-1] if text.endswith(" ") else text)
        return line, end + 1

    def _open(self) -> None:
        if self.skipped_depth:
            self.skipped_depth += 1
        elif self.boards[-1]._stack_size() > 0:
            if self.visitor.begin_variation() is SKIP:
                self.skipped_depth = 1
            board = self.boards[-1].copy()
            board.pop()
            self.boards.append(board)

    def _close(self) -> None:
        if self.skipped_depth > 1:
            self.skipped_depth -= 1
        elif len(self.boards) > 1:
            self.skipped_depth = 0
            self.visitor.end_variation()
            self.boards.pop()

    def _move(self, san: str) -> None:
        board, visitor = self.boards[-1], self.visitor
        if visitor.begin_parse_san(board, san) is SKIP:
            self.skipped_depth = 1
            return
        try:
            move = visitor.parse_san(board, san)
        except ValueError as error:
            visitor.handle_error(error)
            self.skipped_depth = 1
            return
        visitor.visit_move(board, move)
        board.push(move)
        visitor.visit_board(board)
