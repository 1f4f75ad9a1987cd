"""``prepare``, ``selfplay``, ``info`` and ``verify``."""

import json
import os
from typing import Any, Dict, Iterable, List, Optional, Union

from .. import _tabiya
from ._progress import Bar

Path = Union[str, "os.PathLike[str]"]


def paths(inputs: Union[Path, Iterable[Path]]) -> List[str]:
    """One path or several, as text."""
    if isinstance(inputs, (str, os.PathLike)):
        return [os.fspath(inputs)]
    return [os.fspath(path) for path in inputs]


def _checked(defaults: Dict[str, Any], given: Dict[str, Any], what: str) -> Dict[str, Any]:
    for name in given:
        if name not in defaults:
            raise TypeError(f"{what} has no option '{name}'; there are {', '.join(sorted(defaults))}")
    return {**defaults, **given}


def prepare_options(
    *, shuffle: bool = False, dedup: bool = False, columns: Optional[Iterable[str]] = None, **options: Any
) -> str:
    """The options of ``prepare`` as JSON."""
    defaults, packed = _tabiya.data_default_options()
    all_options = _checked(json.loads(defaults), options, "prepare")
    if dedup or shuffle:
        all_options["order"] = "unique" if dedup else "shuffled"
    if all_options["format"] == "packed":
        if columns is not None:
            raise ValueError("packed rows have no columns to choose from")
        all_options["columns"] = packed
    elif columns is not None:
        chosen = [columns] if isinstance(columns, str) else list(columns)
        order = {name: n for n, name in enumerate(all_options["columns"])}
        # In the order of the schema; an unknown name is refused where its reason is known.
        all_options["columns"] = sorted(chosen, key=lambda name: order.get(name, len(order)))
    return json.dumps(all_options)


def prepare(
    inputs: Union[Path, Iterable[Path]],
    out: Path,
    *,
    threads: Optional[int] = None,
    progress: Optional[bool] = None,
    chunks: Union[Path, Iterable[Path]] = (),
    chunk_bytes: int = _tabiya.CHUNK_BYTES,
    **options: Any,
) -> Dict[str, Any]:
    """Converts games to a data set and returns its report.

    ``inputs`` are PGN files (also ``.zst``, ``.gz``, ``.bz2``) or directories of them. Options are those of
    ``tabiya data prepare``: ``with_eval``, ``only_eval``, ``max_positions``, ``sample_rate``, ``min_elo``,
    ``max_elo``, ``results``, ``time_controls``, ``skip_plies``, ``every``, ``no_checks``, ``no_captures``,
    ``pov``, ``val_fraction``, ``seed``, ``shard_rows``, ``group_rows``, ``shard`` (a pair), ``columns``,
    ``format``, ``compression``, ``shuffle``, ``dedup``. ``chunks`` are directories of
    ``tabiya data prepare --shard --convert-only``, and ``chunk_bytes`` is the size of their text.

    All cores work, without the GIL. Ctrl-C stops; the same call resumes, and gives the same bytes as an
    uninterrupted one. ``progress`` shows a bar; by default in terminals and notebooks.
    """
    files, text = paths(inputs), prepare_options(**options)
    folders = paths(chunks)
    converted = (folders, chunk_bytes) if folders else None
    total = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
    with Bar(progress, total or None, "prepare", "B") as bar:
        report = _tabiya.data_prepare(files, os.fspath(out), text, threads, _follow(bar), converted)
    return json.loads(report)


def selfplay_options(**options: Any) -> str:
    """The options of ``selfplay`` as JSON; those of adjudication are keywords too."""
    defaults = json.loads(_tabiya.selfplay_default_options())
    rules = defaults.pop("adjudication")
    own = {name: options.pop(name) for name in list(options) if name in rules}
    for name in options:
        if name not in defaults:
            known = ", ".join(sorted([*defaults, *rules]))
            raise TypeError(f"selfplay has no option '{name}'; there are {known}")
    if "nodes" in options and "balance_nodes" not in options:
        # No more than a move of the game.
        options["balance_nodes"] = min(options["nodes"], defaults["balance_nodes"])
    return json.dumps({**defaults, **options, "adjudication": {**rules, **own}})


def selfplay(
    out: Path,
    *,
    net: Path = "classic",
    syzygy: Optional[Path] = None,
    threads: Optional[int] = None,
    progress: Optional[bool] = None,
    units: Iterable[Path] = (),
    **options: Any,
) -> Dict[str, Any]:
    """Plays games of the engine against itself and writes a data set of packed rows; returns its report.

    ``net`` is a network file, ``"classic"`` or ``"embedded"``. Options are those of ``tabiya selfplay``: ``games``,
    ``positions``, ``nodes``, ``random_plies`` (a pair), ``balance``, ``val_fraction``, ``seed``, ``hash``,
    ``unit_games``, ``shard_rows``, ``win_score``, ``win_plies``, ``draw_score``, ``draw_plies``, ``draw_after``,
    ``max_plies``. ``units`` are directories of ``tabiya selfplay --shard``.
    """
    text = selfplay_options(**options)
    total = options.get("games") or options.get("positions")
    syzygy = None if syzygy is None else os.fspath(syzygy)
    with Bar(progress, total, "selfplay", "games" if options.get("games") else "positions") as bar:
        follow = _follow(bar, "read" if options.get("games") else "positions")
        report = _tabiya.selfplay(os.fspath(out), text, os.fspath(net), syzygy, paths(units), threads, follow)
    return json.loads(report)


def _follow(bar: Bar, unit: str = "read") -> Any:
    def follow(kind: str, text: str, done: int, games: int, positions: int) -> None:
        if kind == "problem":
            bar.write(text)
        elif kind == "sorting":
            bar.restart(positions, "sort", "rows")
        elif kind == "read":
            bar.set(done if unit == "read" else positions, f"{games} games, {positions} positions")
        else:
            bar.set(done)

    return follow


def info(folder: Path, *, threads: Optional[int] = None) -> Dict[str, Any]:
    """Counts, schema, sizes and distributions of a data set."""
    return json.loads(_tabiya.data_info(os.fspath(folder), threads))


def verify(folder: Path, *, threads: Optional[int] = None, progress: Optional[bool] = None) -> Dict[str, Any]:
    """Verifies every file and every row. ``problems`` is the number of errors, ``first_problems`` lists some."""
    rows = manifest(folder)["rows"]
    with Bar(progress, rows["train"] + rows["validation"], "verify", "rows") as bar:
        return json.loads(_tabiya.data_verify(os.fspath(folder), threads, _follow(bar)))


def manifest(folder: Path) -> Dict[str, Any]:
    """The manifest of a complete data set: inputs, options, counts, and files with their hashes."""
    return json.loads(_tabiya.data_manifest(os.fspath(folder)))
