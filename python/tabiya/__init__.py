"""Chess from games to bits to tensors to networks to play.

>>> import tabiya
>>> board = tabiya.chess.Board()
>>> board.legal_moves.count()
20
"""

from . import chess
from ._tabiya import __version__

__all__ = ["__version__", "chess"]
