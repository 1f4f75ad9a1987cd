"""Chess from games to bits to tensors to networks to play.

>>> import tabiya
>>> board = tabiya.chess.Board()
>>> board.legal_moves.count()
20
>>> tabiya.Engine().best_move(board, depth=4) in board.legal_moves
True
"""

from . import batch, chess, features, nnue
from ._tabiya import __version__
from .engine import Engine, Line

__all__ = ["Engine", "Line", "__version__", "batch", "chess", "features", "nnue"]
