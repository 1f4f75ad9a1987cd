"""``Board`` and ``BaseBoard``: what the compiled class has, and the conveniences around it."""

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Tuple, Type

from .. import _tabiya
from .._tabiya import Move, Piece
from . import _epd
from ._outcome import Outcome, Status, Termination
from ._squares import (
    BB_SQUARES,
    BLACK,
    FILE_NAMES,
    RANK_NAMES,
    STARTING_BOARD_FEN,
    STARTING_FEN,
    WHITE,
    flip_vertical,
    msb,
    square,
)


def _text(board: Any, empty_square: str, symbol: Callable[[Piece], str], borders: bool, orientation: bool) -> str:
    ranks = range(7, -1, -1) if orientation else range(8)
    files = range(8) if orientation else range(7, -1, -1)
    rule = "  " + "-" * 17
    lines = [rule] if borders else []
    for rank in ranks:
        pieces = (board.piece_at(square(file, rank)) for file in files)
        cells = [symbol(piece) if piece else empty_square for piece in pieces]
        if borders:
            lines += [f"{RANK_NAMES[rank]} |" + "|".join(cells) + "|", rule]
        else:
            lines.append(" ".join(cells))
    if borders:
        lines.append("   " + " ".join(FILE_NAMES[file] for file in files))
    return "\n".join(lines)


class _Pictures:
    """Boards as text and as SVG."""

    __slots__ = ()

    if TYPE_CHECKING:

        def piece_map(self, *, mask: Any = ...) -> Dict[int, Piece]: ...

    def __str__(self) -> str:
        return _text(self, ".", Piece.symbol, False, WHITE)

    def unicode(
        self,
        *,
        invert_color: bool = False,
        borders: bool = False,
        empty_square: str = "⭘",
        orientation: bool = WHITE,
    ) -> str:
        """The board as text with figurines."""
        return _text(self, empty_square, lambda piece: piece.unicode_symbol(invert_color=invert_color), borders, orientation)

    def _mapped(self, f: Callable[[int], int], piece: Callable[[Piece], Piece] = lambda piece: piece) -> Dict[int, Piece]:
        return {msb(f(BB_SQUARES[at])): piece(found) for at, found in self.piece_map().items()}

    def _repr_svg_(self) -> str:
        from . import svg

        return svg.board(self, size=390)


class BaseBoard(_Pictures, _tabiya.Board):
    """Pieces on squares, without side to move or history."""

    __slots__ = ()

    def __new__(cls, board_fen: Optional[str] = STARTING_BOARD_FEN) -> "BaseBoard":
        board = super().__new__(cls, None)  # type: ignore[call-arg]
        if board_fen is not None:
            board.set_board_fen(board_fen)
        return board

    @classmethod
    def from_chess960_pos(cls, scharnagl: int) -> "BaseBoard":
        """A Chess960 start position by its number."""
        board = cls.empty()
        board.set_chess960_pos(scharnagl)
        return board

    def transform(self, f: Callable[[int], int]) -> "BaseBoard":
        """A copy with every set of squares mapped by f, such as ``flip_vertical``."""
        board = self.copy()
        board.apply_transform(f)
        return board

    def apply_transform(self, f: Callable[[int], int]) -> None:
        """Maps every set of squares by f."""
        self.set_piece_map(self._mapped(f))

    def mirror(self) -> "BaseBoard":
        """A copy with ranks reversed and colors swapped."""
        board = self.copy()
        board.apply_mirror()
        return board

    def apply_mirror(self) -> None:
        """Reverses ranks and swaps colors."""
        self.set_piece_map(self._mapped(flip_vertical, lambda piece: Piece(piece.piece_type, not piece.color)))

    def __eq__(self, board: object) -> bool:
        return isinstance(board, _tabiya.Board) and self.board_fen(promoted=True) == board.board_fen(promoted=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.board_fen()!r})"


class Board(_Pictures, _tabiya.Board):
    """A position with its history.

    >>> from tabiya import chess
    >>> board = chess.Board()
    >>> for san in ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6"]:
    ...     move = board.push_san(san)
    >>> board.san(chess.Move.from_uci("h5f7"))
    'Qxf7#'
    >>> board.push_san("Qxf7#")
    Move.from_uci('h5f7')
    >>> board.is_checkmate(), board.outcome().result()
    (True, '1-0')

    The constructor takes a FEN (None for an empty board). Illegal positions are allowed; see `status`.
    `move_stack` is a copy: change the history by `push` and `pop`.
    """

    uci_variant = "chess"
    xboard_variant = "normal"
    aliases = ["Standard", "Chess", "Classical", "Normal", "Illegal", "From Position"]
    starting_fen = STARTING_FEN

    def ply(self) -> int:
        """The number of plies since the start of the game, by move number and side to move."""
        return 2 * (self.fullmove_number - 1) + (self.turn == BLACK)

    def root(self) -> "Board":
        """A copy of the position before the first move of the history."""
        board = self.copy(stack=False)
        board._set_root(self)
        return board

    def status(self) -> Status:
        """What is wrong with the position; `Status.VALID` if nothing is."""
        return Status(self._status())

    def is_valid(self) -> bool:
        """Whether nothing is wrong with the position."""
        return self._status() == 0

    def is_variant_end(self) -> bool:
        """Whether a variant's own rule has ended the game: never in chess."""
        return False

    is_variant_win = is_variant_loss = is_variant_draw = is_variant_end

    def outcome(self, *, claim_draw: bool = False) -> Optional[Outcome]:
        """How the game has ended, or None. Draws that need a claim count only with ``claim_draw``."""
        if self.is_checkmate():
            return Outcome(Termination.CHECKMATE, not self.turn)
        draws = [
            (self.is_insufficient_material, Termination.INSUFFICIENT_MATERIAL),
            (self.is_stalemate, Termination.STALEMATE),
            (self.is_seventyfive_moves, Termination.SEVENTYFIVE_MOVES),
            (self.is_fivefold_repetition, Termination.FIVEFOLD_REPETITION),
        ]
        if claim_draw:
            draws += [
                (self.can_claim_fifty_moves, Termination.FIFTY_MOVES),
                (self.can_claim_threefold_repetition, Termination.THREEFOLD_REPETITION),
            ]
        return next((Outcome(why, None) for holds, why in draws if holds()), None)

    def is_game_over(self, *, claim_draw: bool = False) -> bool:
        """Whether the game has ended."""
        return self.outcome(claim_draw=claim_draw) is not None

    def result(self, *, claim_draw: bool = False) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` if the game is not over."""
        outcome = self.outcome(claim_draw=claim_draw)
        return outcome.result() if outcome else "*"

    def can_claim_draw(self) -> bool:
        """Whether a draw by fifty moves or threefold repetition can be claimed."""
        return self.can_claim_fifty_moves() or self.can_claim_threefold_repetition()

    def shredder_fen(self, *, en_passant: str = "legal", promoted: Optional[bool] = None) -> str:
        """The FEN with castling rights as files of rooks."""
        return self.fen(shredder=True, en_passant=en_passant, promoted=promoted)

    def castling_xfen(self) -> str:
        """The castling rights as in a FEN."""
        return self.fen().split(" ")[2]

    def castling_shredder_fen(self) -> str:
        """The castling rights as files of rooks."""
        return self.shredder_fen().split(" ")[2]

    def set_castling_fen(self, castling_fen: str) -> None:
        """Sets the castling rights of a FEN, such as ``KQkq``, and clears the history."""
        fields = [self.board_fen(), "w", castling_fen or "-", "-", "0", "1"]
        self.castling_rights = Board(" ".join(fields)).castling_rights
        self.clear_stack()

    def epd(
        self, *, shredder: bool = False, en_passant: str = "legal", promoted: Optional[bool] = None, **operations: Any
    ) -> str:
        """The first four fields of the FEN, and operations: numbers, strings, moves, or None.

        >>> Board().epd(id="start", ce=30)
        'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "start"; ce 30;'
        """
        fen = self.fen(shredder=shredder, en_passant=en_passant, promoted=promoted)
        position = " ".join(fen.split(" ")[:4])
        return f"{position} {_epd.write_operations(self, operations)}" if operations else position

    def set_epd(self, epd: str) -> Dict[str, Any]:
        """Sets the position of an EPD and returns its operations; ``hmvc`` and ``fmvn`` set the clocks."""
        parts = epd.strip().rstrip(";").split(None, 4)
        if not parts:
            raise ValueError("the EPD is empty")
        self.set_fen(" ".join(parts[:4]))
        operations = _epd.parse_operations(parts[4], self) if len(parts) == 5 else {}
        self.halfmove_clock = operations.get("hmvc", self.halfmove_clock)
        self.fullmove_number = operations.get("fmvn", self.fullmove_number)
        return operations

    @classmethod
    def from_epd(cls, epd: str, *, chess960: bool = False) -> Tuple["Board", Dict[str, Any]]:
        """The board and the operations of an EPD."""
        board = cls.empty()
        board.chess960 = chess960
        return board, board.set_epd(epd)

    @classmethod
    def from_chess960_pos(cls, scharnagl: int) -> "Board":
        """A Chess960 start position by its number from 0 to 959."""
        board = cls.empty()
        board.set_chess960_pos(scharnagl)
        return board

    def xboard(self, move: Move, chess960: Optional[bool] = None) -> str:
        """A move in the notation of the XBoard protocol."""
        chess960 = self.chess960 if chess960 is None else chess960
        if chess960 and self.is_castling(move):
            return "O-O" if move.to_square > move.from_square else "O-O-O"
        return move.xboard()

    def parse_xboard(self, xboard: str) -> Move:
        """Parses a legal move as engines of the XBoard protocol write it."""
        return self.parse_san(xboard)

    def push_xboard(self, san: str) -> Move:
        """Parses and makes a move as engines of the XBoard protocol write it."""
        move = self.parse_xboard(san)
        self.push(move)
        return move

    def has_chess960_castling_rights(self) -> bool:
        """Whether there are castling rights that only exist in Chess960."""
        everything = self.copy(stack=False)
        everything.chess960 = True
        rights = everything.clean_castling_rights()
        everything.chess960 = False
        return rights != everything.clean_castling_rights()

    def transform(self, f: Callable[[int], int]) -> "Board":
        """A copy without history, with every set of squares mapped by f, such as ``flip_vertical``."""
        board = self.copy(stack=False)
        board.apply_transform(f)
        return board

    def apply_transform(self, f: Callable[[int], int]) -> None:
        """Maps every set of squares by f and clears the history."""
        self._transform(f, self._mapped(f))

    def mirror(self) -> "Board":
        """A copy without history, with ranks reversed and colors and sides swapped."""
        board = self.copy(stack=False)
        board.apply_mirror()
        return board

    def apply_mirror(self) -> None:
        """Reverses ranks, swaps colors and the side to move, and clears the history."""
        self._transform(flip_vertical, self._mapped(flip_vertical, lambda p: Piece(p.piece_type, not p.color)))
        self.turn = not self.turn

    def _transform(self, f: Callable[[int], int], pieces: Dict[int, Piece]) -> None:
        promoted, castling, passed = f(self.promoted), f(self.castling_rights), self.ep_square
        self.set_piece_map(pieces)
        self.promoted, self.castling_rights = promoted, castling
        self.ep_square = None if passed is None else msb(f(BB_SQUARES[passed]))

    def _repr_svg_(self) -> str:
        from . import svg

        last = self.peek() if self._stack_size() else None
        check = self.king(self.turn) if self.is_check() else None
        return svg.board(self, size=390, lastmove=last, check=check)

    def __repr__(self) -> str:
        chess960 = ", chess960=True" if self.chess960 else ""
        return f"{type(self).__name__}({self.fen()!r}{chess960})"

    def __reduce__(self) -> Tuple[Any, ...]:
        fen = self.root().fen(en_passant="fen", promoted=True)
        return _restored, (type(self), fen, self.chess960, [move.uci() for move in self.move_stack])

    __eq__ = _tabiya.Board.__eq__
    __hash__ = None  # type: ignore[assignment]


def _restored(cls: Type[Board], fen: str, chess960: bool, moves: Iterable[str]) -> Board:
    board = cls(fen, chess960=chess960)
    for uci in moves:
        board.push(Move.from_uci(uci))
    return board
