"""The tree of a game: `Game` is its root, every other node a `ChildNode` with its move."""

from typing import Any, Callable, Generic, Iterable, Iterator, List, Mapping, Optional, Set, TypeVar, Union

from ..._tabiya import Move
from .._board import Board
from .._squares import STARTING_FEN
from ._annotations import Annotations
from ._headers import Headers
from ._time_control import TimeControl, parse_time_control
from ._visitors import SKIP, BaseVisitor, GameBuilder, StringExporter

T = TypeVar("T")


class GameNode(Annotations):
    """A position of a game: a move, comments and the continuations."""

    parent: Optional["GameNode"]
    move: Optional[Move]
    variations: List["ChildNode"]
    comment: str
    starting_comment: str
    nags: Set[int]

    def __init__(self, *, comment: str = "") -> None:
        self.parent = None
        self.move = None
        self.variations = []
        self.comment = comment
        self.starting_comment = ""
        self.nags = set()

    def _moves(self) -> List[Move]:
        moves: List[Move] = []
        node: GameNode = self
        while isinstance(node, ChildNode):
            moves.append(node.move)
            node = node.parent
        moves.reverse()
        return moves

    def board(self) -> Board:
        """A board with the position of the node and the moves that lead to it."""
        board = self.root().board()
        for move in self._moves():
            board.push(move)
        return board

    def ply(self) -> int:
        """The number of plies up to the node, those before the start of the game included."""
        return self.root().ply() + len(self._moves())

    def turn(self) -> bool:
        """The side to move."""
        return self.ply() % 2 == 0

    def root(self) -> "GameNode":
        """The first node of the tree."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def game(self) -> "Game":
        """The game. Raises TypeError if the root is no `Game`."""
        root = self.root()
        if not isinstance(root, Game):
            raise TypeError("the node does not belong to a Game")
        return root

    def end(self) -> "GameNode":
        """The last node of the main line from here."""
        node = self
        while node.variations:
            node = node.variations[0]
        return node

    def is_end(self) -> bool:
        """Whether there is no continuation."""
        return not self.variations

    def starts_variation(self) -> bool:
        """Whether the node is the first of a sideline."""
        return self.parent is not None and bool(self.parent.variations) and self.parent.variations[0] is not self

    def is_mainline(self) -> bool:
        """Whether the node is on the main line of the game."""
        node = self
        while node.parent is not None:
            if node.parent.variations[0] is not node:
                return False
            node = node.parent
        return True

    def is_main_variation(self) -> bool:
        """Whether the node is the first continuation of its parent."""
        return self.parent is None or (bool(self.parent.variations) and self.parent.variations[0] is self)

    def _index(self, key: Union[int, Move, "GameNode"]) -> int:
        if isinstance(key, int):
            return range(len(self.variations))[key]
        for index, node in enumerate(self.variations):
            if node is key or node.move == key:
                return index
        raise KeyError(key)

    def __getitem__(self, move: Union[int, Move, "GameNode"]) -> "ChildNode":
        return self.variations[self._index(move)]

    def variation(self, move: Union[int, Move, "GameNode"]) -> "ChildNode":
        """The continuation with this move or index."""
        return self[move]

    def __contains__(self, move: Union[int, Move, "GameNode"]) -> bool:
        try:
            self._index(move)
        except (KeyError, IndexError):
            return False
        return True

    def has_variation(self, move: Union[int, Move, "GameNode"]) -> bool:
        """Whether there is a continuation with this move or index."""
        return move in self

    def promote_to_main(self, move: Union[int, Move, "GameNode"]) -> None:
        """Makes a continuation the first."""
        self.variations.insert(0, self.variations.pop(self._index(move)))

    def promote(self, move: Union[int, Move, "GameNode"]) -> None:
        """Moves a continuation one place forward."""
        index = self._index(move)
        if index > 0:
            self.variations.insert(index - 1, self.variations.pop(index))

    def demote(self, move: Union[int, Move, "GameNode"]) -> None:
        """Moves a continuation one place back."""
        index = self._index(move)
        self.variations.insert(index + 1, self.variations.pop(index))

    def remove_variation(self, move: Union[int, Move, "GameNode"]) -> None:
        """Removes a continuation."""
        del self.variations[self._index(move)]

    def add_variation(
        self, move: Move, *, comment: str = "", starting_comment: str = "", nags: Iterable[int] = ()
    ) -> "ChildNode":
        """Adds a continuation and returns its node."""
        return ChildNode(self, move, comment=comment, starting_comment=starting_comment, nags=nags)

    def add_main_variation(self, move: Move, *, comment: str = "", nags: Iterable[int] = ()) -> "ChildNode":
        """Adds a continuation as the first and returns its node."""
        node = self.add_variation(move, comment=comment, nags=nags)
        self.variations.insert(0, self.variations.pop())
        return node

    def add_line(
        self, moves: Iterable[Move], *, comment: str = "", starting_comment: str = "", nags: Iterable[int] = ()
    ) -> "GameNode":
        """Adds a line of moves and returns its last node, which gets the comment and the NAGs."""
        node = self
        for move in moves:
            node = node.add_variation(move, starting_comment=starting_comment)
            starting_comment = ""
        node.comment = f"{node.comment} {comment}".strip() if comment else node.comment
        node.nags.update(nags)
        return node

    def next(self) -> Optional["ChildNode"]:
        """The first continuation, or None."""
        return self.variations[0] if self.variations else None

    def mainline(self) -> "Mainline[ChildNode]":
        """The nodes of the main line after this one."""
        return Mainline(self, lambda node: node)

    def mainline_moves(self) -> "Mainline[Move]":
        """The moves of the main line after this node."""
        return Mainline(self, lambda node: node.move)

    def accept_subgame(self, visitor: BaseVisitor) -> Any:
        """Shows a visitor the game that starts at this node."""
        if visitor.begin_game() is not SKIP:
            game, board = self.game(), self.board()
            root = board.copy(stack=False)
            headers = game.headers.copy()
            headers["FEN"], headers["SetUp"] = root.fen(), "1"
            _show_headers(headers, visitor)
            if visitor.end_headers() is not SKIP:
                visitor.visit_board(root)
                _show_continuations(self, root, visitor)
                visitor.visit_result(headers.get("Result", "*"))
        visitor.end_game()
        return visitor.result()

    def accept(self, visitor: BaseVisitor) -> Any:
        """Shows a visitor the move of the node and what follows, in the order of PGN."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.accept(StringExporter(columns=None))


def _show_headers(headers: Headers, visitor: BaseVisitor) -> None:
    visitor.begin_headers()
    for name, value in headers.items():
        visitor.visit_header(name, value)


def _show_node(node: "ChildNode", board: Board, visitor: BaseVisitor) -> None:
    if node.starting_comment:
        visitor.visit_comment(node.starting_comment)
    visitor.visit_move(board, node.move)
    board.push(node.move)
    visitor.visit_board(board)
    for nag in sorted(node.nags):
        visitor.visit_nag(nag)
    if node.comment:
        visitor.visit_comment(node.comment)


def _show_continuations(parent: GameNode, board: Board, visitor: BaseVisitor) -> None:
    """Follows the main line in a loop, so that only nested sidelines need recursion."""
    node, plies = parent, 0
    while node.variations:
        main, *sidelines = node.variations
        _show_node(main, board, visitor)
        for sideline in sidelines:
            board.pop()
            if visitor.begin_variation() is not SKIP:
                _show_node(sideline, board, visitor)
                _show_continuations(sideline, board, visitor)
                board.pop()
            visitor.end_variation()
            board.push(main.move)
        node, plies = main, plies + 1
    for _ in range(plies):
        board.pop()


class ChildNode(GameNode):
    """A node with a move."""

    parent: GameNode
    move: Move

    def __init__(
        self,
        parent: GameNode,
        move: Move,
        *,
        comment: str = "",
        starting_comment: str = "",
        nags: Iterable[int] = (),
    ) -> None:
        super().__init__(comment=comment)
        self.parent = parent
        self.move = move
        parent.variations.append(self)
        self.starting_comment = starting_comment
        self.nags = set(nags)

    def san(self) -> str:
        """The move in standard algebraic notation."""
        return self.parent.board().san(self.move)

    def uci(self, *, chess960: Optional[bool] = None) -> str:
        """The move in UCI notation."""
        return self.parent.board().uci(self.move, chess960=chess960)

    def accept(self, visitor: BaseVisitor) -> Any:
        board = self.parent.board()
        _show_node(self, board, visitor)
        _show_continuations(self, board, visitor)
        return visitor.result()

    def __repr__(self) -> str:
        try:
            board = self.parent.board()
            dots = "." if board.turn else "..."
            return f"<{type(self).__name__} ({board.fullmove_number}{dots} {board.san(self.move)} …)>"
        except ValueError:
            return f"<{type(self).__name__} ({self.move})>"


class Game(GameNode):
    """The root of a game: the tag pairs and the starting position."""

    headers: Headers
    errors: List[Exception]

    def __init__(self, headers: Optional[Mapping[str, str]] = None) -> None:
        super().__init__()
        self.headers = headers if isinstance(headers, Headers) else Headers(None if headers is None else dict(headers))
        self.errors = []

    def board(self) -> Board:
        return self.headers.board()

    def ply(self) -> int:
        return self.board().ply() if "FEN" in self.headers else 0

    def setup(self, board: Union[Board, str]) -> None:
        """Sets the starting position and the tags FEN, SetUp and Variant."""
        if isinstance(board, str):
            board = Board(board, chess960=self.headers.is_chess960())
        board.chess960 = board.chess960 or board.has_chess960_castling_rights()
        fen = board.fen()
        if fen == STARTING_FEN:
            self.headers.pop("FEN", None)
            self.headers.pop("SetUp", None)
        else:
            self.headers["FEN"], self.headers["SetUp"] = fen, "1"
        if board.chess960 and fen != STARTING_FEN:
            self.headers["Variant"] = "Chess960"
        else:
            self.headers.pop("Variant", None)

    def accept(self, visitor: BaseVisitor) -> Any:
        if visitor.begin_game() is not SKIP:
            _show_headers(self.headers, visitor)
            if visitor.end_headers() is not SKIP:
                board = self.board()
                visitor.visit_board(board)
                if self.comment:
                    visitor.visit_comment(self.comment)
                _show_continuations(self, board, visitor)
                visitor.visit_result(self.headers.get("Result", "*"))
        visitor.end_game()
        return visitor.result()

    def time_control(self) -> TimeControl:
        """The tag TimeControl."""
        return parse_time_control(self.headers.get("TimeControl", ""))

    @classmethod
    def from_board(cls, board: Board) -> "Game":
        """The game of the history of a board."""
        game = cls()
        game.setup(board.root())
        game.add_line(board.move_stack)
        game.headers["Result"] = board.result()
        return game

    @classmethod
    def without_tag_roster(cls) -> "Game":
        """A game without tag pairs."""
        return cls(headers=Headers({}))

    @classmethod
    def builder(cls) -> GameBuilder:
        """A visitor that builds games of this class."""
        return GameBuilder(Game=cls)

    def __repr__(self) -> str:
        pairs = [self.headers.get(name, "?") for name in ("White", "Black", "Date")]
        return f"<{type(self).__name__} ({pairs[0]!r} vs. {pairs[1]!r}, {pairs[2]!r})>"


class Mainline(Generic[T]):
    """The nodes or moves of a main line: iterable in both directions."""

    def __init__(self, start: GameNode, f: Callable[[ChildNode], T]) -> None:
        self.start, self.f = start, f

    def __bool__(self) -> bool:
        return bool(self.start.variations)

    def __iter__(self) -> Iterator[T]:
        node = self.start
        while node.variations:
            node = node.variations[0]
            yield self.f(node)

    def __reversed__(self) -> Iterator[T]:
        return iter(list(self)[::-1])

    def accept(self, visitor: BaseVisitor) -> Any:
        """Shows a visitor the moves of the line."""
        board, node = self.start.board(), self.start
        while node.variations:
            node = node.variations[0]
            visitor.visit_move(board, node.move)
            board.push(node.move)
            visitor.visit_board(board)
        return visitor.result()

    def __str__(self) -> str:
        return self.accept(StringExporter(columns=None))

    def __repr__(self) -> str:
        return f"<Mainline ({self})>"
