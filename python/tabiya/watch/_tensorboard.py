"""Event files of TensorBoard."""

import os
from typing import Dict, Optional, Union

from .._tabiya import EventFile
from ._follow import Sink
from ._text import tags


class TensorBoard(Sink):
    """Writes an event file, as ``tabiya pra train --tensorboard`` does. Those of earlier watches in the directory are
    emptied: the log has all lines.

    When steps are repeated a new file takes the place of the old one. It begins with the start of a session, so
    that a TensorBoard that is open forgets what it has read. Emptied files stay: it would wait for a removed one.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self.folder = os.fspath(folder)
        self._file: Optional[EventFile] = EventFile(self.folder)

    def restart(self) -> None:
        self._file = EventFile(self.folder)

    def write(self, step: int, values: Dict[str, float]) -> None:
        assert self._file is not None
        self._file.scalars(step, tags(values))

    def close(self) -> None:
        self._file = None
