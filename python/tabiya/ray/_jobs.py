"""``prepare`` and ``selfplay`` on a cluster."""

import functools
import hashlib
import json
import os
import shutil
import tempfile
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple, Union

from .. import _tabiya, data
from ..data._jobs import Path, paths, prepare_options, selfplay_options
from ..data._progress import Bar
from ._cluster import Tasks, connect


@functools.lru_cache(maxsize=4)
def _converter(options: str) -> Any:
    return _tabiya.ChunkConverter(options)


def convert_chunk(options: str, number: int, offset: int, text: bytes) -> Optional[bytes]:
    """Task: the rows of a chunk of text; empty if they have a problem, which this machine shall report."""
    return _converter(options).convert(number, offset, text) or b""


def _keep(folder: str, name: str, content: bytes) -> None:
    """Writes a file at once or not at all."""
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(temporary, os.path.join(folder, name))


def _is_complete(out: Path) -> bool:
    return os.path.exists(os.path.join(os.fspath(out), "_SUCCESS"))


def _beside(out: Path, suffix: str) -> str:
    return os.path.normpath(os.fspath(out)) + suffix


def prepare(
    inputs: Union[Path, Iterable[Path]],
    out: Path,
    *,
    address: Optional[str] = None,
    chunk_bytes: int = _tabiya.CHUNK_BYTES,
    threads: Optional[int] = None,
    progress: Optional[bool] = None,
    **options: Any,
) -> Dict[str, Any]:
    """:func:`tabiya.data.prepare` on a cluster: the same options, the same bytes.

    This machine reads the inputs and sends chunks of text; the nodes parse the games and send rows; this machine
    writes the data set. ``address`` is that of the cluster; by default ``RAY_ADDRESS``, or else this machine alone.
    The report also has ``nodes``: the number of chunks that each node converted.
    """
    files, text_options = paths(inputs), prepare_options(**options)
    if "-" in files:
        raise ValueError("standard input cannot be read twice: write it to a file first")
    nodes: Dict[str, int] = {}
    cache = _beside(out, ".chunks")
    if not _is_complete(out):
        ray = connect(address)
        os.makedirs(cache, exist_ok=True)
        converter = _converter(text_options)
        tasks, total = Tasks(ray, convert_chunk, text_options), 0

        def chunks() -> Iterator[Tuple[str, Tuple[int, int, bytes]]]:
            for number, offset, text in _tabiya.TextChunks(files, chunk_bytes):
                name = converter.name(number, offset, text)
                if not os.path.exists(os.path.join(cache, name)):
                    yield name, (number, offset, text)

        with Bar(progress, None, "convert", "chunks") as bar:
            for name, content in tasks.run(chunks()):
                if content:
                    _keep(cache, name, content)
                total += 1
                bar.set(total, f"{len(tasks.nodes)} nodes")
        nodes = tasks.nodes
    os.makedirs(cache, exist_ok=True)
    report = data.prepare(
        files, out, threads=threads, progress=progress, chunks=cache, chunk_bytes=chunk_bytes, **options
    )
    shutil.rmtree(cache, ignore_errors=True)
    return {**report, "nodes": nodes}


#: The networks of this process by hash and name: directories that are removed at its end.
_NETWORKS: Dict[Tuple[str, str], "tempfile.TemporaryDirectory[str]"] = {}


def _network(name: str, digest: str, content: bytes) -> str:
    """A file with the network, under the same name: manifests record it."""
    if (digest, name) not in _NETWORKS:
        folder = tempfile.TemporaryDirectory(prefix="tabiya-net-")
        with open(os.path.join(folder.name, name), "wb") as file:
            file.write(content)
        _NETWORKS[digest, name] = folder
    return os.path.join(_NETWORKS[digest, name].name, name)


def play_unit(options: str, net: Tuple[str, str, bytes], syzygy: Optional[str], number: int) -> Tuple[bytes, int]:
    """Task: a unit of games, and its number of rows."""
    path = _network(*net) if net[2] else net[0]
    return _tabiya.selfplay_unit(options, path, number, syzygy)


def selfplay(
    out: Path,
    *,
    net: Path = "classic",
    syzygy: Optional[Path] = None,
    address: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Optional[bool] = None,
    **options: Any,
) -> Dict[str, Any]:
    """:func:`tabiya.data.selfplay` on a cluster: the same options, the same bytes.

    The nodes play units of games (``unit_games``); this machine writes the data set. A network file is sent to the
    nodes; tablebases must be at the same path on all of them. The report also has ``nodes``: the number of units that
    each node played.
    """
    text_options = selfplay_options(**options)
    settings = json.loads(text_options)
    if settings["games"] is None and settings["positions"] is None:
        raise ValueError("the number of games or of positions is missing")
    name = os.fspath(net)
    content = b"" if name in ("classic", "embedded") else open(name, "rb").read()
    sent = (os.path.basename(name) if content else name, hashlib.sha256(content).hexdigest(), content)
    tables = None if syzygy is None else os.fspath(syzygy)
    folder, nodes = _beside(out, ".units"), {}  # type: str, Dict[str, int]
    if not _is_complete(out):
        ray = connect(address)
        _own_folder(folder, {"options": settings, "net": sent[:2], "syzygy": tables})
        tasks = Tasks(ray, play_unit, text_options, sent, tables)
        _play(tasks, folder, settings, progress)
        nodes = tasks.nodes
    report = data.selfplay(
        out, net=net, syzygy=syzygy, threads=threads, progress=progress, units=[folder], **options
    )
    shutil.rmtree(folder, ignore_errors=True)
    return {**report, "nodes": nodes}


def _own_folder(folder: str, plan: Dict[str, Any]) -> None:
    """The directory of units of this plan; units of another one are removed."""
    path, text = os.path.join(folder, "plan.json"), json.dumps(plan, sort_keys=True)
    if os.path.exists(path) and open(path, encoding="utf-8").read() != text:
        shutil.rmtree(folder)
    os.makedirs(folder, exist_ok=True)
    _keep(folder, "plan.json", text.encode())


def _play(tasks: Tasks, folder: str, settings: Dict[str, Any], progress: Optional[bool]) -> None:
    """Plays units until there are enough games or positions."""
    unit_games = settings["unit_games"]
    most = -(-settings["games"] // unit_games) if settings["games"] else None
    wanted = settings["positions"]
    rows: Dict[int, int] = {}
    # The units played without a gap, and their rows.
    without_gap = [0, 0]

    def is_enough() -> bool:
        while without_gap[0] in rows:
            without_gap[1] += rows[without_gap[0]]
            without_gap[0] += 1
        return wanted is not None and without_gap[1] >= wanted

    def units() -> Iterator[Tuple[int, Tuple[int]]]:
        number = 0
        while (most is None or number < most) and not is_enough():
            path = os.path.join(folder, f"{number:07}.games")
            if os.path.exists(path) and (found := _rows(path)) is not None:
                rows[number] = found
            else:
                yield number, (number,)
            number += 1

    with Bar(progress, most, "selfplay", "units") as bar:
        for number, result in tasks.run(units()):
            if result is not None:
                content, rows[number] = result
                _keep(folder, f"{number:07}.games", content)
            bar.set(len(rows), f"{len(tasks.nodes)} nodes")


def _rows(path: str) -> Optional[int]:
    """Number of rows of a unit: what follows magic, counts and hash, 33 bytes each."""
    with open(path, "rb") as file:
        head = file.read(12)
        size = os.fstat(file.fileno()).st_size - 12 - 32 - int.from_bytes(head[8:], "little")
    return size // 33 if len(head) == 12 and size >= 0 and size % 33 == 0 else None
