"""Constants of squares and pieces, and functions on 64-bit sets of squares."""

from typing import Callable, Dict, Iterator, List, Optional, Tuple

from .. import _tabiya

Color = bool
PieceType = int
Square = int
Bitboard = int

COLORS = [WHITE, BLACK] = [True, False]
COLOR_NAMES = ["black", "white"]

PIECE_TYPES = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING] = range(1, 7)
PIECE_SYMBOLS: List[Optional[str]] = [None, "p", "n", "b", "r", "q", "k"]
PIECE_NAMES: List[Optional[str]] = [None, "pawn", "knight", "bishop", "rook", "queen", "king"]
UNICODE_PIECE_SYMBOLS: Dict[str, str] = dict(zip("RNBQKPrnbqkp", "♖♘♗♕♔♙♜♞♝♛♚♟"))

FILE_NAMES = list("abcdefgh")
RANK_NAMES = list("12345678")
SQUARES = range(64)
SQUARE_NAMES = [file + rank for rank in RANK_NAMES for file in FILE_NAMES]

STARTING_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
STARTING_BOARD_FEN = STARTING_FEN.split()[0]

BB_EMPTY: Bitboard = 0
BB_ALL: Bitboard = 0xFFFF_FFFF_FFFF_FFFF
BB_SQUARES: List[Bitboard] = [1 << square for square in SQUARES]
BB_FILES: List[Bitboard] = [0x0101_0101_0101_0101 << file for file in range(8)]
BB_RANKS: List[Bitboard] = [0xFF << (8 * rank) for rank in range(8)]

A1, B1, C1, D1, E1, F1, G1, H1 = SQUARES[0:8]
A2, B2, C2, D2, E2, F2, G2, H2 = SQUARES[8:16]
A3, B3, C3, D3, E3, F3, G3, H3 = SQUARES[16:24]
A4, B4, C4, D4, E4, F4, G4, H4 = SQUARES[24:32]
A5, B5, C5, D5, E5, F5, G5, H5 = SQUARES[32:40]
A6, B6, C6, D6, E6, F6, G6, H6 = SQUARES[40:48]
A7, B7, C7, D7, E7, F7, G7, H7 = SQUARES[48:56]
A8, B8, C8, D8, E8, F8, G8, H8 = SQUARES[56:64]
BB_A1, BB_B1, BB_C1, BB_D1, BB_E1, BB_F1, BB_G1, BB_H1 = BB_SQUARES[0:8]
BB_A2, BB_B2, BB_C2, BB_D2, BB_E2, BB_F2, BB_G2, BB_H2 = BB_SQUARES[8:16]
BB_A3, BB_B3, BB_C3, BB_D3, BB_E3, BB_F3, BB_G3, BB_H3 = BB_SQUARES[16:24]
BB_A4, BB_B4, BB_C4, BB_D4, BB_E4, BB_F4, BB_G4, BB_H4 = BB_SQUARES[24:32]
BB_A5, BB_B5, BB_C5, BB_D5, BB_E5, BB_F5, BB_G5, BB_H5 = BB_SQUARES[32:40]
BB_A6, BB_B6, BB_C6, BB_D6, BB_E6, BB_F6, BB_G6, BB_H6 = BB_SQUARES[40:48]
BB_A7, BB_B7, BB_C7, BB_D7, BB_E7, BB_F7, BB_G7, BB_H7 = BB_SQUARES[48:56]
BB_A8, BB_B8, BB_C8, BB_D8, BB_E8, BB_F8, BB_G8, BB_H8 = BB_SQUARES[56:64]
BB_FILE_A, BB_FILE_B, BB_FILE_C, BB_FILE_D, BB_FILE_E, BB_FILE_F, BB_FILE_G, BB_FILE_H = BB_FILES
BB_RANK_1, BB_RANK_2, BB_RANK_3, BB_RANK_4, BB_RANK_5, BB_RANK_6, BB_RANK_7, BB_RANK_8 = BB_RANKS

BB_LIGHT_SQUARES: Bitboard = 0x55AA_55AA_55AA_55AA
BB_DARK_SQUARES: Bitboard = 0xAA55_AA55_AA55_AA55
BB_BACKRANKS: Bitboard = BB_RANKS[0] | BB_RANKS[7]
BB_CORNERS: Bitboard = 0x8100_0000_0000_0081
BB_CENTER: Bitboard = 0x0000_0018_1800_0000

BB_KNIGHT_ATTACKS: List[Bitboard]
BB_KING_ATTACKS: List[Bitboard]
BB_KNIGHT_ATTACKS, BB_KING_ATTACKS, _black_pawn, _white_pawn = _tabiya.attack_tables()
BB_PAWN_ATTACKS: List[List[Bitboard]] = [_black_pawn, _white_pawn]


def piece_symbol(piece_type: PieceType) -> str:
    """The lower-case letter of a piece type."""
    symbol = PIECE_SYMBOLS[piece_type]
    if symbol is None:
        raise ValueError(f"{piece_type!r} is not a piece type from 1 to 6")
    return symbol


def piece_name(piece_type: PieceType) -> str:
    """The English name of a piece type."""
    name = PIECE_NAMES[piece_type]
    if name is None:
        raise ValueError(f"{piece_type!r} is not a piece type from 1 to 6")
    return name


def parse_square(name: str) -> Square:
    """The square of a name such as ``"e4"``. Raises ValueError for anything else.

    >>> parse_square("a1"), parse_square("h8")
    (0, 63)
    """
    return SQUARE_NAMES.index(name)


def square_name(square: Square) -> str:
    """The name of a square."""
    return SQUARE_NAMES[square]


def square(file_index: int, rank_index: int) -> Square:
    """The square of a file and a rank, both from 0 to 7."""
    return rank_index * 8 + file_index


def square_file(square: Square) -> int:
    """The file of a square, 0 for the a-file."""
    return square & 7


def square_rank(square: Square) -> int:
    """The rank of a square, 0 for the first rank."""
    return square >> 3


def square_distance(a: Square, b: Square) -> int:
    """The number of king moves from one square to another."""
    files = abs(square_file(a) - square_file(b))
    return max(files, abs(square_rank(a) - square_rank(b)))


def square_manhattan_distance(a: Square, b: Square) -> int:
    """The number of orthogonal king moves from one square to another."""
    return abs(square_file(a) - square_file(b)) + abs(square_rank(a) - square_rank(b))


def square_knight_distance(a: Square, b: Square) -> int:
    """The number of knight moves from one square to another, on the board."""
    reached, moves = BB_SQUARES[a], 0
    while not reached & BB_SQUARES[b]:
        for origin in scan_forward(reached):
            reached |= BB_KNIGHT_ATTACKS[origin]
        moves += 1
    return moves


def square_mirror(square: Square) -> Square:
    """The square with ranks reversed."""
    return square ^ 0x38


SQUARES_180 = [square_mirror(square) for square in SQUARES]


def lsb(bb: Bitboard) -> int:
    """The lowest square of a set."""
    return (bb & -bb).bit_length() - 1


def msb(bb: Bitboard) -> int:
    """The highest square of a set."""
    return bb.bit_length() - 1


def scan_forward(bb: Bitboard) -> Iterator[Square]:
    """The squares of a set from a1 to h8."""
    while bb:
        lowest = bb & -bb
        yield lowest.bit_length() - 1
        bb ^= lowest


def scan_reversed(bb: Bitboard) -> Iterator[Square]:
    """The squares of a set from h8 to a1."""
    while bb:
        highest = bb.bit_length() - 1
        yield highest
        bb ^= BB_SQUARES[highest]


def popcount(bb: Bitboard) -> int:
    """The number of squares in a set."""
    return bin(bb).count("1")


def flip_vertical(bb: Bitboard) -> Bitboard:
    """The set with ranks reversed."""
    return _moved(bb, lambda file, rank: (file, 7 - rank))


def flip_horizontal(bb: Bitboard) -> Bitboard:
    """The set with files reversed."""
    return _moved(bb, lambda file, rank: (7 - file, rank))


def flip_diagonal(bb: Bitboard) -> Bitboard:
    """The set mirrored at the diagonal from a1 to h8."""
    return _moved(bb, lambda file, rank: (rank, file))


def flip_anti_diagonal(bb: Bitboard) -> Bitboard:
    """The set mirrored at the diagonal from a8 to h1."""
    return _moved(bb, lambda file, rank: (7 - rank, 7 - file))


def _moved(bb: Bitboard, to: Callable[[int, int], Tuple[int, int]]) -> Bitboard:
    return sum(BB_SQUARES[square(*to(origin & 7, origin >> 3))] for origin in scan_forward(int(bb)))


_NOT_A = BB_ALL ^ BB_FILES[0]
_NOT_AB = _NOT_A ^ BB_FILES[1]
_NOT_H = BB_ALL ^ BB_FILES[7]
_NOT_GH = _NOT_H ^ BB_FILES[6]


def shift_down(b: Bitboard) -> Bitboard:
    """The set one rank down."""
    return b >> 8


def shift_2_down(b: Bitboard) -> Bitboard:
    """The set two ranks down."""
    return b >> 16


def shift_up(b: Bitboard) -> Bitboard:
    """The set one rank up."""
    return (b << 8) & BB_ALL


def shift_2_up(b: Bitboard) -> Bitboard:
    """The set two ranks up."""
    return (b << 16) & BB_ALL


def shift_right(b: Bitboard) -> Bitboard:
    """The set one file to the right."""
    return (b & _NOT_H) << 1


def shift_2_right(b: Bitboard) -> Bitboard:
    """The set two files to the right."""
    return (b & _NOT_GH) << 2


def shift_left(b: Bitboard) -> Bitboard:
    """The set one file to the left."""
    return (b & _NOT_A) >> 1


def shift_2_left(b: Bitboard) -> Bitboard:
    """The set two files to the left."""
    return (b & _NOT_AB) >> 2


def shift_up_left(b: Bitboard) -> Bitboard:
    """The set one square up and to the left."""
    return shift_up(shift_left(b))


def shift_up_right(b: Bitboard) -> Bitboard:
    """The set one square up and to the right."""
    return shift_up(shift_right(b))


def shift_down_left(b: Bitboard) -> Bitboard:
    """The set one square down and to the left."""
    return shift_down(shift_left(b))


def shift_down_right(b: Bitboard) -> Bitboard:
    """The set one square down and to the right."""
    return shift_down(shift_right(b))


def ray(a: Square, b: Square) -> Bitboard:
    """The rank, file or diagonal through two squares, from edge to edge; 0 if they share none."""
    return int(_tabiya.SquareSet.ray(a, b))


def between(a: Square, b: Square) -> Bitboard:
    """The squares between two squares of a rank, file or diagonal."""
    return int(_tabiya.SquareSet.between(a, b))
