"""Event files of TensorBoard: TFRecords of protocol buffers, written without TensorFlow.

A record is the length of its data (u64), the checksum of the length, the data, and their checksum. The checksum is a
CRC-32C, rotated and shifted by a constant. Of the message ``Event`` we need wall time (1), step (2), file version (3),
summary (5) and session log (7); of a ``Summary`` its values (1) with tag (1) and number (2).
"""

import os
import socket
import struct
import time
from typing import BinaryIO, Dict, List, Optional, Union

from ._follow import Sink
from ._text import tags

_SUFFIX = ".tabiya"
_START = 1


def _crc_table() -> List[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked_crc(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    """A field of bytes: text or a message."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def event(step: int, wall_time: float, content: bytes) -> bytes:
    """An event as a record."""
    data = b"\x09" + struct.pack("<d", wall_time) + b"\x10" + _varint(step) + content
    length = struct.pack("<Q", len(data))
    return length + masked_crc(length) + data + masked_crc(data)


def scalars(values: Dict[str, float]) -> bytes:
    """A summary with a number for each tag."""
    fields = (_field(1, name.encode()) + b"\x15" + struct.pack("<f", value) for name, value in values.items())
    return _field(5, b"".join(_field(1, value) for value in fields))


class TensorBoard(Sink):
    """Writes an event file. Those of earlier watches in the folder are emptied: the log has all lines.

    When steps are repeated a new file takes the place of the old one. It begins with the start of a session, so
    that a TensorBoard that is open forgets what it has read. Emptied files stay: it would wait for a removed one.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self.folder = os.fspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self._file: Optional[BinaryIO] = None
        self._number = 0
        self.restart()

    def restart(self) -> None:
        if self._file is not None:
            self._file.close()
        old = [name for name in os.listdir(self.folder) if "tfevents" in name and name.endswith(_SUFFIX)]
        self._number += 1
        # TensorBoard reads files in the order of their names.
        name = f"events.out.tfevents.{time.time_ns():020}.{socket.gethostname()}.{os.getpid()}.{self._number}{_SUFFIX}"
        self._file = open(os.path.join(self.folder, name), "wb")
        self._file.write(event(0, time.time(), _field(3, b"brain.Event:2")))
        self._file.write(event(0, time.time(), _field(7, b"\x08" + _varint(_START))))
        self._file.flush()
        for name in old:
            os.truncate(os.path.join(self.folder, name), 0)

    def write(self, step: int, values: Dict[str, float]) -> None:
        assert self._file is not None
        self._file.write(event(step, time.time(), scalars(tags(values))))

    def flush(self) -> None:
        assert self._file is not None
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
