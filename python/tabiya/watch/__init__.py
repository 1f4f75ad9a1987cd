"""Follows a training in Weights & Biases, in TensorBoard, or in the terminal. ::

    python -m tabiya.watch RUN
    python -m tabiya.watch RUN --tensorboard DIR
    python -m tabiya.watch RUN --wandb

``RUN`` is the output directory of ``tabiya nnue train``, ``tabiya pra train`` or any other of our trainings: they all
write ``log.jsonl``. A training that was killed repeats the steps after its last checkpoint and drops their lines; here
the new ones replace the old ones too. Watching may begin, end and begin again at any time.
"""

from ._follow import LogFile, Sink, follow
from ._tensorboard import TensorBoard
from ._text import Text
from ._wandb import Wandb

__all__ = ["LogFile", "Sink", "TensorBoard", "Text", "Wandb", "follow"]
