"""The tag pairs of a game."""

import re
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Dict, Iterable, Iterator, Optional, Tuple, Type

from .._board import Board

if TYPE_CHECKING:
    from ._visitors import HeadersBuilder

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
_DEFAULTS = {"Date": "????.??.??", "Result": "*"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*\Z")

_STANDARD = {"", "chess", "standard", "classical", "normal", "illegal", "from position"}
_CHESS960 = {"chess960", "chess 960", "960", "fischerandom", "fischerrandom", "fischer random"}
_WILD = {f"wild/{n}" for n in ("0", "1", "2", "3", "4", "5", "6", "7", "8", "8a")}


class Headers(MutableMapping[str, str]):
    """The tag pairs of a game: the seven of the roster first, then the others in the order they were set."""

    def __init__(self, data: Optional[Dict[str, str]] = None, **kwargs: str) -> None:
        self._roster: Dict[str, str] = {}
        self._others: Dict[str, str] = {}
        if data is None:
            data = {name: _DEFAULTS.get(name, "?") for name in ROSTER}
        self.update(data, **kwargs)

    def is_chess960(self) -> bool:
        """Whether the tag Variant names Chess960."""
        return self.get("Variant", "").lower() in _CHESS960

    def is_wild(self) -> bool:
        """Whether the tag Variant names one of the wild starting positions of FICS, which have a FEN."""
        return self.get("Variant", "").lower() in _WILD

    def variant(self) -> Type[Board]:
        """The class of boards for the tag Variant. Raises ValueError if it is not chess or Chess960."""
        name = self.get("Variant", "").lower()
        if name not in _STANDARD and not self.is_chess960() and not self.is_wild():
            raise ValueError(f"unsupported variant: {self['Variant']}")
        return Board

    def board(self) -> Board:
        """The starting position."""
        fen = self.get("FEN", self.variant().starting_fen)
        board = self.variant()(fen, chess960=self.is_chess960())
        board.chess960 = board.chess960 or board.has_chess960_castling_rights()
        return board

    def __setitem__(self, key: str, value: str) -> None:
        if key in ROSTER:
            self._roster[key] = value
        elif not _NAME.match(key):
            raise ValueError(f"invalid tag name: {key!r}")
        elif "\n" in value or "\r" in value:
            raise ValueError(f"a line break in the value of the tag {key}: {value!r}")
        else:
            self._others[key] = value

    def __getitem__(self, key: str) -> str:
        return (self._roster if key in ROSTER else self._others)[key]

    def __delitem__(self, key: str) -> None:
        del (self._roster if key in ROSTER else self._others)[key]

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in ROSTER if name in self._roster)
        yield from self._others

    def __len__(self) -> int:
        return len(self._roster) + len(self._others)

    def copy(self) -> "Headers":
        """A copy of the tag pairs."""
        return type(self)(dict(self))

    def __copy__(self) -> "Headers":
        return self.copy()

    def __repr__(self) -> str:
        pairs = ", ".join(f"{key}={value!r}" for key, value in self.items())
        return f"{type(self).__name__}({pairs})"

    @classmethod
    def builder(cls) -> "HeadersBuilder":
        """A visitor that reads only the tag pairs."""
        from ._visitors import HeadersBuilder

        return HeadersBuilder(Headers=lambda: cls({}))


def text(headers: Iterable[Tuple[str, str]]) -> Iterator[str]:
    """The lines of tag pairs."""
    for name, value in headers:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{escaped}"]'
