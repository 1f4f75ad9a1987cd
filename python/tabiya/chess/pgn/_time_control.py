"""The tag TimeControl."""

import dataclasses
import enum
import re
from typing import List

_PART = re.compile(r"(?:(?P<moves>\d+)/)?(?P<time>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?)|d(?P<delay>\d+(?:\.\d+)?))?\Z")


class TimeControlType(enum.Enum):
    """The pace of a game."""

    UNKNOWN = 0
    UNLIMITED = 1
    STANDARD = 2
    RAPID = 3
    BLITZ = 4
    BULLET = 5


@dataclasses.dataclass
class TimeControlPart:
    """Seconds for a number of moves (0: for the rest of the game), with increment or delay for each."""

    moves: int = 0
    time: float = 0
    increment: float = 0
    delay: float = 0


@dataclasses.dataclass
class TimeControl:
    """The parts of a time control and its pace, by the time for 60 moves."""

    parts: List[TimeControlPart] = dataclasses.field(default_factory=list)
    type: TimeControlType = TimeControlType.UNKNOWN


def parse_time_control(time_control: str) -> TimeControl:
    """Parses the value of the tag TimeControl. Raises ValueError with the reason if it is malformed.

    >>> parse_time_control("300+3").type
    <TimeControlType.BLITZ: 4>
    """
    if time_control in ("", "?"):
        return TimeControl()
    if time_control == "-":
        return TimeControl(type=TimeControlType.UNLIMITED)
    parts = [_part(text) for text in time_control.split(":")]
    if any(part.moves == 0 for part in parts[:-1]):
        raise ValueError(f"a part without a number of moves must be the last: {time_control!r}")
    sixty_moves = parts[0].time + 60 * parts[0].increment
    limits = [(180, TimeControlType.BULLET), (600, TimeControlType.BLITZ), (3600, TimeControlType.RAPID)]
    pace = next((pace for limit, pace in limits if sixty_moves < limit), TimeControlType.STANDARD)
    return TimeControl(parts, pace)


def _part(text: str) -> TimeControlPart:
    match = _PART.match(text)
    if not match:
        raise ValueError(f"not a time control: {text!r}")

    def number(value: str) -> float:
        return float(value) if value and "." in value else int(value or 0)

    return TimeControlPart(int(match["moves"] or 0), number(match["time"]), number(match["increment"]), number(match["delay"]))
