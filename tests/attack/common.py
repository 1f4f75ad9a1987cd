"""What all attacks share: running the program under limits, and judging how it ended."""

import argparse
import concurrent.futures
import os
import random
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# Exit codes of the command-line contract: done, failed, wrong call, interrupted.
ALLOWED = {0, 1, 2, 130}
# More address space than any command needs for the small inputs of the attacks.
MEMORY = 4 << 30


@dataclass
class Run:
    """How one run of the program ended."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    timed_out: bool

    def fault(self):
        """Why this end is a defect; None if it is none."""
        if self.timed_out:
            return f"no end after {self.seconds:.0f} s"
        if self.code < 0:
            return f"killed by signal {-self.code}"
        if self.code not in ALLOWED:
            return f"exit code {self.code}"
        if b"panicked at" in self.err or b"panicked at" in self.out:
            return "panic"
        if self.code == 1 and not self.err.strip() and not self.out.strip():
            return "failed without a message"
        return None

    def tail(self):
        return self.err.decode(errors="replace").strip()[-300:]


def _limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, *, stdin=b"", timeout=20, cwd=None):
    """Runs a command to its end, or to the time limit."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        preexec_fn=_limit,
    )
    try:
        out, err = process.communicate(stdin, timeout=timeout)
        timed_out = False
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        timed_out = True
    return Run(process.returncode, out, err, time.monotonic() - begin, timed_out)


def in_parallel(function, items):
    """Results of `function` for all items, computed on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def damage(rng, data):
    """One random damage: bytes changed, cut off, inserted, zeroed, repeated, or a number blown up."""
    data = bytearray(data)
    kind = rng.randrange(8)
    if not data:
        return bytes(rng.randbytes(rng.randrange(1, 64)))
    at = rng.randrange(len(data))
    if rng.random() < 0.5:
        at = rng.randrange(min(len(data), 512))  # headers matter most
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at] = rng.randrange(256)
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data[at:at] = rng.randbytes(rng.randrange(1, 64))
    elif kind == 4:
        end = min(len(data), at + rng.randrange(1, 256))
        data[at:end] = bytes(end - at)
    elif kind == 5:
        data += data[at : at + rng.randrange(1, 1024)]
    elif kind == 6:
        width = rng.choice([1, 2, 4, 8])
        data[at : at + width] = rng.choice([b"\xff" * width, b"\x7f" * width, b"\x80" + bytes(width - 1)])
    else:
        for _ in range(rng.randrange(2, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def arguments(doc, **defaults):
    """The command line of an attack: the program, a count and a seed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", type=lambda text: Path(text).resolve())
    parser.add_argument("--seed", type=int, default=1)
    for name, value in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    return parser.parse_args()


class Report:
    """Counts of attacks and the defects among them; ends the program with the right exit code."""

    def __init__(self, name):
        self.name, self.attacks, self.defects = name, 0, []
        self.begin = time.monotonic()

    def add(self, count=1):
        self.attacks += count

    def defect(self, text):
        self.defects.append(text)
        if len(self.defects) <= 20:
            print(f"{self.name}: DEFECT: {text}", flush=True)

    def end(self):
        seconds = time.monotonic() - self.begin
        print(f"{self.name}: {self.attacks} attacks, {len(self.defects)} defects, {seconds:.0f} s", flush=True)
        sys.exit(1 if self.defects else 0)


def seeded(*parts):
    """A random generator of its own for each part of an attack."""
    return random.Random(":".join(str(part) for part in parts))
