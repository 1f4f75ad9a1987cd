"""Lines of a log in the terminal."""

import sys
from typing import Dict, Optional, TextIO

from ._follow import Sink


class Text(Sink):
    """Prints a line for each line of the log."""

    def __init__(self, stream: Optional[TextIO] = None) -> None:
        self.stream = stream or sys.stdout

    def restart(self) -> None:
        print("the training has resumed: its log again, from the first line", file=self.stream)

    def write(self, step: int, values: Dict[str, float]) -> None:
        """
        >>> Text().write(3, {"loss": 0.25, "positions": 12})
        step 3  loss 0.25  positions 12
        """
        numbers = (f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in values.items())
        print(f"step {step}", *numbers, sep="  ", file=self.stream)

    def flush(self) -> None:
        self.stream.flush()


def tag(name: str) -> str:
    """The name of a number with its group, as TensorBoard and Weights & Biases show them.

    >>> [tag(name) for name in ["loss", "validation", "validation_policy_loss", "top1", "positions"]]
    ['train/loss', 'validation/loss', 'validation/policy_loss', 'validation/top1', 'train/positions']
    """
    if name == "validation":
        return "validation/loss"
    if name.startswith("validation_"):
        return "validation/" + name[len("validation_") :]
    return ("validation/" if name in ("top1", "top5") else "train/") + name
