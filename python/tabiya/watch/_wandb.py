"""Weights & Biases."""

from typing import Any, Dict, Optional

from ._follow import Sink
from ._text import tags


class Wandb(Sink):
    """Logs to a run of Weights & Biases, which must be installed (``pip install wandb``).

    A history there cannot be changed. When steps are repeated, the run ends with the tag ``superseded``, and a new
    one of the same name and group gets the whole log. The environment variables of wandb apply, such as
    ``WANDB_MODE=offline``.
    """

    def __init__(self, project: str = "tabiya", name: Optional[str] = None, **arguments: Any) -> None:
        import wandb

        self._wandb, self._arguments = wandb, {"project": project, "name": name, "group": name, **arguments}
        self._step, self._values = -1, {}  # type: int, Dict[str, float]
        self.run = self._begin()

    def _begin(self) -> Any:
        run = self._wandb.init(reinit="finish_previous", **self._arguments)
        run.define_metric("*", step_metric="step")
        return run

    def restart(self) -> None:
        self._step, self._values = -1, {}
        self.run.tags = (*(self.run.tags or ()), "superseded")
        self.run.finish()
        self.run = self._begin()

    def write(self, step: int, values: Dict[str, float]) -> None:
        # A validation has a line of its own: both lines of a step are one entry.
        if step != self._step:
            self._send()
        self._step = step
        self._values.update(tags(values))

    def _send(self) -> None:
        if self._values:
            self.run.log({"step": self._step, **self._values}, step=self._step)
            self._values = {}

    def close(self) -> None:
        self._send()
        self.run.finish()
