"""Paco Ŝako: states, actions, representations for networks, Ŝako, and a player.

>>> from tabiya import paco
>>> state = paco.State()
>>> state.play_turn("e2>e4"), state.play_turn("d7>d5"), state.play_turn("e4xd5")
([Action.lift(12), Action.place(28)], [Action.lift(51), Action.place(35)], [Action.lift(28), Action.place(35)])
>>> state.fen()
'rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -'

A state is a game: a position with its history and its outcome. A turn is a sequence of actions: ``Lift`` a piece,
``Place`` it (again and again in a chain), ``Promote`` a pawn. Actions have policy indices 1 to 132.

>>> [action.index for action in state.legal_actions()][:3]
[36, 49, 50]
>>> state.sako(), state.sako_against()
(False, False)

Batches of states become arrays, in the index form or as tensors, for all eight sets of options:

>>> indices([state, paco.State()], USE_PERSPECTIVE).shape, tensors([state], USE_PERSPECTIVE).shape
((2, 38), (1, 30, 8, 8))
>>> int(legal_masks([state]).sum())
13

The player searches turns:

>>> choice = Player().choose(paco.State("4k3/8/8/8/8/8/4R3/4K3 w 0 - - -"))
>>> choice.text, choice.is_win
('Re2xe8', True)
"""

from typing import Iterable, NamedTuple, List, Optional, Union

import numpy as np

from . import _tabiya
from ._tabiya import Action, State

__all__ = [
    "Action",
    "Choice",
    "OPTION_SETS",
    "Player",
    "State",
    "USE_PERSPECTIVE",
    "WITH_MUST_LIFT",
    "WITH_MUST_PROMOTE",
    "expand",
    "index_length",
    "indices",
    "layers",
    "legal_masks",
    "tensors",
]

#: The player to move is at the bottom, and there is no layer for the active player.
USE_PERSPECTIVE = 1
#: A layer that is one when a piece must be lifted.
WITH_MUST_LIFT = 2
#: A layer that is one when a pawn must be promoted.
WITH_MUST_PROMOTE = 4
#: All sets of options.
OPTION_SETS = range(8)

#: A score of this size is a certain win.
_WIN = 900_000

States = Iterable[Union[State, str]]


def layers(options: int = 0) -> int:
    """Number of layers of the tensor form.

    >>> [layers(options) for options in OPTION_SETS]
    [31, 30, 32, 31, 32, 31, 33, 32]
    """
    if options not in OPTION_SETS:
        raise ValueError(f"representation options are 0 to 7, not {options}")
    return 31 - bool(options & USE_PERSPECTIVE) + bool(options & WITH_MUST_LIFT) + bool(options & WITH_MUST_PROMOTE)


def index_length(options: int = 0) -> int:
    """Number of indices of the index form.

    >>> [index_length(options) for options in OPTION_SETS]
    [39, 38, 40, 39, 40, 39, 41, 40]
    """
    return layers(options) + 8


def indices(
    states: States, options: int = 0, *, out: Optional[np.ndarray] = None, threads: Optional[int] = None
) -> np.ndarray:
    """Index form of states or FENs: uint32 ``[n, index_length(options)]``, into ``out`` if given.

    The first 33 are places of ones in the tensor: 32 pieces, and the en-passant square or a repeat of the first.
    Then follow castling rights, the active player, must lift and must promote (where enabled), and the no-progress
    counter.
    """
    return _tabiya.paco_indices(states, options, out, threads)


def tensors(
    states: States, options: int = 0, *, out: Optional[np.ndarray] = None, threads: Optional[int] = None
) -> np.ndarray:
    """Tensor form of states or FENs: float32 ``[n, layers(options), 8, 8]``, into ``out`` if given."""
    return _tabiya.paco_tensors(states, options, out, threads)


def expand(
    indices: np.ndarray, options: int = 0, *, out: Optional[np.ndarray] = None, threads: Optional[int] = None
) -> np.ndarray:
    """Tensor form of an index form.

    >>> states = [State()]
    >>> all((expand(indices(states, n), n) == tensors(states, n)).all() for n in OPTION_SETS)
    True
    """
    return _tabiya.paco_expand(np.asarray(indices, dtype=np.uint32), options, out, threads)


def legal_masks(
    states: States,
    *,
    perspective: bool = False,
    out: Optional[np.ndarray] = None,
    threads: Optional[int] = None,
) -> np.ndarray:
    """Legal actions: bool ``[n, 132]``, with policy index *i* in column *i* − 1.

    With ``perspective`` squares are mirrored by rank for Black, as in representations with ``USE_PERSPECTIVE``.
    """
    return _tabiya.paco_legal_masks(states, perspective, out, threads)


class Choice(NamedTuple):
    """The turn that the player chose."""

    #: The turn.
    actions: List[Action]
    #: The turn in notation.
    text: str
    #: Value for the player, about 100 for a pawn.
    score: int
    #: Depth of the search, in turns.
    depth: int
    #: Nodes searched.
    nodes: int

    @property
    def is_win(self) -> bool:
        """Whether a win is certain."""
        return self.score >= _WIN


class Player:
    """A player: alpha-beta search over turns. The seed chooses between equal turns."""

    def __init__(self, seed: int = 1) -> None:
        self._player = _tabiya.Player(seed)

    def choose(
        self, state: State, *, time: Optional[float] = 1.0, depth: int = 32, avoid: Iterable[int] = ()
    ) -> Optional[Choice]:
        """The best turn within ``time`` seconds (``None`` for no limit) or ``depth`` turns; ``None`` if there is none.

        ``avoid`` are keys of positions that should not be repeated (``State.key``).
        """
        if state.outcome is not None:
            return None
        found = self._player.choose(state, time, depth, list(avoid))
        if found is None:
            return None
        actions, score, reached, nodes = found
        return Choice(actions, state.notation(actions), score, reached, nodes)
