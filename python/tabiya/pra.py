"""Piece-routed attention: a transformer on chess positions, trained by ``tabiya pra train``.

>>> from tabiya import pra
>>> model = pra.load()
>>> prediction = model.predict("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
>>> len(prediction.moves), round(sum(move.probability for move in prediction.moves), 4)
(6, 1.0)
>>> prediction.best.san in {"e3", "e4", "Kd1", "Kd2", "Kf1", "Kf2"}
True
>>> round(prediction.win + prediction.draw + prediction.loss, 4)
1.0

Positions are FENs or boards: ``tabiya.chess.Board``, python-chess's ``chess.Board``, or anything else with a method
``fen``. Lists of them are computed together, on all cores, without the GIL.

>>> [round(p.expected_score, 2) >= 0 for p in model.predict([prediction.fen, prediction.fen])]
[True, True]
>>> model.attention(prediction.fen).shape
(4, 12, 64, 64)
"""

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import chess
from ._tabiya import PraModel

__all__ = ["HEADS", "Model", "MoveProbability", "Prediction", "load"]

#: What the attention heads attend to, in the order of ``Model.attention``.
HEADS = ["knight", "knight", "bishop", "bishop", "rook", "rook", "queen", "king", "pawn", "free", "free", "free"]

#: A FEN, or a board with a method ``fen``.
Position = Union[str, Any]


class MoveProbability(NamedTuple):
    """A legal move and its probability."""

    move: "chess.Move"
    san: str
    probability: float


@dataclass(frozen=True)
class Prediction:
    """The output of a model for a position, from the view of the side to move."""

    #: The position.
    fen: str
    #: All legal moves, the most probable first.
    moves: List[MoveProbability]
    #: Probability that the side to move wins.
    win: float
    #: Probability of a draw.
    draw: float
    #: Probability that the side to move loses.
    loss: float

    @property
    def best(self) -> Optional[MoveProbability]:
        """The most probable move; ``None`` if there is no legal one."""
        return self.moves[0] if self.moves else None

    @property
    def expected_score(self) -> float:
        """Expected score of the side to move, from 0 to 1."""
        return self.win + self.draw / 2


def _fen(position: Position) -> str:
    if isinstance(position, str):
        return position
    fen = getattr(position, "fen", None)
    if not callable(fen):
        raise TypeError(f"a position must be a FEN or a board, not {type(position).__name__}")
    return fen()


def _fens(positions: Union[Position, Iterable[Position]]) -> Tuple[List[str], bool]:
    """The FENs, and whether it was a single position."""
    if isinstance(positions, str) or callable(getattr(positions, "fen", None)):
        return [_fen(positions)], True
    try:
        return [_fen(position) for position in positions], False
    except TypeError as error:
        if "not iterable" not in str(error):
            raise
        raise TypeError(f"a position must be a FEN or a board, not {type(positions).__name__}") from None


class Model:
    """A model with its weights. Use :func:`load`, or :meth:`random` or :meth:`from_state_dict`."""

    def __init__(self, model: PraModel) -> None:
        self._model = model
        self.config: Dict[str, Any] = json.loads(model.config)

    @classmethod
    def random(cls, depth: int = 4, n_embd: int = 96, *, seed: int = 0, reference: bool = False) -> "Model":
        """A model with random weights, as training begins with; ``reference`` is the one without our options.

        >>> Model.random(2, 24).parameters > Model.random(1, 24).parameters
        True
        """
        config = {"depth": depth, "n_embd": n_embd, **dict.fromkeys(_OPTIONS, not reference)}
        return cls(PraModel.random(json.dumps(config), seed))

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self._model.parameters

    def predict(
        self,
        positions: Union[Position, Iterable[Position]],
        *,
        temperature: float = 1.0,
        threads: Optional[int] = None,
    ) -> Union[Prediction, List[Prediction]]:
        """The prediction for a position, or a list of them for several.

        A temperature below 1 sharpens the probabilities of the moves; at 0 the best one has all.
        """
        fens, single = _fens(positions)
        found = [
            Prediction(
                fen, [MoveProbability(chess.Move.from_uci(uci), san, p) for uci, san, p in moves], win, draw, loss
            )
            for fen, (moves, (win, draw, loss)) in zip(fens, self._model.predict(fens, temperature, threads))
        ]
        return found[0] if single else found

    def outputs(
        self, positions: Union[Position, Iterable[Position]], *, threads: Optional[int] = None
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Policy logits ``[n, 4288]`` (``[n, 4096]`` without promotions) by policy index, and win, draw and loss
        ``[n, 3]`` of the side to move.

        >>> policy, value = load().outputs([chess.STARTING_FEN])
        >>> policy.shape, value.shape
        ((1, 4288), (1, 3))
        """
        fens, single = _fens(positions)
        policy, value = self._model.outputs(fens, threads)
        return (policy[0], value[0]) if single else (policy, value)

    def attention(
        self, positions: Union[Position, Iterable[Position]], *, threads: Optional[int] = None
    ) -> np.ndarray:
        """Attention weights ``[n, depth, 12, 64, 64]`` by layer, head, query square and key square; without the first
        dimension for a single position. Squares are those of the board, also where the model flips it for Black.

        The heads are those of :data:`HEADS`. The weights of a query sum to 1.
        """
        fens, single = _fens(positions)
        maps = self._model.attention(fens, threads)
        return maps[0] if single else maps

    def tensors(self) -> Dict[str, np.ndarray]:
        """Copies of all tensors, with the names of the file ``model.safetensors``.

        >>> load().tensors()["blocks.0.attn.free_attn_logits"].shape
        (3, 64, 64)
        """
        return self._model.tensors()

    def state_dict(self) -> Dict[str, Any]:
        """All tensors for PyTorch, which must be installed: ``module.load_state_dict(model.state_dict())``."""
        import torch

        return {name: torch.from_numpy(array) for name, array in self.tensors().items()}

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any], config: Optional[Mapping[str, Any]] = None) -> "Model":
        """A model with the tensors of PyTorch or NumPy. Prefixes of wrappers (``module.``, ``_orig_mod.``) are ignored.

        Without ``config`` it is found in the shapes. What has no tensors (flipped boards, query squares in the
        masks, the loss) is that of our models if promotions and castling rights have tensors, else the reference's.

        >>> model = load()
        >>> same = Model.from_state_dict(model.tensors())
        >>> same.config == model.config
        True
        """
        tensors = {_plain_name(name): _array(value) for name, value in state.items()}
        config = dict(_config_of(tensors) if config is None else config)
        return cls(PraModel.from_tensors(json.dumps(config), tensors))

    def save(self, folder: Union[str, "os.PathLike[str]"], *, half: bool = False) -> None:
        """Writes ``config.json`` and ``model.safetensors``, with ``half`` as float16."""
        self._model.save(os.fspath(folder), half)

    def __repr__(self) -> str:
        return f"<Model depth={self.config['depth']} n_embd={self.config['n_embd']} parameters={self.parameters}>"


_OPTIONS = ["promotions", "state_input", "turned", "self_in_masks", "light_value", "legal_mask"]


def _plain_name(name: str) -> str:
    for prefix in ("module.", "_orig_mod."):
        while name.startswith(prefix):
            name = name[len(prefix) :]
    return name


def _array(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):
        # bfloat16 has no NumPy type.
        value = value.detach().to("cpu").float().numpy()
    return np.ascontiguousarray(value, dtype=np.float32)


def _config_of(tensors: Mapping[str, np.ndarray]) -> Dict[str, Any]:
    try:
        n_embd = tensors["embedding.side_embed.weight"].shape[1]
        vocabulary = tensors["embedding.piece_embed.weight"].shape[0]
        value = tensors["value_head.fc2.weight"].shape[0]
    except (KeyError, IndexError):
        raise ValueError("these are not the tensors of a model: an embedding or the value head is missing") from None
    depth = len({name.split(".")[1] for name in tensors if name.startswith("blocks.")})
    promotions, state_input = any("promotion" in name for name in tensors), vocabulary == 16
    ours = promotions and state_input
    config = {
        "depth": depth,
        "n_embd": n_embd,
        "promotions": promotions,
        "state_input": state_input,
        "turned": ours,
        "self_in_masks": ours,
        "light_value": value == 3,
        "legal_mask": ours,
    }
    # Like in files, inputs are named only if there are any.
    inputs = {"history": "history_embed", "ratings": "own_rating_embed", "attackers": "attacker_embed"}
    return config | {name: True for name, table in inputs.items() if f"embedding.{table}.weight" in tensors}


def load(folder: Optional[Union[str, "os.PathLike[str]"]] = None) -> Model:
    """The model in a directory, or that of an output directory of ``tabiya pra train``; without one, the model that
    Tabiya ships.

    >>> load()
    <Model depth=4 n_embd=96 parameters=566624>
    """
    if folder is None:
        return Model(PraModel.embedded())
    folder, inner = os.fspath(folder), os.path.join(folder, "model")
    has_config = [os.path.exists(os.path.join(path, "config.json")) for path in (folder, inner)]
    return Model(PraModel.load(inner if has_config == [False, True] else folder))
