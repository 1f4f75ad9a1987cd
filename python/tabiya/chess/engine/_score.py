"""Evaluations: centipawns or moves to mate, from a player's point of view."""

import dataclasses
import functools
from typing import NamedTuple, Optional, Tuple

from .._squares import BLACK, WHITE


@functools.total_ordering
class Score:
    """An evaluation. Scores are ordered: a quick mate is best, being mated quickly is worst."""

    __slots__ = ()

    def score(self, *, mate_score: Optional[int] = None) -> Optional[int]:
        """The centipawns. A mate is None, or counted from mate_score."""
        raise NotImplementedError

    def mate(self) -> Optional[int]:
        """The moves to mate, negative for being mated; None for centipawns."""
        raise NotImplementedError

    def is_mate(self) -> bool:
        """Whether it is a mate."""
        return self.mate() is not None

    def _key(self) -> Tuple[int, int]:
        mate = self.mate()
        if isinstance(self, _MateGiven):
            return (3, 0)
        if mate is None:
            return (1, self.score() or 0)
        return (2, -mate) if mate > 0 else (0, -mate)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Score) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, Score) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __neg__(self) -> "Score":
        raise NotImplementedError

    def __pos__(self) -> "Score":
        return self

    def __abs__(self) -> "Score":
        return max(self, -self)


class Cp(Score):
    """Centipawns."""

    __slots__ = ("cp",)

    def __init__(self, cp: int) -> None:
        self.cp = cp

    def score(self, *, mate_score: Optional[int] = None) -> int:
        return self.cp

    def mate(self) -> None:
        return None

    def __neg__(self) -> "Cp":
        return Cp(-self.cp)

    def __repr__(self) -> str:
        return f"Cp({self.cp:+d})" if self.cp else "Cp(0)"

    def __str__(self) -> str:
        return f"{self.cp:+d}" if self.cp else "0"


class Mate(Score):
    """Mate in N moves; negative or zero: being mated."""

    __slots__ = ("moves",)

    def __init__(self, moves: int) -> None:
        self.moves = moves

    def score(self, *, mate_score: Optional[int] = None) -> Optional[int]:
        if mate_score is None:
            return None
        return mate_score - self.moves if self.moves > 0 else -mate_score - self.moves

    def mate(self) -> int:
        return self.moves

    def __neg__(self) -> Score:
        return Mate(-self.moves) if self.moves else MateGiven

    def __repr__(self) -> str:
        return f"Mate({'+' if self.moves > 0 else '-'}{abs(self.moves)})"

    def __str__(self) -> str:
        return f"#{'+' if self.moves > 0 else '-'}{abs(self.moves)}"


class _MateGiven(Score):
    """Mate is on the board."""

    __slots__ = ()

    def score(self, *, mate_score: Optional[int] = None) -> Optional[int]:
        return mate_score

    def mate(self) -> int:
        return 0

    def __neg__(self) -> Mate:
        return Mate(0)

    def __repr__(self) -> str:
        return "MateGiven"

    def __str__(self) -> str:
        return "#+0"


MateGiven = _MateGiven()


@dataclasses.dataclass(frozen=True)
class PovScore:
    """A score and the player whose point of view it is."""

    relative: Score
    turn: bool

    def white(self) -> Score:
        """The score from White's point of view."""
        return self.pov(WHITE)

    def black(self) -> Score:
        """The score from Black's point of view."""
        return self.pov(BLACK)

    def pov(self, color: bool) -> Score:
        """The score from a player's point of view."""
        return self.relative if self.turn == color else -self.relative

    def is_mate(self) -> bool:
        """Whether it is a mate."""
        return self.relative.is_mate()

    def __eq__(self, other: object) -> bool:
        return self.white() == other.white() if isinstance(other, PovScore) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.white())

    def __repr__(self) -> str:
        return f"PovScore({self.relative!r}, {'WHITE' if self.turn else 'BLACK'})"


class Wdl(NamedTuple):
    """Wins, draws and losses in a thousand games."""

    wins: int
    draws: int
    losses: int

    def total(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    def expectation(self) -> float:
        """The expected score from 0 to 1."""
        return (self.wins + 0.5 * self.draws) / self.total()

    def __neg__(self) -> "Wdl":
        return Wdl(self.losses, self.draws, self.wins)


@dataclasses.dataclass(frozen=True)
class PovWdl:
    """Wins, draws and losses, and the player whose point of view it is."""

    relative: Wdl
    turn: bool

    def white(self) -> Wdl:
        """From White's point of view."""
        return self.pov(WHITE)

    def black(self) -> Wdl:
        """From Black's point of view."""
        return self.pov(BLACK)

    def pov(self, color: bool) -> Wdl:
        """From a player's point of view."""
        return self.relative if self.turn == color else -self.relative
