"""Data sets made by a Ray cluster: the bytes are those of one machine. Needs ``pip install tabiya[ray]``. ::

    import tabiya.ray

    tabiya.ray.prepare("lichess.pgn.zst", "positions", with_eval=True)
    tabiya.ray.selfplay("games", games=100_000, net="embedded")

or from the shell::

    python -m tabiya.ray prepare lichess.pgn.zst --out positions --with-eval
    python -m tabiya.ray selfplay --out games --games 100000 --net embedded

The work is divided into tasks whose results depend on their input alone: chunks of text, or units of games. A task of
a lost worker is done again elsewhere. Results are files beside the output directory (``positions.chunks``,
``games.units``) until the data set is written on this machine, so an interrupted call resumes. The nodes share no
folder: text, networks and rows travel through Ray. All of them need the same version of tabiya.
"""

from ._jobs import prepare, selfplay

__all__ = ["prepare", "selfplay"]
