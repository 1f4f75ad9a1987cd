"""tabiya.ray: a cluster of two nodes on this machine, one of which is killed; the bytes are those of one machine."""

import hashlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest
from tabiya import data
from tabiya._tabiya import TextChunks

pytestmark = pytest.mark.full

LINES = [
    "1. e4 { [%eval 0.3] } e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O { [%eval #3] } 6. Nf3 h6 7. Bh4 b6",
    "1. f3 e5 2. g4 Qh4#",
]


def content(folder):
    """Hashes of all files of a data set but its lock."""
    folder = pathlib.Path(folder)
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "_lock")
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Cluster:
    """Two nodes with a CPU each. Commands must show the token."""

    def __init__(self):
        pytest.importorskip("ray")
        self.folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.environment = {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        self.processes = []
        self.second = None

    def begin(self):
        port = self.address.rpartition(":")[2]
        self.start("127.0.0.1", "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}")
        self.wait_for_nodes(1)
        self.add_second()

    def start(self, ip, *arguments):
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *arguments, f"--node-ip-address={ip}"]
        command += ["--num-cpus=1", "--object-store-memory=200000000", "--disable-usage-stats", "--block"]
        log = open(os.path.join(self.folder, f"start-{ip}.log"), "ab")
        process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def add_second(self):
        if self.second is None or self.second.poll() is not None:
            self.second = self.start("127.0.0.2", f"--address={self.address}")
        self.wait_for_nodes(2)

    def wait_for_nodes(self, count):
        code = (
            "import ray, sys\n"
            f"ray.init(address={self.address!r}, log_to_driver=False, logging_level='ERROR')\n"
            f"sys.exit(sum(node['Alive'] for node in ray.nodes()) != {count})"
        )
        for _ in range(20):
            if subprocess.run([sys.executable, "-c", code], env=self.environment, capture_output=True).returncode == 0:
                return
            time.sleep(1)
        pytest.fail(f"{count} nodes did not start: see {self.folder}")

    def kill_second(self):
        """All processes of the node at once, as when the power goes."""
        os.killpg(self.second.pid, signal.SIGKILL)
        self.second.wait()

    def run(self, *arguments, kill=False):
        """Runs ``python -m tabiya.ray``; may kill the second node as soon as both have done work."""
        command = [sys.executable, "-m", "tabiya.ray", *map(str, arguments), "--address", self.address, "--progress"]
        errors = os.path.join(self.folder, "errors.log")
        with open(errors, "wb") as stderr:
            process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
        while kill and process.poll() is None:
            if "2 nodes" in pathlib.Path(errors).read_text():
                self.kill_second()
                assert process.poll() is None, "it was done before the node was killed"
                break
            time.sleep(0.02)
        out, _ = process.communicate(timeout=1200)
        assert process.returncode == 0, pathlib.Path(errors).read_text()
        return json.loads(out)

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster()
    try:
        cluster.begin()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    with open(path, "w") as file:
        for n in range(25_000):
            result = ["1-0", "0-1", "1/2-1/2", "*"][n % 4]
            # A broken game now and then: its chunk is converted and reported by this machine.
            moves = "1. e4 e4" if n % 9_000 == 5 else LINES[n % 3]
            file.write(f'[Event "{n}"]\n[Result "{result}"]\n\n{moves} {result}\n\n')
    return path


OPTIONS = dict(with_eval=True, val_fraction=0.1, shard_rows=50_000, group_rows=5_000, seed=7)
ARGUMENTS = ["--with-eval", "--val-fraction=0.1", "--shard-rows=50000", "--group-rows=5000", "--seed=7"]


@pytest.mark.parametrize("order", ["games", "dedup"])
def test_prepare_survives_the_loss_of_a_node(cluster, games, tmp_path, order):
    more = [] if order == "games" else ["--dedup", "--max-positions=150000"]
    cluster.add_second()
    arguments = ["prepare", games, "--out", tmp_path / "out", *ARGUMENTS, *more]
    report = cluster.run(*arguments, "--chunk-bytes=5000", kill=True)
    assert len(report["nodes"]) == 2, report["nodes"]
    assert not (tmp_path / "out.chunks").exists()
    options = OPTIONS if order == "games" else {**OPTIONS, "dedup": True, "max_positions": 150_000}
    single = data.prepare(games, tmp_path / "single", **options)
    assert content(tmp_path / "out") == content(tmp_path / "single")
    assert single["problems"] == report["problems"] > 0 and data.verify(tmp_path / "out")["problems"] == 0
    assert cluster.run(*arguments)["complete_before"]


@pytest.mark.parametrize("limit", ["games", "positions"])
def test_selfplay_survives_the_loss_of_a_node(cluster, tmp_path, limit):
    cluster.add_second()
    size = {"games": 60} if limit == "games" else {"positions": 2000}
    arguments = [f"--{limit}={size[limit]}", "--nodes=100", "--unit-games=1", "--hash=1", "--seed=5", "--val-fraction=0.2"]
    report = cluster.run("selfplay", "--out", tmp_path / "out", *arguments, kill=True)
    assert len(report["nodes"]) == 2, report["nodes"]
    assert not (tmp_path / "out.units").exists()
    options = dict(nodes=100, unit_games=1, hash=1, seed=5, val_fraction=0.2)
    data.selfplay(tmp_path / "single", **size, **options)
    assert content(tmp_path / "out") == content(tmp_path / "single")


def test_an_interrupted_call_resumes(cluster, games, tmp_path):
    command = [sys.executable, "-m", "tabiya.ray", "prepare", str(games), "--out", str(tmp_path / "out")]
    command += ["--chunk-bytes=5000", *ARGUMENTS, "--address", cluster.address]
    process = subprocess.Popen(command, env=cluster.environment, stderr=subprocess.PIPE, text=True)
    chunks = tmp_path / "out.chunks"
    while process.poll() is None and len(list(chunks.glob("*.chunk"))) < 10:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(list(chunks.glob("*.chunk")))
    assert before >= 10
    report = cluster.run(*command[3:-2])
    data.prepare(games, tmp_path / "single", **OPTIONS)
    assert content(tmp_path / "out") == content(tmp_path / "single")
    all_chunks = sum(1 for _ in TextChunks([str(games)], 5000))
    assert sum(report["nodes"].values()) == all_chunks - before


def test_the_cluster_asks_for_its_token(cluster):
    code = f"import ray; ray.init(address={cluster.address!r}, log_to_driver=False)"
    environment = {**cluster.environment, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    wrong = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert wrong.returncode != 0


def test_wrong_arguments_say_what_is_wrong(cluster, games, tmp_path):
    for arguments, reason in [
        (["prepare", str(tmp_path / "none.pgn")], "none.pgn"),
        (["prepare", str(games), "--columns", "elo"], "'elo' is no column"),
        (["selfplay"], "number of games or of positions is missing"),
    ]:
        command = [sys.executable, "-m", "tabiya.ray", *arguments, "--out", str(tmp_path / "x")]
        command += ["--address", cluster.address]
        failed = subprocess.run(command, env=cluster.environment, capture_output=True, text=True)
        assert failed.returncode == 1 and reason in failed.stderr and "Traceback" not in failed.stderr


def test_a_network_file_is_sent_to_the_nodes(cluster, tmp_path):
    network = pathlib.Path(__file__).resolve().parents[2] / "crates/engine/networks"
    (file,) = network.glob("*.nnue")
    arguments = ["--games=4", "--nodes=30", "--unit-games=1", "--hash=1", f"--net={file}"]
    cluster.run("selfplay", "--out", tmp_path / "out", *arguments)
    data.selfplay(tmp_path / "single", games=4, nodes=30, unit_games=1, hash=1, net=file)
    assert content(tmp_path / "out") == content(tmp_path / "single")
