"""Networks: `ChessNNUEModel` on the 768 features, and the engine's networks for `tabiya.batch.evaluate`.

>>> from tabiya import chess
>>> from tabiya.nnue import ChessNNUEModel
>>> model = ChessNNUEModel(seed=1)
>>> isinstance(model.evaluate_board(chess.Board()), float)
True
"""

import os
import tempfile
from typing import Any, Dict, Mapping, Optional, Union

import numpy as np

from ._tabiya import Network, Towers
from .features import convert_old_order

__all__ = ["ChessNNUEModel", "FeatureDataset", "Network", "convert_old_order"]

_Path = Union[str, "os.PathLike[str]"]

#: The tensors in the order of the layers.
_LAYERS = ("mover", "opponent", "hidden", "residual.0", "residual.1", "last", "output")
_NAMES = tuple(f"{layer}.{part}" for layer in _LAYERS for part in ("weight", "bias"))


class ChessNNUEModel:
    """The two-tower MLP: 384 inputs of the side to move, 384 of the opponent, 439,617 parameters.

    A new model has random weights. It computes on the CPU, without torch; ``state_dict`` and ``from_state_dict``
    exchange its weights with a PyTorch module of the same layers.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._towers = Towers(seed)

    def evaluate_board(self, board: Any) -> float:
        """The evaluation of a board or a FEN in centipawns, from the side to move."""
        return float(self._towers.evaluate(board)[0])

    def evaluate(self, positions: Any, *, out: Optional[Any] = None, threads: Optional[int] = None) -> np.ndarray:
        """The evaluations of many positions in centipawns, from the side to move; positions as in `tabiya.batch`."""
        return self._towers.evaluate(positions, out=out, threads=threads)

    def __call__(self, features: Any) -> Any:
        """The output for features ``[n, 768]`` or ``[768]``: pawns, ``[n, 1]`` or ``[1]``; a tensor for a tensor.

        >>> model = ChessNNUEModel()
        >>> model(np.zeros((3, 768), dtype=np.float32)).shape
        (3, 1)

        The first 384 values are the side to move's (`BitboardFeatures.features_for_mover`).
        """
        is_tensor = hasattr(features, "detach")
        rows = features.detach().cpu().numpy() if is_tensor else np.asarray(features)
        shape = rows.shape
        if rows.ndim not in (1, 2) or shape[-1] != 768:
            raise ValueError(f"features must have the shape [n, 768], not {list(shape)}")
        dense = np.ascontiguousarray(rows.reshape(-1, 768), dtype=np.float32)
        values = (self._towers.evaluate_dense(dense) / np.float32(100)).reshape(*shape[:-1], 1)
        if not is_tensor:
            return values
        import torch

        return torch.from_numpy(values)

    forward = __call__

    def save(self, path: _Path) -> None:
        """Write the model to a safetensors file, which the program reads too; an old file is replaced at once."""
        path = os.fspath(path)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._towers.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    @classmethod
    def load(cls, path: _Path, **options: Any) -> "ChessNNUEModel":
        """Read a model: a file of `save`, of ``tabiya nnue towers``, or a PyTorch checkpoint (.pt, .pth).

        The latter needs torch; options are those of `from_state_dict`.
        """
        if os.fspath(path).endswith((".pt", ".pth")):
            return cls.from_state_dict(_torch_state(path), **options)
        if options:
            raise TypeError("options are for PyTorch checkpoints")
        model = cls.__new__(cls)
        model._towers = Towers.load(path)
        return model

    def state_dict(self) -> Dict[str, np.ndarray]:
        """The weights as arrays, by names and in shapes of PyTorch."""
        tensors = self._towers.tensors()
        return {name: tensors[name] for name in _NAMES}

    @classmethod
    def from_state_dict(
        cls, state: Mapping[str, Any], *, old_order: bool = False, names: Optional[Mapping[str, str]] = None
    ) -> "ChessNNUEModel":
        """The model of these weights, tensors or arrays.

        The names are those of `state_dict`; else ``names`` translates theirs to ours, or without it the fourteen
        tensors are taken in their order, which must then have our shapes. ``old_order``: the model was trained on
        the old flat order, White first, so that its towers are swapped.

        >>> model = ChessNNUEModel(seed=1)
        >>> same = ChessNNUEModel.from_state_dict(model.state_dict())
        >>> same.evaluate_board("8/8/8/8/8/8/4k3/K7 w - - 0 1") == model.evaluate_board("8/8/8/8/8/8/4k3/K7 w - - 0 1")
        True
        """
        arrays = {_plain(name): _float_array(value) for name, value in state.items()}
        if names is not None:
            arrays = {names.get(name, name): value for name, value in arrays.items()}
        elif set(arrays) != set(_NAMES):
            if len(arrays) != len(_NAMES):
                raise ValueError(f"a state of {len(_NAMES)} tensors is expected, this has {len(arrays)}")
            arrays = dict(zip(_NAMES, arrays.values()))
        if old_order:
            for part in ("weight", "bias"):
                mover, opponent = f"mover.{part}", f"opponent.{part}"
                arrays[mover], arrays[opponent] = arrays[opponent], arrays[mover]
        model = cls.__new__(cls)
        model._towers = Towers.from_tensors(arrays)
        return model

    def __repr__(self) -> str:
        return "<ChessNNUEModel (384 -> 512) x 2 -> 64 -> 64 -> 1>"


def _plain(name: str) -> str:
    """The name without the prefix that data-parallel and compiled modules add."""
    for prefix in ("module.", "_orig_mod.", "model."):
        if name.startswith(prefix):
            name = name[len(prefix) :]
    return name


def _float_array(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    return np.ascontiguousarray(value, dtype=np.float32)


def _torch_state(path: _Path) -> Mapping[str, Any]:
    """The state_dict of a PyTorch checkpoint, bare or within a dictionary of a training."""
    try:
        import torch
    except ImportError:
        raise ImportError("reading a PyTorch checkpoint needs torch: pip install torch") from None
    content = torch.load(os.fspath(path), map_location="cpu", weights_only=True)
    for key in ("model_state_dict", "state_dict", "model"):
        if isinstance(content, Mapping) and isinstance(content.get(key), Mapping):
            content = content[key]
    if not isinstance(content, Mapping) or not all(hasattr(value, "shape") for value in content.values()):
        raise ValueError(f"{os.fspath(path)}: no state_dict of tensors in it")
    return content


class FeatureDataset:
    """Features and evaluations, for ``torch.utils.data.DataLoader`` (or any indexing).

    Made of packed rows ``[n, 32]`` and evaluations ``[n]``, or by `from_pgn`. An item is a pair of ``[768]`` float32
    features from the side to move and its evaluation from the side to move in pawns; a batch is computed at once.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "games.pgn")
    ...     _ = path.write_text("1. e4 { [%eval 0.3] } e5 { [%eval 0.1] } 2. Nf3 *")
    ...     data = FeatureDataset.from_pgn(path)
    >>> len(data), data[0][0].shape, round(float(data[0][1]), 2)
    (2, (768,), -0.3)
    """

    def __init__(self, rows: Any, evals: Any) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.uint8)
        self.evals = np.ascontiguousarray(evals, dtype=np.float32)
        if self.rows.ndim != 2 or self.rows.shape[1] != 32 or self.evals.shape != (len(self.rows),):
            raise ValueError("rows must have the shape [n, 32] and evals the shape [n]")

    @classmethod
    def from_pgn(cls, paths: Any, **options: Any) -> "FeatureDataset":
        """The positions of games with an evaluation; options are those of `tabiya.batch.read_pgn`."""
        from . import batch

        table = batch.read_pgn(
            paths, columns=["eval", "mate", "board"], only_eval=True, pov="mover", **options
        ).to_numpy()
        known = ~np.isnan(table["eval"].astype(np.float64))
        return cls(table["board"][known], table["eval"][known] / 100)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        features, evals = self.batch([range(len(self))[index]])
        return features[0], evals[0]

    def __getitems__(self, indices: Any) -> Any:
        """A batch for the loader, which then joins its rows."""
        features, evals = self.batch(indices)
        return list(zip(features, evals))

    def batch(self, indices: Any) -> Any:
        """The features ``[n, 768]`` and evaluations ``[n]`` of these items."""
        from . import batch

        chosen = np.asarray(indices)
        return batch.features(self.rows[chosen], order="mover", threads=1), self.evals[chosen]
