"""Data sets of positions: from PGN files to Parquet, and from there to PyTorch, Polars and Hugging Face.

>>> import pathlib, tempfile
>>> from tabiya import data
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "games.pgn").write_text('[Event "a"]\\n[Result "1-0"]\\n\\n1. e4 e5 2. Nf3 Nc6 1-0\\n')
>>> report = data.prepare(folder / "games.pgn", folder / "positions")
>>> report["games"], report["positions"]
(1, 4)
>>> data.verify(folder / "positions")["problems"]
0
>>> data.info(folder / "positions")["results"]["1-0"]
4
>>> [row["best_move"] for batch in data.batches(folder / "positions") for row in [batch]]
[['e2e4', 'e7e5', 'g1f3', 'b8c6']]

A data set is a directory with ``train/`` and ``validation/``, whose Parquet files every tool reads, and a manifest.
The same inputs and options give the same bytes; an interrupted call resumes when it is repeated.
"""

from typing import Any

from ._jobs import info, manifest, prepare, selfplay, verify
from ._sets import batches, huggingface, scan

__all__ = ["PositionDataset", "batches", "huggingface", "info", "manifest", "prepare", "scan", "selfplay", "verify"]


def __getattr__(name: str) -> Any:
    # PyTorch takes a second to import: only those who use it wait.
    if name == "PositionDataset":
        from .torch import PositionDataset

        return PositionDataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
