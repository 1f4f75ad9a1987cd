"""Progress of long jobs: tqdm where it is installed, else a line of text; nothing without a terminal."""

import sys
import time
from typing import Any, Optional


def in_notebook() -> bool:
    """Whether this is a notebook, which shows bars of ``tqdm.auto``."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def is_wanted(progress: Optional[bool]) -> bool:
    """Whether to show progress: as requested, by default in terminals and notebooks."""
    return (sys.stderr is not None and sys.stderr.isatty() or in_notebook()) if progress is None else progress


class _Line:
    """A bar without tqdm: percent, and what was done, on one line of standard error."""

    def __init__(self, total: Optional[int], desc: str) -> None:
        self.total, self.desc, self.n, self._note = total, desc, 0, ""
        self._shown, self._width = 0.0, 0

    def set_postfix_str(self, note: str, refresh: bool = True) -> None:
        self._note = note

    def update(self, n: int) -> None:
        self.n += n
        if time.monotonic() - self._shown >= 0.2:
            self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        percent = f"{100 * min(self.n, self.total) // self.total} %" if self.total else f"{self.n}"
        text = f"{self.desc}: {percent} {self._note}"
        self._width = max(self._width, len(text))
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()

    def close(self) -> None:
        self._show()
        sys.stderr.write("\n")


class Bar:
    """A progress bar that is closed at the end of a ``with`` block, and does nothing if it is not wanted."""

    def __init__(self, progress: Optional[bool], total: Optional[int], desc: str, unit: str = "") -> None:
        self._wanted = is_wanted(progress)
        self._bar: Any = None
        self._start(total, desc, unit)

    def _start(self, total: Optional[int], desc: str, unit: str) -> None:
        if not self._wanted:
            return
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, desc=desc, unit=unit, unit_scale=True)
        except ImportError:
            self._bar = _Line(total, desc)

    def restart(self, total: Optional[int], desc: str, unit: str = "") -> None:
        """Closes the bar and begins the next one."""
        self.close()
        self._start(total, desc, unit)

    def set(self, done: int, note: str = "") -> None:
        """Moves the bar to ``done``."""
        if self._bar is not None:
            if note:
                self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(max(done - self._bar.n, 0))

    def write(self, text: str) -> None:
        """Prints a line above the bar."""
        if self._bar is not None:
            sys.stderr.write(f"\r{text}\n")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
