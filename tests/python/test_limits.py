"""Memory, threads and wrong arguments."""

import gc
import os
import threading

import pytest
import tabiya
from tabiya import Engine, batch, chess

#: `make test-python-full` has the full numbers.
FULL = bool(os.environ.get("TABIYA_FULL"))
COPIES, SEARCHES = (1_000_000, 10_000) if FULL else (200_000, 500)


def resident():
    """Memory of this process in mebibytes."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.fixture
def grows_by():
    """By how many mebibytes this process grows in a job of so many rounds, after others to warm up."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc")

    def measure(work, warmup, rounds):
        work(warmup)
        before = resident()
        work(rounds)
        return resident() - before

    return measure


def test_memory_stays_flat_over_copies_of_boards(grows_by):
    board = chess.Board()
    for _ in range(40):
        board.push(next(iter(board.legal_moves)))

    def work(count):
        for _ in range(count):
            copy = board.copy()
            copy.push(next(iter(copy.legal_moves)))
            copy.fen()

    assert grows_by(work, COPIES // 10, COPIES) < 4


def test_memory_stays_flat_over_searches(grows_by):
    engine = Engine(hash=1)
    board = chess.Board()

    def work(count):
        for _ in range(count):
            engine.analyse(board, nodes=50)

    assert grows_by(work, SEARCHES // 5, SEARCHES) < 8


def test_memory_stays_flat_over_batches(grows_by):
    fens = [chess.STARTING_FEN] * 500

    def work(count):
        for _ in range(count):
            batch.features(fens, layout="uint8")
            batch.uci_to_san(fens, ["e2e4"] * len(fens)).to_pylist()
            batch.evaluate(fens)
            batch.features(batch.fens(fens))

    assert grows_by(work, 20, 100) < 8


def test_eight_threads_work_at_once():
    failures = []

    def work(number):
        try:
            board = chess.Board()
            engine = Engine(hash=1)
            for ply in range(30):
                moves = list(board.legal_moves)
                if not moves:
                    break
                board.push(moves[(ply * 7 + number) % len(moves)])
                again = chess.Board(board.fen())
                assert again.fen() == board.fen() and list(again.legal_moves) == list(board.legal_moves)
                assert batch.features([board] * 4).shape == (4, 768)
            assert engine.analyse(board.root(), nodes=100)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_board_shared_by_threads_stays_whole():
    board = chess.Board()
    stop = threading.Event()
    failures = []

    def read():
        while not stop.is_set():
            try:
                assert len(list(board.legal_moves)) == 20 or board.move_stack
                board.fen()
            except RuntimeError:
                # Another thread changes the board at this moment: refused, not torn.
                pass
            except BaseException as error:
                failures.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(2000):
        board.push_uci("e2e4")
        board.pop()
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == [] and board.fen() == chess.STARTING_FEN


#: Arguments of every wrong kind.
ODD = [None, -1, 64, 2**70, 1.5, float("nan"), "", "nonsense", "é" * 50, b"\xff", [], {}, object(), [None], True]


def public_functions():
    """Everything callable in the compiled module, and the methods of objects of it."""
    made = [chess.Board(), chess.Move.from_uci("e2e4"), chess.Piece(1, True), chess.SquareSet(7), Engine()._engine]
    for value in [*vars(tabiya._tabiya).values(), *made]:
        if isinstance(value, type) or (callable(value) and getattr(value, "__name__", "") != "main"):
            yield value
    for thing in [*made, *(value for value in vars(tabiya._tabiya).values() if isinstance(value, type))]:
        for name in dir(thing):
            if name not in ("__class__", "__reduce_ex__", "__reduce__", "__init_subclass__", "__subclasshook__", "__dir__"):
                method = getattr(thing, name, None)
                if callable(method):
                    yield method


def test_wrong_arguments_raise_python_errors_and_never_panic(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a path is a valid argument of some: they write there
    for function in public_functions():
        for arguments in [(), *((odd,) for odd in ODD), *((odd, odd) for odd in ODD), (ODD[0], ODD[3], ODD[5])]:
            try:
                function(*arguments)
            except Exception as error:
                assert "Panic" not in type(error).__name__, (function, arguments, error)
