"""Data sets in other libraries: batches of NumPy arrays, Polars, Hugging Face."""

import os
import shutil
from typing import Any, Dict, Iterable, Iterator, List, Optional

from .._tabiya import DataReader
from ._jobs import Path, manifest


def batches(
    folder: Path,
    batch_size: int = 4096,
    *,
    split: str = "train",
    columns: Optional[Iterable[str]] = None,
    seed: Optional[int] = None,
    epoch: int = 0,
    buffer_rows: int = 1 << 17,
    part: int = 0,
    parts: int = 1,
    threads: int = 1,
) -> Iterator[Dict[str, Any]]:
    """Batches of rows, each a dict of columns.

    ``fen`` and ``best_move`` are lists of text, ``board`` is uint8 ``[n, 32]``, ``ply`` and ``game`` are integers;
    the other columns are float32, NaN where nothing is known. With a ``seed`` rows are shuffled through a buffer,
    in another order each ``epoch``. Part *i* of *n* has its own rows: ``part``, counted from 0, of ``parts``.
    """
    if batch_size < 1:
        raise ValueError(f"the batch size must be at least 1, not {batch_size}")
    reader = DataReader(
        os.fspath(folder),
        split,
        None if columns is None else list(columns),
        seed=seed,
        buffer_rows=buffer_rows,
        reader=(part, parts),
        threads=threads,
        epoch=epoch,
    )
    return iter(lambda: reader.next(batch_size), None)


def parquet_files(folder: Path, split: Optional[str] = None) -> Dict[str, List[str]]:
    """Paths of the Parquet files by split. Packed data sets have none."""
    found = manifest(folder)
    if found["options"]["format"] != "parquet":
        raise ValueError(f"{os.fspath(folder)} has packed rows: 'tabiya data unpack' converts them to Parquet")
    files: Dict[str, List[str]] = {}
    for file in found["files"]:
        files.setdefault(file["split"], []).append(os.path.join(os.fspath(folder), *file["path"].split("/")))
    if split is not None and split not in files:
        raise ValueError(f"{os.fspath(folder)} has no rows in the split '{split}', only in {', '.join(files)}")
    return files if split is None else {split: files[split]}


def scan(folder: Path, split: Optional[str] = "train") -> Any:
    """A Polars ``LazyFrame`` of a split, or with ``None`` of both. Polars must be installed."""
    import polars

    files = parquet_files(folder, split)
    return polars.scan_parquet([path for paths in files.values() for path in paths])


def huggingface(folder: Path, out: Path) -> str:
    """Writes a directory that ``datasets.load_dataset(out)`` reads, and that can be pushed to the hub as it is.

    The files are hard links where the file system has them, else copies. The card (``README.md``) lists columns
    and counts. Nothing but the standard library is needed.
    """
    folder, out = os.fspath(folder), os.fspath(out)
    files, found = parquet_files(folder), manifest(folder)
    if os.path.exists(out) and os.listdir(out):
        raise FileExistsError(f"{out} is not empty")
    os.makedirs(os.path.join(out, "data"), exist_ok=True)
    for split, paths in files.items():
        for number, path in enumerate(paths):
            name = f"{split}-{number:05}-of-{len(paths):05}.parquet"
            _link(path, os.path.join(out, "data", name))
    with open(os.path.join(out, "README.md"), "w", encoding="utf-8") as file:
        file.write(_card(found, files))
    return out


def _link(path: str, target: str) -> None:
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _card(found: Dict[str, Any], files: Dict[str, List[str]]) -> str:
    lines = ["---", "configs:", "- config_name: default", "  data_files:"]
    for split in files:
        lines += [f"  - split: {split}", f"    path: data/{split}-*"]
    lines += ["---", "", "# Chess positions", ""]
    counts = found["counts"]
    lines.append(f"{counts['positions']} positions of {counts['games']} games, prepared with Tabiya {found['tabiya']}.")
    lines += ["", "| column | type | meaning |", "|---|---|---|"]
    lines += [f"| `{c['name']}` | {c['type']} | {c['meaning']} |" for c in found["columns"]]
    return "\n".join(lines) + "\n"
