"""tabiya.watch: logs of real trainings that are killed and resumed."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import threading
import time

import pytest
from tabiya import data, pra, watch


class Lines(watch.Sink):
    """Keeps what it receives."""

    def __init__(self):
        self.lines, self.restarts, self.is_closed = [], 0, False

    def restart(self):
        self.lines, self.restarts = [], self.restarts + 1

    def write(self, step, values):
        self.lines.append((step, values))

    def close(self):
        self.is_closed = True


def log_of(run):
    """The steps and numbers of a finished log."""
    lines = [json.loads(line) for line in (pathlib.Path(run) / "log.jsonl").read_text().splitlines()]
    return [(line.pop("step"), {k: v for k, v in line.items() if v is not None}) for line in lines]


def scalars(folder):
    """What TensorBoard reads: (tag, step) and value in the order of the events; checksums are verified."""
    (file,) = (file for file in pathlib.Path(folder).glob("*tfevents*") if file.stat().st_size)
    raw, at, found = file.read_bytes(), 0, []

    def masked_crc(data):
        """CRC-32C, bit by bit."""
        crc = 0xFFFFFFFF
        for byte in data:
            crc ^= byte
            for _ in range(8):
                crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        crc ^= 0xFFFFFFFF
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def varint(data, at):
        shift = value = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if not data[at - 1] & 128:
                return value, at

    def fields(data):
        at = 0
        while at < len(data):
            key, at = varint(data, at)
            if key & 7 == 0:
                value, at = varint(data, at)
            else:
                size, at = {1: (8, at), 5: (4, at)}.get(key & 7) or varint(data, at)
                value, at = data[at : at + size], at + size
            yield key >> 3, value

    while at < len(raw):
        (length,) = struct.unpack_from("<Q", raw, at)
        assert raw[at + 8 : at + 12] == masked_crc(raw[at : at + 8])
        event = raw[at + 12 : at + 12 + length]
        assert raw[at + 12 + length : at + 16 + length] == masked_crc(event)
        at += 16 + length
        parts = dict(fields(event))
        for _, value in fields(parts.get(5, b"")):
            tag, number = (part for _, part in fields(value))
            found.append((tag.decode(), parts[2], struct.unpack("<f", number)[0]))
    return found


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    tours = ["Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8", "Nh3 Nh6 Ng1 Ng8"]
    with open(folder / "games.pgn", "w") as file:
        for n in range(60):
            moves = " ".join(f"{tours[(n >> t % 5) % 3]} {{ [%eval 0.{n % 90 + 10}] }}" for t in range(8))
            file.write(f'[Event "{n}"]\n[Result "1-0"]\n\n{moves} 1-0\n\n')
    data.prepare(folder / "games.pgn", folder / "rows", with_eval=True, val_fraction=0.25, format="packed")
    data.prepare(folder / "games.pgn", folder / "positions", with_eval=True, val_fraction=0.25)
    return folder


def pra_train(rows, out, steps, save_every=1000):
    command = [sys.executable, "-m", "tabiya", "pra", "train", "--data", rows / "positions", "--out", out, "--depth", 1]
    command += ["--n-embd", 12, "--total-batch-size", 16, "--device-batch-size", 16, "--num-iterations", steps]
    command += ["--eval-every", 7, "--eval-positions", 16, "--save-every", save_every, "--threads", 1]
    return [str(argument) for argument in command]


def nnue_train(rows, out):
    command = [sys.executable, "-m", "tabiya", "nnue", "train", "--data", rows / "rows", "--out", out]
    command += ["--positions", 3000, "--hidden", 32, "--batch-size", 64, "--superbatch", 300, "--warmup", 500]
    return [str(argument) for argument in [*command, "--threads", 1, "--king-buckets", 2]]


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def steps_in(run):
    path = run / "log.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_finished_trainings_of_all_kinds_are_read(rows, tmp_path, capsys):
    for name, command in [("nnue", nnue_train(rows, tmp_path / "nnue")), ("pra", pra_train(rows, tmp_path / "pra", 14))]:
        subprocess.run(command, check=True, capture_output=True)
        sink = Lines()
        assert watch.follow(tmp_path / name, sink, once=True) == log_of(tmp_path / name)[-1][0]
        assert sink.lines == log_of(tmp_path / name) and sink.is_closed and sink.restarts == 0
        assert "loss" in sink.lines[0][1]
    assert pra.load(tmp_path / "pra").predict("4k3/8/8/8/8/8/8/4K3 w - - 0 1").moves
    from tabiya.watch.__main__ import main

    assert main([str(tmp_path / "pra"), "--tensorboard", str(tmp_path / "board"), "--once"]) == 0
    tags = {tag for tag, _, _ in scalars(tmp_path / "board")}
    assert {"train/loss", "train/accuracy", "validation/policy_loss", "validation/top1"} <= tags
    assert main([str(tmp_path / "nnue"), "--once"]) == 0
    assert capsys.readouterr().out.count("step ") == 10
    assert main([str(tmp_path / "nothing"), "--once"]) == 1
    assert "there is no directory" in capsys.readouterr().err


def test_a_killed_and_resumed_training_shows_each_step_once(rows, tmp_path):
    run, board = tmp_path / "run", tmp_path / "board"
    run.mkdir()
    sinks = [Lines(), watch.TensorBoard(board)]
    threads = [
        threading.Thread(target=watch.follow, args=(run, sink), kwargs={"interval": 0.002, "idle": 8}) for sink in sinks
    ]
    [thread.start() for thread in threads]
    command = pra_train(rows, run, 400, save_every=40)
    rewound = False
    for goal in (60, 150):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Killed between two checkpoints: the steps since the last are taken again.
        wait_for(lambda: steps_in(run) > goal or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.05)
        rewound |= steps_in(run) % 40 != 0
    assert rewound
    # A line that the kill cut short.
    with open(run / "log.jsonl", "ab") as file:
        file.write(b'{"step":99999,"lo')
    subprocess.run(command, check=True, capture_output=True)
    [thread.join() for thread in threads]
    expected = log_of(run)
    assert expected[-1][0] == 400 and sinks[0].lines == expected and sinks[0].restarts >= 1
    shown = scalars(board)
    assert len({(tag, step) for tag, step, _ in shown}) == len(shown)
    losses = [(step, value) for tag, step, value in shown if tag == "train/loss"]
    wanted = [(step, values["loss"]) for step, values in expected if "loss" in values]
    assert losses == [(step, struct.unpack("<f", struct.pack("<f", loss))[0]) for step, loss in wanted]


def test_watching_again_empties_the_event_file_of_before(rows, tmp_path):
    run = tmp_path / "run"
    subprocess.run(pra_train(rows, run, 8), check=True, capture_output=True)
    (tmp_path / "board").mkdir()
    (tmp_path / "board/other.tfevents.x").write_bytes(b"of another program")
    for _ in range(3):
        watch.follow(run, watch.TensorBoard(tmp_path / "board"), once=True)
    other = tmp_path / "board/other.tfevents.x"
    assert other.read_bytes() == b"of another program"
    other.unlink()
    assert len([1 for tag, _, _ in scalars(tmp_path / "board") if tag == "train/loss"]) == 8


def test_the_trainer_writes_the_scalars_that_watching_its_log_writes(rows, tmp_path):
    run, board = tmp_path / "run", tmp_path / "board"
    for steps in ["8", "8"]:
        command = [*pra_train(rows, run, int(steps)), "--tensorboard", str(board)]
        subprocess.run(command, check=True, capture_output=True)
    watch.follow(run, watch.TensorBoard(tmp_path / "watched"), once=True)
    assert sorted(scalars(board)) == sorted(scalars(tmp_path / "watched"))


def test_a_log_is_followed_through_every_kind_of_change(tmp_path):
    log, path = watch.LogFile(tmp_path), tmp_path / "log.jsonl"
    line = lambda step, loss: json.dumps({"step": step, "loss": loss}).encode() + b"\n"
    assert log.poll() == (False, [])
    path.write_bytes(line(1, 0.5) + line(2, 0.4)[:9])
    assert log.poll() == (False, [(1, {"loss": 0.5})])
    with open(path, "ab") as file:
        file.write(line(2, 0.4)[9:] + b"nonsense\n" + line(3, 0.3))
    assert log.poll() == (False, [(2, {"loss": 0.4}), (3, {"loss": 0.3})])

    def replace(content):
        (tmp_path / "new").write_bytes(content)
        os.replace(tmp_path / "new", path)

    # The same lines in a new file, and one more: a clean resume.
    replace(line(1, 0.5) + line(2, 0.4) + b"nonsense\n" + line(3, 0.3) + line(4, 0.2))
    assert log.poll() == (False, [(4, {"loss": 0.2})])
    # Replaced twice between two looks, shorter and longer again.
    replace(line(1, 0.5))
    replace(line(1, 0.5) + line(2, 0.9) + line(3, 0.8) + line(4, 0.7) + line(5, 0.6))
    losses = {1: 0.5, 2: 0.9, 3: 0.8, 4: 0.7, 5: 0.6}
    assert log.poll() == (True, [(step, {"loss": loss}) for step, loss in losses.items()])
    # Truncated in place, and removed for a moment.
    path.write_bytes(line(1, 0.1))
    assert log.poll() == (True, [(1, {"loss": 0.1})])
    path.unlink()
    assert log.poll() == (False, [])
    path.write_bytes(line(1, 0.1) + line(2, 0.1))
    assert log.poll() == (False, [(2, {"loss": 0.1})])
    log.close()


@pytest.mark.full
def test_tensorboard_itself_reads_the_event_file(rows, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = tmp_path / "run"
    subprocess.run(pra_train(rows, run, 14), check=True, capture_output=True)
    sink = watch.TensorBoard(tmp_path / "board")
    accumulator = EventAccumulator(str(tmp_path / "board"))
    sink.write(3, {"loss": 9.0})
    sink.flush()
    accumulator.Reload()
    assert [event.value for event in accumulator.Scalars("train/loss")] == [9.0]
    sink.restart()
    for step, values in log_of(run):
        sink.write(step, values)
    sink.close()
    # The one that was open has forgotten the first file.
    for reader in [accumulator, EventAccumulator(str(tmp_path / "board"))]:
        reader.Reload()
        found = [(event.step, event.value) for event in reader.Scalars("train/loss")]
        wanted = [(step, values["loss"]) for step, values in log_of(run) if "loss" in values]
        assert [step for step, _ in found] == [step for step, _ in wanted]
        assert all(abs(a[1] - b[1]) < 1e-5 for a, b in zip(found, wanted))


@pytest.mark.full
def test_wandb_offline_gets_each_step_once(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    from wandb.proto import wandb_internal_pb2

    def records(raw):
        """The records of an offline run: blocks of 32 KiB, each record with checksum, length and kind."""
        at, parts = 7, b""
        while at + 7 <= len(raw):
            if (left := 32768 - at % 32768) < 7:
                at += left
                continue
            _, length, kind = struct.unpack_from("<IHB", raw, at)
            parts, at = parts + raw[at + 7 : at + 7 + length], at + 7 + length
            if kind in (1, 4):
                record = wandb_internal_pb2.Record()
                record.ParseFromString(parts)
                parts = b""
                yield record

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "run"
    run.mkdir()
    line = lambda step, loss: json.dumps({"step": step, "loss": loss}) + "\n"
    (run / "log.jsonl").write_text("".join(line(n, 1 / n) for n in range(1, 6)))
    sink, log = watch.Wandb("test", "first"), watch.LogFile(run)
    [sink.write(step, values) for step, values in log.poll()[1]]
    kept = "".join(line(n, 1 / n) for n in range(1, 4))
    (run / "new").write_text(kept + line(4, 7.0) + json.dumps({"step": 4, "validation_loss": 3.0}) + "\n")
    os.replace(run / "new", run / "log.jsonl")
    is_void, lines = log.poll()
    assert is_void
    sink.restart()
    [sink.write(step, values) for step, values in lines]
    sink.close()

    histories = []
    for file in sorted((tmp_path / "wandb").glob("offline-run-*/*.wandb"), key=lambda f: f.stat().st_mtime_ns):
        history = []
        for record in records(file.read_bytes()):
            if record.WhichOneof("record_type") == "history":
                items = {i.key or "/".join(i.nested_key): json.loads(i.value_json) for i in record.history.item}
                history.append({k: v for k, v in items.items() if not k.startswith("_")})
        histories.append(history)
    assert len(histories) == 2
    wanted = [{"step": n, "train/loss": 1 / n} for n in range(1, 4)]
    assert histories[1] == [*wanted, {"step": 4, "train/loss": 7.0, "validation/loss": 3.0}]
