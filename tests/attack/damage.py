#!/usr/bin/env python3
"""Damaged files of every format, 1,000 of each: a typed error or a right answer, never a crash or a hang.

The program makes small files of every format it reads. Each attack copies them, damages one file at
random (bytes changed, cut, inserted, zeroed, repeated, numbers blown up) and runs a command that reads it.

    python tests/attack/damage.py target/release/tabiya [--count 1000] [--only parquet,syzygy]
"""

import bz2
import gzip
import shutil
import sys
import tempfile
from pathlib import Path

import chess
import zstandard

from common import Report, arguments, damage, in_parallel, run, seeded

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "crates/engine/tests/data/syzygy"


def games(rng, count):
    """Random games with evaluations and clocks."""
    text = ""
    for number in range(count):
        board, words = chess.Board(), []
        for _ in range(rng.randrange(10, 80)):
            legal = list(board.legal_moves)
            if not legal:
                break
            move = rng.choice(legal)
            words.append(f"{board.san(move)} {{ [%eval {rng.randrange(-300, 300) / 100:.2f}] [%clk 0:01:00] }}")
            board.push(move)
        text += f'[Event "game {number}"]\n[Result "1-0"]\n[WhiteElo "1500"]\n\n{" ".join(words)} 1-0\n\n'
    return text.encode()


def must(program, *words):
    """A step of the set-up, which has to work."""
    made = run([program, *words], timeout=300)
    if made.code != 0:
        sys.exit(f"set-up failed: tabiya {' '.join(map(str, words))}: {made.tail()}")


def newest(folder, pattern):
    found = sorted(folder.glob(pattern))
    if not found:
        sys.exit(f"set-up made no {pattern} in {folder}")
    return found[-1]


def set_up(program, folder):
    """Makes files of all formats; (format, file to damage, command that reads it, its input)."""
    rng = seeded("set-up")
    text = games(rng, 60)
    (folder / "games.pgn").write_bytes(text)
    (folder / "games.pgn.gz").write_bytes(gzip.compress(text))
    (folder / "games.pgn.bz2").write_bytes(bz2.compress(text))
    frames = [zstandard.ZstdCompressor().compress(text[at : at + 20_000]) for at in range(0, len(text), 20_000)]
    (folder / "games.pgn.zst").write_bytes(b"".join(frames))
    must(program, "data", "prepare", folder / "games.pgn", "--with-eval", "--val-fraction", "0.2", "--out", folder / "parquet")
    must(program, "data", "pack", folder / "parquet", "--out", folder / "packed")
    must(program, "nnue", "train", "--data", folder / "packed", "--out", folder / "nnue", "--hidden", "32",
         "--positions", "4096", "--superbatch", "1024", "--batch-size", "256", "--warmup", "0", "--threads", "1")
    must(program, "pra", "train", "--data", folder / "parquet", "--out", folder / "pra", "--depth", "1", "--n-embd", "12",
         "--num-iterations", "4", "--total-batch-size", "32", "--device-batch-size", "32", "--save-every", "2",
         "--eval-every", "2", "--eval-positions", "64", "--threads", "1")
    shutil.copytree(ROOT / "crates/pra/model", folder / "model")
    shutil.copy(ROOT / "crates/engine/networks/tabiya.nnue", folder / "tabiya.nnue")
    shutil.copytree(TABLES, folder / "syzygy")
    fens = "\n".join(board_fens(rng, 40)) + "\n"
    (folder / "fens.txt").write_text(fens)
    (folder / "book.epd").write_text("".join(f"{' '.join(fen.split()[:4])} id \"x\";\n" for fen in fens.splitlines()))
    must(program, "match", "self", "self", "--nodes", "50", "--games", "4", "--max-moves", "10",
         "--openings", folder / "book.epd", "--state", folder / "match.jsonl")
    relative = lambda path: path.relative_to(folder)
    shard = relative(newest(folder / "parquet/train", "*.parquet"))
    packed = relative(newest(folder / "packed/train", "*"))
    manifest = relative(newest(folder / "parquet", "*manifest.json"))
    checkpoint = relative(max((p for p in (folder / "nnue").rglob("*") if p.is_file()), key=lambda p: p.stat().st_size))
    network = Path("nnue/network.nnue")
    tables = [relative(table) for table in sorted((folder / "syzygy").glob("*.rtb?"))]
    pra_files = [relative(path) for path in sorted((folder / "pra").rglob("*")) if path.is_file() and path.suffix != ".svg"]
    uci = b"setoption name SyzygyPath value syzygy\nisready\n"
    for fen in ["8/8/8/8/8/2k5/8/K6Q w - - 0 1", "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1", "8/8/8/4k3/8/8/1R6/K7 b - - 3 9",
                "8/8/4k3/8/8/3K4/3BN3/8 w - - 0 1"]:
        uci += f"position fen {fen}\ngo depth 3\n".encode()
    # The end of the input ends the session, but not before its last search has answered.
    uci += b"isready\n"
    train = ["nnue", "train", "--data", "packed", "--out", "nnue", "--hidden", "32", "--positions", "4096",
             "--superbatch", "1024", "--batch-size", "256", "--warmup", "0", "--threads", "1", "--resume"]
    pra_train = ["pra", "train", "--data", "parquet", "--out", "pra", "--depth", "1", "--n-embd", "12",
                 "--num-iterations", "4", "--total-batch-size", "32", "--device-batch-size", "32", "--save-every", "2",
                 "--eval-every", "2", "--eval-positions", "64", "--threads", "1", "--resume"]
    return [
        ("pgn", [Path("games.pgn")], [["pgn", "check", "games.pgn"], ["pgn", "normalize", "games.pgn"]], b""),
        ("pgn.gz", [Path("games.pgn.gz")], [["pgn", "check", "games.pgn.gz"]], b""),
        ("pgn.bz2", [Path("games.pgn.bz2")], [["pgn", "stats", "games.pgn.bz2"]], b""),
        ("pgn.zst", [Path("games.pgn.zst")], [["pgn", "check", "games.pgn.zst"]], b""),
        ("parquet", [shard], [["data", "verify", "parquet"], ["data", "head", shard]], b""),
        ("packed", [packed], [["data", "verify", "packed"], ["nnue", "test", "tabiya.nnue", "--data", "packed"]], b""),
        ("manifest", [manifest], [["data", "info", "parquet"], ["data", "pack", "parquet", "--out", "new"]], b""),
        ("network", [Path("tabiya.nnue")], [["eval", "--net", "tabiya.nnue", "startpos"]], b""),
        ("small network", [network], [["eval", "--net", network, "startpos"]], b""),
        ("nnue checkpoint", [checkpoint], [["nnue", "export", checkpoint, "--out", "new.nnue"], train], b""),
        ("model", [Path("model/model.safetensors"), Path("model/config.json")], [["pra", "predict", "--model", "model"]], b""),
        ("pra checkpoint", pra_files, [pra_train], b""),
        ("syzygy", tables, [[]], uci),
        ("fens", [Path("fens.txt")], [["legal", "fens.txt"], ["eval", "--file", "fens.txt"]], b""),
        ("epd and match state", [Path("book.epd"), Path("match.jsonl")],
         [["match", "self", "self", "--nodes", "50", "--games", "4", "--max-moves", "10", "--openings", "book.epd",
           "--state", "match.jsonl"]], b""),
    ]


def board_fens(rng, count):
    for _ in range(count):
        board = chess.Board()
        for _ in range(rng.randrange(40)):
            legal = list(board.legal_moves)
            if not legal:
                break
            board.push(rng.choice(legal))
        yield board.fen()


def attack(program, original, target, commands, stdin, rng):
    """Defects of one damaged copy."""
    with tempfile.TemporaryDirectory() as copy:
        copy = Path(copy) / "files"
        # Hard links, so that a copy costs nothing; the damaged file is replaced, never written to.
        shutil.copytree(original, copy, copy_function=link)
        path = copy / target
        damaged = damage(rng, path.read_bytes())
        path.unlink()
        path.write_bytes(damaged)
        for command in commands:
            ended = run([program, *command], stdin=stdin, cwd=copy, timeout=30)
            if fault := ended.fault():
                kept = Path(tempfile.mkdtemp(prefix="tabiya-attack-")) / target.name
                kept.write_bytes(damaged)
                return f"{fault}: tabiya {' '.join(map(str, command))} with {kept} as {target}: {ended.tail()}"
    return None


def link(source, target):
    # Files that commands append to or lock must be the copy's own.
    if Path(source).stat().st_size < 1 << 16:
        shutil.copy2(source, target)
    else:
        Path(target).hardlink_to(source)


def main():
    args = arguments(__doc__, count=1000, only="")
    report = Report("damage")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, targets, commands, stdin in set_up(args.program, folder):
            if args.only and name not in args.only.split(","):
                continue

            def one(number):
                rng = seeded(args.seed, name, number)
                return attack(args.program, folder, rng.choice(targets), commands, stdin, rng)

            defects = [defect for defect in in_parallel(one, range(args.count)) if defect]
            report.add(args.count)
            for defect in defects:
                report.defect(f"{name}: {defect}")
            print(f"damage: {name}: {args.count} damaged files, {len(defects)} defects", flush=True)
    report.end()


if __name__ == "__main__":
    main()
