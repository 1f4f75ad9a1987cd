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


def tags(values: Dict[str, float]) -> Dict[str, float]:
    """The numbers of a line by their names with a group, as TensorBoard and Weights & Biases show them.

    >>> tags({"positions": 64, "loss": 0.5, "validation": 0.4})
    {'train/positions': 64, 'train/loss': 0.5, 'validation/loss': 0.4}

    A validation may have a line of its own; its positions seen are those of the step.

    >>> tags({"positions": 64, "validation_loss": 0.4, "validation_positions": 8, "top1": 0.3})
    {'validation/loss': 0.4, 'validation/positions': 8, 'validation/top1': 0.3}
    """
    prefix = "validation_"
    if any(name.startswith(prefix) for name in values):
        own = {name: value for name, value in values.items() if name != "positions"}
        return {f"validation/{name[len(prefix):] if name.startswith(prefix) else name}": own[name] for name in own}
    return {"validation/loss" if name == "validation" else f"train/{name}": value for name, value in values.items()}
