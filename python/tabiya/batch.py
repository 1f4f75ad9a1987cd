"""Whole columns of positions at a time, on all cores and without the GIL.

Wherever positions are wanted, they may be FENs (a list, or an Arrow column of pyarrow, Polars or DuckDB), boards (of
`tabiya.chess` or of python-chess), or packed rows of 32 bytes (a NumPy array ``[n, 32]`` of bytes, or an Arrow column);
a single one is a batch of one.

>>> from tabiya import batch, chess
>>> batch.features([chess.STARTING_FEN, "8/8/8/8/8/8/4k3/K7 w - - 0 1"]).sum(axis=1)
array([32.,  2.], dtype=float32)
>>> batch.san_to_uci([chess.STARTING_FEN] * 2, ["e4", "Nf3"]).to_pylist()
['e2e4', 'g1f3']
>>> batch.perft(chess.STARTING_FEN, 3)
array([8902], dtype=uint64)

Numbers come as NumPy arrays, which ``torch.from_numpy`` shares; ``out`` is an array to write to instead of a new one.
Texts and tables are Arrow columns: ``polars.Series(column)``, ``pyarrow.array(column)``, ``polars.DataFrame(table)`` and
``pyarrow.table(table)`` take them without a copy. ``threads`` is the number of threads; all cores if it is None.
A position that cannot be read raises ValueError with its number and the reason.
"""

import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _tabiya
from ._tabiya import Column, Table

__all__ = [
    "Column",
    "PositionTable",
    "Table",
    "evaluate",
    "features",
    "fens",
    "is_legal",
    "legal_mask",
    "legal_moves",
    "pack",
    "perft",
    "read_pgn",
    "san_to_uci",
    "uci_to_san",
]

#: What a function takes as positions.
Positions = Any
_Path = Union[str, "os.PathLike[str]"]


class PositionTable:
    """The positions of games: a table with what was read.

    `table` has the rows, and this object stands for it wherever Arrow is understood; ``self[name]`` is a column as a
    NumPy array. `games`, `moves` and `positions` are counts, `broken_games` and `problems` count what could not be
    read, and `first_problems` describes it.
    """

    def __init__(self, table: Table, counts: Dict[str, int], first_problems: List[str]) -> None:
        self.table = table
        self.games = counts["games"]
        self.moves = counts["moves"]
        self.positions = counts["positions"]
        self.broken_games = counts["broken_games"]
        self.problems = counts["problems"]
        self.first_problems = first_problems

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.table[name]

    @property
    def column_names(self) -> List[str]:
        """The names of the columns."""
        return self.table.column_names

    def to_numpy(self) -> Dict[str, np.ndarray]:
        """All columns as NumPy arrays; floats with NaN where values are missing."""
        return self.table.to_numpy()

    def __repr__(self) -> str:
        return f"<PositionTable of {self.games} games, {len(self)} positions: {', '.join(self.column_names)}>"


def read_pgn(
    paths: Union[_Path, Sequence[_Path]],
    *,
    columns: Optional[Sequence[str]] = None,
    threads: Optional[int] = None,
    **options: Any,
) -> PositionTable:
    """The positions of the games in PGN files (.pgn, .zst, .gz, .bz2, or directories of them), in memory.

    The columns are those of the data sets that ``tabiya data prepare`` writes, all of them or those named: fen,
    best_move, eval, mate, result, ply, white_elo, black_elo, game, clock, board (the packed row), history (the last
    moves). The options are those of ``prepare`` too: only_eval, max_positions, sample_rate, min_elo, max_elo, results, time_controls, skip_plies,
    every, no_checks, no_captures, pov ('white' or 'mover') and seed.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "games.pgn")
    ...     _ = path.write_text("1. e4 { [%eval 0.3] } e5 { [%eval 0.1] } 2. Nf3 *")
    ...     games = read_pgn(path, columns=["best_move", "eval"])
    >>> games["best_move"].tolist(), games["eval"].tolist()
    (['e2e4', 'e7e5', 'g1f3'], [nan, 30.0, 10.0])
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    names = None if columns is None else list(columns)
    return PositionTable(*_tabiya.read_pgn(files, columns=names, options=options, threads=threads))


def features(
    positions: Positions,
    *,
    order: str = "color",
    layout: str = "float32",
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> np.ndarray:
    """The 768 features of every position.

    The order is 'color' (Black's 384, then White's) or 'mover' (those of the side to move first, ranks flipped if
    Black is to move, which networks are trained on). The layout is 'float32', 'float64' or 'uint8' (``[n, 768]``),
    'bits' (``[n, 96]`` bytes) or 'active' (``[n, 32]`` int16: the indices of the ones, filled up with -1).

    >>> from tabiya import chess
    >>> features(chess.Board("8/8/8/8/8/8/4k3/K7 w - - 0 1"), layout="active")[0, :3]
    array([332, 704,  -1], dtype=int16)
    """
    return _tabiya.features(positions, order=order, layout=layout, out=_array(out), threads=threads)


def legal_mask(
    positions: Positions,
    *,
    promotions: bool = True,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> np.ndarray:
    """The legal moves of every position as booleans ``[n, 4288]``, by their numbers.

    The number of a move is 64 × its origin + its target; castling is the king's move to the g- or c-file. Promotions
    have the last 192 numbers (4096 + (file × 3 + step + 1) × 4 + 0 for a knight to 3 for a queen, where step is the
    change of file, and 96 more for Black's). Without promotions there are 4096, and a promotion is that to a queen.

    >>> from tabiya import chess
    >>> mask = legal_mask(chess.Board())
    >>> mask.shape, int(mask.sum()), bool(mask[0, 64 * chess.E2 + chess.E4])
    ((1, 4288), 20, True)
    """
    return _tabiya.legal_mask(positions, promotions=promotions, out=_array(out), threads=threads)


def legal_moves(positions: Positions, *, chess960: bool = False, threads: Optional[int] = None) -> Column:
    """The legal moves of every position in UCI notation: a column of lists.

    >>> legal_moves("8/8/8/8/8/8/4k3/K7 w - - 0 1").to_pylist()
    [['a1b1', 'a1a2', 'a1b2']]
    """
    return _tabiya.legal_moves_of(positions, chess960=chess960, threads=threads)


def san_to_uci(
    positions: Positions,
    moves: Any,
    *,
    chess960: bool = False,
    errors: str = "raise",
    threads: Optional[int] = None,
) -> Column:
    """A column of moves in SAN, one for each position, in UCI notation.

    A move that is none raises ValueError with its row, or is missing in the result if errors is 'null'.
    """
    return _tabiya.san_to_uci(positions, moves, chess960=chess960, errors=errors, threads=threads)


def uci_to_san(positions: Positions, moves: Any, *, errors: str = "raise", threads: Optional[int] = None) -> Column:
    """A column of moves in UCI notation, one for each position, in SAN.

    >>> from tabiya import chess
    >>> uci_to_san([chess.Board()] * 2, ["g1f3", "e2e5"], errors="null").to_pylist()
    ['Nf3', None]
    """
    return _tabiya.uci_to_san(positions, moves, errors=errors, threads=threads)


def evaluate(
    positions: Positions,
    *,
    network: Optional[Any] = None,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> np.ndarray:
    """The static evaluation of every position in centipawns, from the side to move, as int32.

    The network is a `tabiya.nnue.Network`, the path of a file of any kind that the engine reads, or 'classic' for the
    classical evaluation (HCE); by default the one that comes with the package.

    >>> from tabiya import chess
    >>> evaluate(["4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1", "4k3/8/8/8/8/8/8/QQQ1K3 b - - 0 1"]) > 0
    array([ True, False])
    """
    return _tabiya.evaluate(positions, network=network, out=_array(out), threads=threads)


def perft(
    positions: Positions, depth: int, *, out: Optional[Any] = None, threads: Optional[int] = None
) -> np.ndarray:
    """The number of leaf nodes at this depth of every position, as uint64."""
    return _tabiya.perft(positions, depth, out=_array(out), threads=threads)


def pack(positions: Positions, *, out: Optional[Any] = None, threads: Optional[int] = None) -> np.ndarray:
    """Every position in 32 bytes: ``[n, 32]`` uint8.

    >>> from tabiya import chess
    >>> rows = pack(chess.Board())
    >>> rows.shape, fens(rows).to_pylist() == [chess.STARTING_FEN]
    ((1, 32), True)
    """
    return _tabiya.pack(positions, out=_array(out), threads=threads)


def fens(positions: Positions, *, threads: Optional[int] = None) -> Column:
    """Every position as FEN."""
    return _tabiya.fens(positions, threads=threads)


def is_legal(positions: Positions, *, out: Optional[Any] = None, threads: Optional[int] = None) -> np.ndarray:
    """Whether each is a legal position; what cannot be read is none.

    >>> from tabiya import chess
    >>> is_legal([chess.STARTING_FEN, "8/8/8/8/8/8/8/8 w - - 0 1", "nonsense"])
    array([ True, False, False])
    """
    return _tabiya.is_legal_position(positions, out=_array(out), threads=threads)


def _array(out: Optional[Any]) -> Optional[Any]:
    """A tensor of PyTorch as the array that shares its memory."""
    if out is None or isinstance(out, np.ndarray) or not hasattr(out, "numpy"):
        return out
    return out.numpy()
