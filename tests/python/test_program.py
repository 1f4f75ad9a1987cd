"""`python -m tabiya` is the program itself."""

import os
import signal
import subprocess
import sys
import time

import tabiya

PROGRAM = [sys.executable, "-m", "tabiya"]


def run(*arguments, **options):
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_it_has_the_commands_of_the_program():
    assert run("--version").stdout == f"tabiya {tabiya.__version__}\n"
    found = run("perft", "3")
    assert found.returncode == 0 and "8902" in found.stdout.replace(",", "")
    assert run("board", "--fen", "8/8/8/8/8/8/4k3/K7 w - - 0 1", "--svg").stdout.startswith("<svg")


def test_exit_codes_and_errors_are_those_of_the_program():
    wrong = run("perft", "x")
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: ")
    missing = run("pgn", "check", "/nowhere.pgn")
    assert missing.returncode == 1 and missing.stderr.startswith("tabiya: ")


def test_without_arguments_it_is_a_uci_engine():
    talk = "uci\nisready\nposition startpos moves e2e4\ngo depth 3\n"
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdin.write(talk)
        engine.stdin.flush()
        lines = []
        while not lines or not lines[-1].startswith("bestmove"):
            lines.append(engine.stdout.readline())
        engine.stdin.write("quit\n")
        engine.stdin.flush()
        assert engine.wait(20) == 0
    assert "uciok\n" in lines and "readyok\n" in lines


def test_ctrl_c_ends_the_engine_as_it_ends_the_program():
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdin.write("uci\ngo infinite\n")
        engine.stdin.flush()
        while engine.stdout.readline() != "uciok\n":
            pass
        begun = time.monotonic()
        os.kill(engine.pid, signal.SIGINT)
        assert engine.wait(20) == -signal.SIGINT
        assert time.monotonic() - begun < 2


def test_a_reader_that_goes_away_is_no_error():
    command = " ".join(f'"{word}"' for word in [*PROGRAM, "help"])
    found = subprocess.run(f"{command} | head -n 1", shell=True, capture_output=True, text=True, timeout=60)
    assert found.stderr == "" and found.stdout.count("\n") == 1


def test_a_match_starts_further_engines(tmp_path):
    games = tmp_path / "games.pgn"
    call = ["match", "self", "self", "--games", "2", "--depth", "1", "--max-moves", "20", "--pgn", str(games)]
    found = run(*call)
    assert found.returncode == 0, found.stderr
    assert games.read_text().count("[Result ") == 2
