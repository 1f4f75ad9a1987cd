"""Visitors of games: they build trees, read headers, skip, or write PGN."""

import logging
from typing import Any, Callable, List, Optional, TextIO

from ..._tabiya import Move
from .._board import Board
from . import _headers
from ._headers import Headers

LOGGER = logging.getLogger(__name__)


class _Skip:
    """Returned by a visitor to skip what begins."""

    def __repr__(self) -> str:
        return "SKIP"


SKIP = _Skip()


class BaseVisitor:
    """Receives a game in the order of PGN. All methods may be overridden; these do nothing."""

    def begin_game(self) -> Optional[_Skip]:
        """A game begins."""

    def begin_headers(self) -> Optional[Headers]:
        """The tag pairs begin. May return a mapping that is filled with them."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """A tag pair."""

    def end_headers(self) -> Optional[_Skip]:
        """The tag pairs end. Return SKIP to skip the moves."""

    def begin_parse_san(self, board: Board, san: str) -> Optional[_Skip]:
        """The text of a move. Return SKIP to skip it and the rest of the variation."""

    def parse_san(self, board: Board, san: str) -> Move:
        """The move of a text."""
        return board.parse_san(san)

    def visit_move(self, board: Board, move: Move) -> None:
        """A move, on the board before it."""

    def visit_board(self, board: Board) -> None:
        """The starting position, and the position after each move. The board must not be changed."""

    def visit_comment(self, comment: str) -> None:
        """A comment."""

    def visit_nag(self, nag: int) -> None:
        """A numeric annotation glyph."""

    def begin_variation(self) -> Optional[_Skip]:
        """A variation begins. Return SKIP to skip it."""

    def end_variation(self) -> None:
        """A variation ends."""

    def visit_result(self, result: str) -> None:
        """The result at the end of the moves."""

    def end_game(self) -> None:
        """The game ends."""

    def result(self) -> Any:
        """What the visitor made of the game."""

    def handle_error(self, error: Exception) -> None:
        """A move or header that makes no sense."""
        raise error


class GameBuilder(BaseVisitor):
    """Builds the tree of a game. Errors are logged and kept in ``Game.errors``."""

    def __init__(self, *, Game: Optional[Callable[[], Any]] = None) -> None:
        if Game is None:
            from . import _nodes

            Game = _nodes.Game
        self.Game: Callable[[], Any] = Game

    def begin_game(self) -> None:
        self.game = self.Game()
        self.variation_stack: List[Any] = [self.game]
        self.starting_comment = ""
        self.in_variation = False

    def begin_headers(self) -> Headers:
        return self.game.headers

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.game.headers[tagname] = tagvalue

    def visit_nag(self, nag: int) -> None:
        self.variation_stack[-1].nags.add(nag)

    def begin_variation(self) -> None:
        parent = self.variation_stack[-1].parent
        self.variation_stack.append(parent)
        self.in_variation = False

    def end_variation(self) -> None:
        self.variation_stack.pop()

    def visit_result(self, result: str) -> None:
        if self.game.headers.get("Result", "*") == "*":
            self.game.headers["Result"] = result

    def visit_comment(self, comment: str) -> None:
        node = self.variation_stack[-1]
        if self.in_variation or (node.parent is None and node.is_end()):
            node.comment = f"{node.comment} {comment}".strip(" ") if node.comment else comment
        else:
            self.starting_comment = f"{self.starting_comment} {comment}".strip(" ") if self.starting_comment else comment

    def visit_move(self, board: Board, move: Move) -> None:
        node = self.variation_stack[-1].add_variation(move)
        node.starting_comment = self.starting_comment
        self.variation_stack[-1] = node
        self.starting_comment = ""
        self.in_variation = True

    def handle_error(self, error: Exception) -> None:
        LOGGER.error("%s while parsing %r", error, self.game)
        self.game.errors.append(error)

    def result(self) -> Any:
        return self.game


class HeadersBuilder(BaseVisitor):
    """Reads the tag pairs and skips the moves."""

    def __init__(self, *, Headers: Callable[[], Any] = lambda: Headers({})) -> None:
        self.Headers = Headers

    def begin_headers(self) -> Headers:
        self.headers = self.Headers()
        return self.headers

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.headers[tagname] = tagvalue

    def end_headers(self) -> _Skip:
        return SKIP

    def result(self) -> Headers:
        return self.headers


class BoardBuilder(BaseVisitor):
    """Returns the last position of the main line."""

    def begin_game(self) -> None:
        self.board = Board()

    def begin_variation(self) -> _Skip:
        return SKIP

    def visit_board(self, board: Board) -> None:
        self.board = board

    def result(self) -> Board:
        return self.board.copy()


class SkipVisitor(BaseVisitor):
    """Skips a game and returns True."""

    def end_headers(self) -> _Skip:
        return SKIP

    def begin_variation(self) -> _Skip:
        return SKIP

    def result(self) -> bool:
        return True


class StringExporter(BaseVisitor):
    """Writes PGN to a string, with lines of at most this many columns (None: one line)."""

    def __init__(
        self, *, columns: Optional[int] = 80, headers: bool = True, comments: bool = True, variations: bool = True
    ) -> None:
        self.columns, self.headers, self.comments, self.variations = columns, headers, comments, variations
        self.lines: List[str] = []
        self.line = ""
        self.force_number = True
        self.skipped_depth = 0

    def _token(self, token: str) -> None:
        if self.columns is not None and self.line and len(self.line) + len(token) > self.columns:
            self._flush()
        self.line += token + " "

    def _flush(self) -> None:
        if self.line:
            self._line(self.line.rstrip())
            self.line = ""

    def _line(self, line: str) -> None:
        self.lines.append(line)

    def begin_game(self) -> None:
        self.found_headers = False

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        if self.headers:
            self.found_headers = True
            for line in _headers.text([(tagname, tagvalue)]):
                self._line(line)

    def end_headers(self) -> None:
        if self.found_headers:
            self._line("")

    def begin_variation(self) -> Optional[_Skip]:
        if not self.variations:
            self.skipped_depth += 1
            return SKIP
        self._token("(")
        self.force_number = True
        return None

    def end_variation(self) -> None:
        if self.skipped_depth:
            self.skipped_depth -= 1
            return
        self._token(")")
        self.force_number = True

    def visit_comment(self, comment: str) -> None:
        if self.comments:
            self._token("{ " + comment.replace("}", "").strip() + " }")
            self.force_number = True

    def visit_nag(self, nag: int) -> None:
        if self.comments:
            self._token(f"${nag}")

    def visit_move(self, board: Board, move: Move) -> None:
        if board.turn:
            self._token(f"{board.fullmove_number}.")
        elif self.force_number:
            self._token(f"{board.fullmove_number}...")
        self._token(board.san(move))
        self.force_number = False

    def visit_result(self, result: str) -> None:
        self._token(result)

    def end_game(self) -> None:
        self._flush()

    def result(self) -> str:
        self._flush()
        return "\n".join(self.lines).rstrip()

    def __str__(self) -> str:
        return self.result()


class FileExporter(StringExporter):
    """Writes PGN to a text file, with a blank line after each game."""

    def __init__(
        self,
        handle: TextIO,
        *,
        columns: Optional[int] = 80,
        headers: bool = True,
        comments: bool = True,
        variations: bool = True,
    ) -> None:
        super().__init__(columns=columns, headers=headers, comments=comments, variations=variations)
        self.handle = handle
        self.written = 0

    def begin_game(self) -> None:
        super().begin_game()
        self.written = 0
        self.force_number = True

    def _line(self, line: str) -> None:
        self.written += self.handle.write(line + "\n")

    def end_game(self) -> None:
        self._flush()
        self.written += self.handle.write("\n")

    def result(self) -> int:  # type: ignore[override]
        return self.written

    def __str__(self) -> str:
        return object.__repr__(self)
