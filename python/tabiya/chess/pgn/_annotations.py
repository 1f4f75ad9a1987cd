"""Commands in comments: ``[%eval 0.35]``, ``[%clk 0:05:00]``, ``[%emt 0:00:07]``, ``[%csl Ga1]``, ``[%cal Ra1h1]``."""

import re
from typing import Iterable, List, Optional, Pattern, Tuple, Union

from .. import engine, svg
from .._squares import WHITE

_EVAL = re.compile(r"\[%eval\s+(?:#(?P<mate>[+-]?\d+)|(?P<pawns>[+-]?\d*\.?\d+))(?:,(?P<depth>\d+))?\s*\]")
_ARROWS = re.compile(r"\[%(?:csl|cal)\s+(?P<arrows>[^\]]*)\]")


def _time(name: str) -> "Pattern[str]":
    return re.compile(rf"\[%{name}\s+(?P<sign>-?)(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d*)?)\s*\]")


_CLOCK, _ELAPSED = _time("clk"), _time("emt")


def _replaced(comment: str, pattern: "Pattern[str]", command: str) -> str:
    """The comment with the command in the place of the first match of the pattern, or at the end."""
    match = pattern.search(comment)
    if match and command:
        return comment[: match.start()] + command + comment[match.end() :]
    if match:
        before, after = comment[: match.start()], comment[match.end() :]
        blank = " " if before.strip() and after.strip() else ""
        return before.rstrip() + blank + after.lstrip()
    if not command:
        return comment
    return f"{comment} {command}" if comment and not comment.endswith(" ") else comment + command


def _seconds(comment: str, pattern: "Pattern[str]") -> Optional[float]:
    match = pattern.search(comment)
    if not match:
        return None
    seconds = int(match["hours"]) * 3600 + int(match["minutes"]) * 60 + float(match["seconds"])
    return -seconds if match["sign"] else seconds


def _time_text(name: str, seconds: Optional[float]) -> str:
    if seconds is None:
        return ""
    milliseconds = round(max(0, seconds) * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest % 1000:03}".rstrip("0") if rest % 1000 else ""
    return f"[%{name} {hours}:{minutes:02}:{rest // 1000:02}{fraction}]"


class Annotations:
    """The commands in the attribute ``comment``."""

    comment: str

    def eval(self) -> Optional["engine.PovScore"]:
        """The evaluation in the comment, or None."""
        match = _EVAL.search(self.comment)
        if not match:
            return None
        if match["mate"] is not None:
            mate = int(match["mate"])
            score: engine.Score = engine.Mate(mate) if mate else engine.Mate(-0)
        else:
            score = engine.Cp(round(float(match["pawns"]) * 100))
        return engine.PovScore(score, WHITE)

    def eval_depth(self) -> Optional[int]:
        """The depth of the evaluation in the comment, or None."""
        match = _EVAL.search(self.comment)
        return int(match["depth"]) if match and match["depth"] else None

    def set_eval(self, score: Optional["engine.PovScore"], depth: Optional[int] = None) -> None:
        """Sets, replaces or removes (None) the evaluation."""
        command = ""
        if score is not None:
            white = score.white()
            value = f"#{white.mate()}" if white.is_mate() else f"{(white.score() or 0) / 100:.2f}"
            command = f"[%eval {value}{'' if depth is None else f',{max(depth, 0)}'}]"
        self.comment = _replaced(self.comment, _EVAL, command)

    def arrows(self) -> List["svg.Arrow"]:
        """The arrows and circles in the comment; malformed ones are left out."""
        found = []
        for match in _ARROWS.finditer(self.comment):
            for text in match["arrows"].split(","):
                try:
                    found.append(svg.Arrow.from_pgn(text.strip()))
                except ValueError:
                    pass
        return found

    def set_arrows(self, arrows: Iterable[Union["svg.Arrow", Tuple[int, int]]]) -> None:
        """Sets or replaces the arrows and circles: arrows of `tabiya.chess.svg`, or pairs of squares."""
        circles: List[str] = []
        lines: List[str] = []
        for arrow in arrows:
            if isinstance(arrow, tuple):
                arrow = svg.Arrow(*arrow)
            (circles if arrow.tail == arrow.head else lines).append(arrow.pgn())
        commands = [f"[%{name} {','.join(texts)}]" for name, texts in (("csl", circles), ("cal", lines)) if texts]
        rest = _ARROWS.sub("", self.comment).strip()
        self.comment = " ".join(part for part in ("".join(commands), rest) if part)

    def clock(self) -> Optional[float]:
        """The seconds left on the clock after the move, or None."""
        return _seconds(self.comment, _CLOCK)

    def set_clock(self, seconds: Optional[float]) -> None:
        """Sets, replaces or removes (None) the time left on the clock."""
        self.comment = _replaced(self.comment, _CLOCK, _time_text("clk", seconds))

    def emt(self) -> Optional[float]:
        """The seconds spent on the move, or None."""
        return _seconds(self.comment, _ELAPSED)

    def set_emt(self, seconds: Optional[float]) -> None:
        """Sets, replaces or removes (None) the time spent on the move."""
        self.comment = _replaced(self.comment, _ELAPSED, _time_text("emt", seconds))
