"""tabiya.data: the jobs, their interruption, and data sets in other libraries."""

import hashlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tabiya import chess, data

GAME = '[Event "{0}"]\n[Site "x"]\n[Result "{1}"]\n[WhiteElo "{2}"]\n[BlackElo "1500"]\n\n{3} {1}\n\n'
LINES = [
    "1. e4 {{ [%eval 0.3] [%clk 0:01:00] }} e5 {{ [%eval 0.2] }} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O {{ [%eval #3] }} 6. Nf3 h6",
    "1. f3 e5 2. g4 Qh4#",
]


def write_games(path, count, broken=()):
    with open(path, "w") as file:
        for n in range(count):
            result = ["1-0", "0-1", "1/2-1/2", "*"][n % 4]
            moves = "1. e4 e4" if n in broken else LINES[n % 3].replace("{{", "{").replace("}}", "}")
            file.write(GAME.format(n, result, 1000 + n % 1000, moves))
    return path


def content(folder):
    """Hashes of all files of a data set but its lock."""
    folder = pathlib.Path(folder)
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "_lock")
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "games.pgn", 600)
    options = dict(with_eval=True, val_fraction=0.2, shard_rows=500, group_rows=100, seed=3)
    data.prepare(folder / "games.pgn", folder / "positions", **options)
    return folder / "positions"


def test_prepare_reports_what_it_wrote_and_a_complete_set_is_left_alone(positions, tmp_path):
    games = write_games(tmp_path / "games.pgn", 30, broken={4})
    report = data.prepare([games], tmp_path / "out", with_eval=True)
    assert (report["games"], report["problems"], report["complete_before"]) == (30, 1, False)
    assert report["positions"] == report["train"] == report["counts"]["positions"] > 200
    assert data.prepare([games], tmp_path / "out", with_eval=True)["complete_before"]
    info = data.info(positions)
    assert info["rows"] == info["train"] + info["validation"] and info["validation"] > 0
    assert [column["name"] for column in info["columns"]][:3] == ["fen", "best_move", "eval"]
    verified = data.verify(positions)
    assert verified["problems"] == 0 and verified["rows"] == info["rows"]
    assert data.manifest(positions)["options"]["shard_rows"] == 500


def test_prepare_gives_the_bytes_of_the_program(positions, tmp_path):
    program = [sys.executable, "-m", "tabiya", "data", "prepare", str(positions.parent / "games.pgn")]
    options = ["--with-eval", "--val-fraction", "0.2", "--shard-rows", "500", "--group-rows", "100", "--seed", "3"]
    subprocess.run([*program, "--out", str(tmp_path / "out"), *options], check=True, capture_output=True)
    assert content(tmp_path / "out") == content(positions)


def test_verify_finds_damage(positions, tmp_path):
    import shutil

    shutil.copytree(positions, tmp_path / "damaged")
    file = next((tmp_path / "damaged/train").glob("*.parquet"))
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2] ^= 255
    file.write_bytes(damaged)
    assert data.verify(tmp_path / "damaged")["problems"] > 0


def test_filters_orders_and_formats(positions, tmp_path):
    games = positions.parent / "games.pgn"
    packed = data.prepare(games, tmp_path / "packed", format="packed", dedup=True, min_elo=1500)
    assert packed["counts"]["skipped_games"]["elo"] > 0 and packed["counts"]["skipped_positions"]["duplicate"] > 0
    some = data.prepare(games, tmp_path / "some", columns=["eval", "fen"], shuffle=True, max_positions=77)
    assert some["positions"] == 77
    assert [column["name"] for column in data.manifest(tmp_path / "some")["columns"]] == ["fen", "eval"]
    parts = [data.prepare(games, tmp_path / f"part{n}", shard=(n, 3))["positions"] for n in (1, 2, 3)]
    assert sum(parts) == data.info(positions)["rows"] and min(parts) > 0


def test_ctrl_c_stops_prepare_and_the_same_call_resumes(tmp_path):
    games = write_games(tmp_path / "games.pgn", 60_000)
    code = (
        "import sys; from tabiya import data\n"
        "print('begun', flush=True)\n"
        f"data.prepare({str(games)!r}, {str(tmp_path / 'out')!r}, threads=1, shard_rows=20000, progress=True)\n"
        "print('done')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    shard = tmp_path / "out/train/train-00000.parquet"
    while not shard.exists() and process.poll() is None:
        time.sleep(0.005)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if "done" in out:
        pytest.skip("it was done before the signal arrived")
    assert process.returncode == -signal.SIGINT or "KeyboardInterrupt" in err
    assert time.monotonic() - begin < 5 and (tmp_path / "out/_progress.json").exists()
    report = data.prepare(games, tmp_path / "out", shard_rows=20000)
    assert report["resumed"] and not report["complete_before"]
    data.prepare(games, tmp_path / "whole", shard_rows=20000)
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_progress_is_shown_when_asked_and_where_somebody_watches(positions, tmp_path, monkeypatch):
    games = positions.parent / "games.pgn"
    for progress, name in [(None, "a"), (True, "b"), (False, "c")]:
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        data.prepare(games, tmp_path / name, progress=progress)
        assert ("prepare" in stream.getvalue()) == (progress is True), stream.getvalue()
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    data.prepare(games, tmp_path / "d", shuffle=True)
    assert "prepare: " in stream.getvalue() and "sort: 100 %" in stream.getvalue()


def test_batches_have_all_rows_once_and_typed_columns(positions):
    seen = list(data.batches(positions, 64))
    assert sum(len(batch["fen"]) for batch in seen) == data.info(positions)["train"]
    batch = seen[0]
    assert batch["board"].shape == (64, 32) and batch["board"].dtype == np.uint8
    assert batch["eval"].dtype == np.float32 and batch["ply"].dtype == np.int32 and batch["game"].dtype == np.int64
    evals = np.concatenate([batch["eval"] for batch in seen])
    assert set(np.unique(evals[~np.isnan(evals)])) == {20, 30} and np.isnan(evals).any()
    for fen, move in zip(batch["fen"], batch["best_move"]):
        assert chess.Move.from_uci(move) in chess.Board(fen).legal_moves
    rows = lambda batches: [(g, p) for b in batches for g, p in zip(b["game"].tolist(), b["ply"].tolist())]
    ordered, columns = rows(seen), ["game", "ply"]
    shuffled = rows(data.batches(positions, 100, columns=columns, seed=1, buffer_rows=500))
    again = rows(data.batches(positions, 7, columns=columns, seed=1, buffer_rows=500))
    other = rows(data.batches(positions, 100, columns=columns, seed=1, epoch=1, buffer_rows=500))
    assert shuffled == again != ordered and other != shuffled and sorted(shuffled) == sorted(ordered) == sorted(other)
    parts = [rows(data.batches(positions, 50, columns=columns, part=n, parts=3)) for n in range(3)]
    assert sum(parts, []) == ordered and all(parts)


def test_polars_reads_a_split_lazily(positions):
    polars = pytest.importorskip("polars")
    frame = data.scan(positions)
    assert isinstance(frame, polars.LazyFrame)
    info = data.info(positions)
    assert frame.select(polars.len()).collect().item() == info["train"]
    assert data.scan(positions, None).select(polars.len()).collect().item() == info["rows"]
    counts = data.scan(positions, "validation").group_by("result").len().collect()
    assert counts["len"].sum() == info["validation"]


def test_wrong_arguments_say_what_is_wrong(positions, tmp_path):
    games = positions.parent / "games.pgn"
    with pytest.raises(TypeError, match="prepare has no option 'shufle'; there are"):
        data.prepare(games, tmp_path / "a", shufle=True)
    with pytest.raises(FileNotFoundError, match="nothing.pgn"):
        data.prepare(tmp_path / "nothing.pgn", tmp_path / "a")
    with pytest.raises(ValueError, match="sample rate must be from 0 to 1"):
        data.prepare(games, tmp_path / "a", sample_rate=2)
    with pytest.raises(ValueError, match="'elo' is no column"):
        data.prepare(games, tmp_path / "a", columns=["elo"])
    with pytest.raises(ValueError, match="packed rows"):
        data.prepare(games, tmp_path / "a", format="packed", pov="mover")
    with pytest.raises(ValueError, match="it holds another data set: options.seed was 3"):
        data.prepare(games, positions, with_eval=True, val_fraction=0.2, shard_rows=500, group_rows=100, seed=4)
    with pytest.raises(ValueError, match="no data set: there is no _SUCCESS"):
        data.info(tmp_path)
    with pytest.raises(ValueError, match="threads must be from 1 to 256, not 0"):
        data.info(positions, threads=0)
    with pytest.raises(ValueError, match="'test' is no split"):
        next(data.batches(positions, split="test"))
    with pytest.raises(ValueError, match="no reader 3 among 3"):
        next(data.batches(positions, part=3, parts=3))
    with pytest.raises(ValueError, match="batch size"):
        data.batches(positions, 0)
    assert not (tmp_path / "a").exists()
    data.prepare(games, tmp_path / "packed", format="packed")
    with pytest.raises(ValueError, match="tabiya data unpack"):
        data.scan(tmp_path / "packed")
    assert next(data.batches(tmp_path / "packed", 5))["board"].shape == (5, 32)


def test_an_exception_of_the_progress_callback_stops_the_job(positions, tmp_path):
    from tabiya import _tabiya
    from tabiya.data._jobs import prepare_options

    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        games = str(positions.parent / "games.pgn")
        _tabiya.data_prepare([games], str(tmp_path / "out"), prepare_options(), None, fail)


def test_selfplay_plays_and_units_of_other_machines_are_used(tmp_path):
    options = dict(games=6, nodes=40, unit_games=2, hash=1, seed=2, val_fraction=0.3)
    report = data.selfplay(tmp_path / "whole", **options, threads=2)
    assert report["games"] == 6 and report["positions"] > 0
    program = [sys.executable, "-m", "tabiya", "selfplay", "--games", "6", "--nodes", "40", "--unit-games", "2"]
    program += ["--hash", "1", "--seed", "2", "--val-fraction", "0.3"]
    for shard in (1, 2):
        command = [*program, "--shard", f"{shard}/2", "--out", str(tmp_path / f"shard{shard}")]
        subprocess.run(command, check=True, capture_output=True)
    assert len(list(tmp_path.glob("shard*/*.games"))) == 3
    data.selfplay(tmp_path / "merged", **options, units=[tmp_path / "shard1", tmp_path / "shard2"])
    assert content(tmp_path / "merged") == content(tmp_path / "whole")
    with pytest.raises(TypeError, match="selfplay has no option 'game'"):
        data.selfplay(tmp_path / "x", game=1)
    with pytest.raises(ValueError, match="number of games or of positions is missing"):
        data.selfplay(tmp_path / "x")


def test_chunks_that_other_machines_converted_give_the_same_data_set(tmp_path):
    games = write_games(tmp_path / "games.pgn", 200, broken={150})
    options = dict(with_eval=True, val_fraction=0.3, seed=2, dedup=True)
    data.prepare(games, tmp_path / "whole", **options)
    program = [sys.executable, "-m", "tabiya", "data", "prepare", str(games), "--with-eval", "--val-fraction", "0.3"]
    program += ["--seed", "2", "--dedup"]
    for shard in (1, 2):
        command = [*program, "--shard", f"{shard}/2", "--convert-only", "--out", str(tmp_path / f"shard{shard}"), "--json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        report = json.loads(done.stdout)
        # The last game is a chunk of its own.
        assert (report["chunks"], report["with_problems"]) == (1, 2 - shard)
    folders = [str(tmp_path / f"shard{shard}") for shard in (1, 2)]
    done = subprocess.run([*program, "--chunks", *folders, "--out", str(tmp_path / "joined")], capture_output=True)
    assert done.returncode == 1 and content(tmp_path / "joined") == content(tmp_path / "whole")
    report = data.prepare(games, tmp_path / "again", chunks=folders, **options)
    assert report["problems"] == 1 and content(tmp_path / "again") == content(tmp_path / "whole")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        data.prepare(games, tmp_path / "x", chunks=tmp_path / "nowhere", **options)


@pytest.mark.full
def test_workers_and_ranks_of_pytorch_read_each_row_once(positions):
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    total = data.info(positions)["train"]
    seen = []
    for rank in range(2):
        dataset = data.PositionDataset(
            positions, 50, columns=["game", "ply", "board", "eval", "fen"], seed=5, rank=rank, world_size=2
        )
        assert dataset.rows == total
        for batch in DataLoader(dataset, batch_size=None, num_workers=2):
            assert isinstance(batch["board"], torch.Tensor) and batch["board"].dtype == torch.uint8
            assert batch["eval"].dtype == torch.float32 and isinstance(batch["fen"][0], str)
            seen += zip(batch["game"].tolist(), batch["ply"].tolist())
    assert len(seen) == len(set(seen)) == total
    first = data.PositionDataset(positions, 50, columns=["game"], seed=5, transform=lambda batch: batch["game"])
    orders = []
    for epoch in (0, 1):
        first.set_epoch(epoch)
        orders.append(torch.cat(list(first)))
    assert not torch.equal(*orders) and torch.equal(orders[0].sort()[0], orders[1].sort()[0])


@pytest.mark.full
def test_hugging_face_reads_the_exported_folder(positions, tmp_path):
    datasets = pytest.importorskip("datasets")
    out = data.huggingface(positions, tmp_path / "hub")
    loaded = datasets.load_dataset(out, cache_dir=str(tmp_path / "cache"))
    info = data.info(positions)
    assert {name: split.num_rows for name, split in loaded.items()} == {
        "train": info["train"],
        "validation": info["validation"],
    }
    batch = next(data.batches(positions, 3))
    assert loaded["train"][:3]["fen"] == batch["fen"]
    assert [bytes(board) for board in loaded["train"][:3]["board"]] == [bytes(board) for board in batch["board"]]


def test_the_exported_folder_has_a_card_and_all_files(positions, tmp_path):
    out = pathlib.Path(data.huggingface(positions, tmp_path / "hub"))
    files = {path.name for path in (out / "data").iterdir()}
    assert len(files) == len(data.manifest(positions)["files"]) and any("train-00000-of-" in name for name in files)
    card = (out / "README.md").read_text()
    assert "path: data/validation-*" in card and "| `fen` |" in card
    with pytest.raises(FileExistsError):
        data.huggingface(positions, out)
