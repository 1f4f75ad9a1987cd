"""Bitboards ``[2, 6, 64]``, Black first, and the 768 features of single positions.

>>> from tabiya import chess
>>> from tabiya.features import BitboardFeatures
>>> bitboards = BitboardFeatures.board_to_bitmap(chess.Board())
>>> bitboards.shape, int(bitboards[BitboardFeatures.BLACK][BitboardFeatures.PAWN].sum())
((2, 6, 64), 8)

Boards are those of `tabiya.chess` or of python-chess. Results are NumPy arrays, and tensors in a program that has
imported torch (`as_tensors` sets it). For many positions at once, `tabiya.batch.features` is a thousand times faster.
"""

import sys
from typing import Any, Dict, Optional

import numpy as np

from . import _tabiya

__all__ = ["BitboardFeatures", "as_tensors", "convert_old_order"]

_tensors: Optional[bool] = None


def as_tensors(tensors: Optional[bool]) -> None:
    """Sets whether single positions become tensors (True) or arrays (False); None: tensors if torch is imported."""
    global _tensors
    _tensors = tensors


def _result(array: np.ndarray) -> Any:
    """The array, or the tensor that shares its memory."""
    wanted = "torch" in sys.modules if _tensors is None else _tensors
    if not wanted:
        return array
    import torch

    return torch.from_numpy(array)


class BitboardFeatures:
    """Positions as bitboards by color and piece type."""

    BLACK = 0
    WHITE = 1

    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5

    #: From the colors of `tabiya.chess` and python-chess.
    COLOR_TO_INDEX: Dict[bool, int] = {False: BLACK, True: WHITE}
    #: From the piece types of `tabiya.chess` and python-chess.
    PIECE_TO_INDEX: Dict[int, int] = {1: PAWN, 2: KNIGHT, 3: BISHOP, 4: ROOK, 5: QUEEN, 6: KING}

    @staticmethod
    def board_to_bitmap(board: Any) -> Any:
        """The pieces of a board as ``[2, 6, 64]`` float32: color (Black first), piece type, square (a1 = 0).

        >>> from tabiya import chess
        >>> bitboards = BitboardFeatures.board_to_bitmap(chess.Board())
        >>> rooks = bitboards[BitboardFeatures.WHITE][BitboardFeatures.ROOK]
        >>> [chess.SQUARE_NAMES[i] for i in range(64) if rooks[i] == 1.0]
        ['a1', 'h1']
        """
        return _result(_tabiya.features(_one(board)).reshape(2, 6, 64))

    @staticmethod
    def board_to_features(board: Any) -> Any:
        """The bitmap as one row ``[768]``: Black's 384 values, then White's."""
        return _result(_tabiya.features(_one(board)).reshape(768))

    @staticmethod
    def features_for_mover(board: Any) -> Any:
        """The row ``[768]`` that networks are trained on: the side to move first, ranks flipped if it is Black."""
        return _result(_tabiya.features(_one(board), order="mover").reshape(768))

    @staticmethod
    def get_piece_bitboard(board: Any, color: bool, piece_type: int) -> Any:
        """The pieces of a color and type as ``[64]``.

        >>> from tabiya import chess
        >>> int(BitboardFeatures.get_piece_bitboard(chess.Board(), chess.WHITE, chess.KNIGHT).sum())
        2
        """
        bitmap = _tabiya.features(_one(board)).reshape(2, 6, 64)
        color_index = BitboardFeatures.COLOR_TO_INDEX[bool(color)]
        try:
            piece_index = BitboardFeatures.PIECE_TO_INDEX[piece_type]
        except KeyError:
            raise ValueError(f"{piece_type!r} is not a piece type from 1 to 6") from None
        return _result(bitmap[color_index, piece_index].copy())


def _one(board: Any) -> Any:
    """A board or a FEN; a list is a mistake here."""
    if not isinstance(board, str) and not hasattr(board, "occupied_co"):
        raise TypeError(f"a position must be a board or a FEN, not {type(board).__name__}")
    return board


def convert_old_order(rows: Any) -> np.ndarray:
    """Rows of 768 values from the old flat order, White first, to Black first; or back.

    Inputs ``[n, 768]`` and weights ``[outputs, 768]`` of a linear layer are converted alike: a model of one order needs
    this before it is used with features of the other. The result is a copy.

    >>> old = np.zeros((1, 768), dtype=np.float32)
    >>> old[0, 0] = 1  # a white pawn on a1
    >>> int(convert_old_order(old).argmax())
    384
    """
    copy = np.array(rows, dtype=np.float32, order="C")
    if copy.ndim == 0 or copy.shape[-1] != 768:
        raise ValueError(f"rows must have 768 values, not the shape {list(copy.shape)}")
    _tabiya.swap_feature_halves(copy)
    return copy
