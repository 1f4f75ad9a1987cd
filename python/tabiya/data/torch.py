"""Data sets for PyTorch."""

import os
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, Tuple

from ._jobs import Path, manifest
from ._sets import batches

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError:
    torch, IterableDataset = None, object  # type: ignore[assignment, misc]


class PositionDataset(IterableDataset):
    """Batches of a data set for ``torch.utils.data.DataLoader``, shuffled anew each epoch.

    Every worker of every rank reads rows of its own; together they read each row once. The ranks are those of
    ``torch.distributed``, or else of the variables ``RANK`` and ``WORLD_SIZE``, or those given. ::

        dataset = PositionDataset("positions", 4096, columns=["board", "eval"], seed=1)
        for epoch in range(10):
            dataset.set_epoch(epoch)
            for batch in DataLoader(dataset, batch_size=None, num_workers=4):
                ...

    A batch is a dict of tensors, with lists of text for ``fen`` and ``best_move``, as :func:`tabiya.data.batches`
    describes it; ``transform`` may turn it into anything else.
    """

    def __init__(
        self,
        folder: Path,
        batch_size: int = 4096,
        *,
        split: str = "train",
        columns: Optional[Iterable[str]] = None,
        seed: Optional[int] = None,
        buffer_rows: int = 1 << 17,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        transform: Optional[Callable[[Dict[str, Any]], Any]] = None,
    ) -> None:
        if torch is None:
            raise ImportError("PositionDataset needs PyTorch: pip install torch")
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size are given together, or neither")
        super().__init__()
        self.folder, self.batch_size, self.split = os.fspath(folder), batch_size, split
        self.columns = None if columns is None else list(columns)
        self.seed, self.buffer_rows, self.transform = seed, buffer_rows, transform
        self.rank, self.world_size = rank, world_size
        self.epoch = 0
        #: Rows of the split, of all ranks and workers together.
        self.rows: int = manifest(folder)["rows"][split]

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which the order depends on. Call it before iterating."""
        self.epoch = epoch

    def _ranks(self) -> Tuple[int, int]:
        if self.rank is not None and self.world_size is not None:
            return self.rank, self.world_size
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return torch.distributed.get_rank(), torch.distributed.get_world_size()
        return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))

    def __iter__(self) -> Iterator[Any]:
        rank, world_size = self._ranks()
        worker = get_worker_info()
        workers, number = (1, 0) if worker is None else (worker.num_workers, worker.id)
        for batch in batches(
            self.folder,
            self.batch_size,
            split=self.split,
            columns=self.columns,
            seed=self.seed,
            epoch=self.epoch,
            buffer_rows=self.buffer_rows,
            part=rank * workers + number,
            parts=world_size * workers,
        ):
            tensors = {k: v if isinstance(v, list) else torch.from_numpy(v) for k, v in batch.items()}
            yield tensors if self.transform is None else self.transform(tensors)
