"""Names of options without regard to case, and the kinds of information python-chess lets callers choose from."""

import enum
from collections.abc import MutableMapping
from typing import Any, Dict, Iterator, Mapping, Tuple, TypeVar

T = TypeVar("T")


class Info(enum.IntFlag):
    """Kinds of information; `SimpleEngine` always gathers all of them."""

    NONE = 0
    BASIC = 1
    SCORE = 2
    PV = 4
    REFUTATION = 8
    CURRLINE = 16
    ALL = BASIC | SCORE | PV | REFUTATION | CURRLINE


class UciOptionMap(MutableMapping[str, T]):
    """A dictionary whose keys, names of options, are equal whatever their case.

    >>> options = UciOptionMap({"Hash": 16})
    >>> options["hash"], list(options)
    (16, ['Hash'])
    """

    def __init__(self, items: Mapping[str, T] = {}, **more: T) -> None:
        self._items: Dict[str, Tuple[str, T]] = {}
        self.update(items, **more)

    def __getitem__(self, name: str) -> T:
        return self._items[name.lower()][1]

    def __setitem__(self, name: str, value: T) -> None:
        self._items[name.lower()] = (name, value)

    def __delitem__(self, name: str) -> None:
        del self._items[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._items.values()])

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        values = {name.lower(): value for name, value in other.items()}
        return {name: value for name, (_, value) in self._items.items()} == values

    def copy(self) -> "UciOptionMap[T]":
        """The same options."""
        return UciOptionMap(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"
