"""Reads a log while it is written, truncated and replaced."""

import json
import os
import time
from typing import Any, BinaryIO, Dict, List, Optional, Tuple, Union

#: A line: its step, and all its numbers.
Line = Tuple[int, Dict[str, float]]


class Sink:
    """Receives the lines of a log in order."""

    def restart(self) -> None:
        """Forgets all lines: they come again."""

    def write(self, step: int, values: Dict[str, float]) -> None:
        """Receives a line."""

    def flush(self) -> None:
        """Makes visible what was written."""

    def close(self) -> None:
        """Ends."""


def parse(text: bytes) -> Optional[Line]:
    """The numbers of a line; ``None`` for anything else.

    >>> parse(b'{"step": 3, "loss": 0.5, "validation": null}')
    (3, {'loss': 0.5})
    >>> parse(b'{"step": 3, "lo') is None
    True
    """
    try:
        found: Any = json.loads(text)
        step = found.pop("step")
    except (ValueError, AttributeError, KeyError, TypeError):
        return None
    if not isinstance(step, int) or isinstance(step, bool):
        return None
    numbers = {k: v for k, v in found.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    return step, numbers


class LogFile:
    """The log of a run. ``poll`` returns new lines, and whether all lines before them are void.

    The file is kept open, so that one that replaces it cannot get its inode: a training that resumes writes a new
    file without the lines after its checkpoint.
    """

    def __init__(self, run: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.path.join(os.fspath(run), "log.jsonl")
        self._file: Optional[BinaryIO] = None
        self._rest = b""
        #: All complete lines so far, as they stand in the file.
        self._texts: List[bytes] = []

    def poll(self) -> Tuple[bool, List[Line]]:
        """Whether the lines before are void, and the lines since."""
        before, replaced = self._texts, self._reopen()
        if self._file is None:
            return False, []
        if replaced:
            self._texts, self._rest = [], b""
        complete = (self._rest + self._file.read()).split(b"\n")
        # A line without its end is still being written.
        self._rest = complete.pop()
        first = len(self._texts)
        self._texts = self._texts + complete
        if replaced:
            is_longer = self._texts[: len(before)] == before
            first = len(before) if is_longer else 0
            lines = [line for line in map(parse, self._texts[first:]) if line is not None]
            return not is_longer, lines
        return False, [line for line in map(parse, self._texts[first:]) if line is not None]

    def _reopen(self) -> bool:
        """Opens the file if it is new; whether it is another one than before."""
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            return False
        if self._file is not None:
            old = os.fstat(self._file.fileno())
            is_same = (old.st_dev, old.st_ino) == (now.st_dev, now.st_ino)
            if is_same and now.st_size >= self._file.tell():
                return False
            self._file.close()
        try:
            self._file = open(self.path, "rb")
        except FileNotFoundError:
            self._file = None
            return False
        return True

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def follow(
    run: Union[str, "os.PathLike[str]"],
    sink: Sink,
    *,
    once: bool = False,
    interval: float = 1.0,
    idle: Optional[float] = None,
) -> int:
    """Passes the lines of a run to a sink, until Ctrl-C; with ``once`` those that exist, with ``idle`` until no line
    has come for that many seconds. Returns the number of the last step."""
    log, last, active = LogFile(run), 0, time.monotonic()
    try:
        while True:
            is_void, lines = log.poll()
            if is_void:
                last = 0
                sink.restart()
            for last, values in lines:
                sink.write(last, values)
            if lines or is_void:
                active = time.monotonic()
                sink.flush()
            if once or idle is not None and time.monotonic() - active >= idle:
                return last
            time.sleep(interval)
    finally:
        log.close()
        sink.close()
