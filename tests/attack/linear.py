#!/usr/bin/env python3
"""Time linear in the size of the input, for every hostile shape of PGN.

Each shape is written at three sizes, each twice the last; the CPU time of the largest may be at most ten
times that of the smallest. Sixteen times would be quadratic; eight is linear still, because games whose
export format exceeds 8 MB are converted twice. Times are the least of three.

    python tests/attack/linear.py target/release/tabiya [--bytes 2000000]
"""

import resource
import subprocess
import tempfile
from pathlib import Path

from common import Report, arguments

HEAD = b'[Event "x"]\n\n'
SHAPES = {
    "open braces": (HEAD, b"1. e4 {{} e5 *\n"),
    "unclosed comments": (HEAD, b"1. e4 { "),
    "one long comment": (HEAD + b"1. e4 {", b"word [%eval "),
    "variations never closed": (HEAD + b"1. e4 ", b"("),
    "variations never opened": (HEAD + b"1. e4 ", b")"),
    "nested variations": (HEAD + b"1. e4 ", b"(1. d4 "),
    "variations side by side": (HEAD + b"1. e4 ", b"(1. d4) "),
    "results": (HEAD, b"* "),
    "results on lines": (HEAD, b"1-0\n"),
    "tags": (b"", b'[Event "x"]\n'),
    "tags and blank lines": (b"", b'[Event "x"]\n\n'),
    "tag pairs never closed": (b"", b'[Event "x\n'),
    "quotes": (b'[Event "', b'\\"'),
    "brackets": (b"", b"["),
    "bracket lines": (b"", b"[\n"),
    "blank lines": (HEAD, b"\n"),
    "blank lines and tags in a comment": (HEAD + b"1. e4 {", b'\n\n[Event "x"]\n'),
    "semicolons": (HEAD, b"; comment\n"),
    "percent lines": (HEAD, b"% escape\n"),
    "one long token": (HEAD, b"e4e5"),
    "move numbers": (HEAD, b"1. "),
    "digits": (HEAD, b"1"),
    "glyphs": (HEAD + b"1. e4 ", b"$1 "),
    "exclamation marks": (HEAD + b"1. e4", b"!"),
    "knights to and fro": (HEAD, b"Nf3 Nf6 Ng1 Ng8 "),
    "illegal moves": (HEAD, b"Ke2 "),
    "bytes that are no UTF-8": (HEAD, b"\xff\xfe"),
    "NULs": (HEAD, b"\0"),
    "carriage returns": (HEAD, b"\r"),
    "semicolons and carriage returns": (HEAD, b";x\r"),
    "figurines": (HEAD, "♘f3 ".encode()),
    "no-break spaces": (HEAD + b"1. e4", "\u00a0".encode()),
    "games without results": (b"", b'[Event "x"]\n\n1. e4 e5\n\n'),
    "comments between tags": (b"", b'[Event "x"]\n{c}\n[Site "y"]\n;d\n'),
    "braces then games": (b"", b'[Event "x"]\n\n1. e4 {{} e5 *\n\n'),
}
COMMANDS = {
    "check": ["pgn", "check", "FILE"],
    "stats": ["pgn", "stats", "FILE"],
    "normalize": ["pgn", "normalize", "FILE"],
}


def cpu_seconds(command, timeout):
    """User and system time of a command; None if it did not end in time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    args = arguments(__doc__, bytes=2_000_000)
    report = Report("linear")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.pgn"
        for shape, (head, part) in SHAPES.items():
            for name, words in COMMANDS.items():
                command = [str(args.program)] + [str(path) if word == "FILE" else word for word in words]
                times = []
                for size in (args.bytes, 2 * args.bytes, 4 * args.bytes):
                    path.write_bytes(head + part * (size // len(part)) + b"\n")
                    tries = [cpu_seconds(command, 120) for _ in range(3 if not times or times[-1] < 5 else 1)]
                    if None in tries:
                        report.defect(f"{name}, {shape}: no end after 120 s for {size} bytes")
                        break
                    times.append(min(tries))
                report.add()
                # Below a twentieth of a second it is the start of the program that is measured.
                if len(times) == 3 and times[2] > 0.05 and times[2] > 10 * max(times[0], 0.01):
                    report.defect(f"{name}, {shape}: {times[0]:.2f} s, then {times[2]:.2f} s for four times as much")
    report.end()


if __name__ == "__main__":
    main()
