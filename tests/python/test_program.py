"""`python -m tabiya` is the program itself."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
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


def on_a_terminal(*arguments, typed=""):
    """The lines that the program prints on a terminal of 60 columns while this is typed."""
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    with subprocess.Popen([*PROGRAM, *arguments], env=environment, **streams) as program:
        os.close(terminal)
        os.write(ours, typed.encode())
        printed = b""
        try:
            while data := os.read(ours, 4096):
                printed += data
        except OSError:
            pass  # Linux: the program has ended.
        assert program.wait(20) == 0
    os.close(ours)
    return printed.decode().replace("\r\n", "\n").splitlines()


def test_people_at_a_terminal_are_greeted_and_told_of_the_page_and_the_help():
    lines = on_a_terminal(typed="quit\n")
    greeting = " ".join(lines)
    assert greeting.find("a UCI chess engine") > 0
    assert "'tabiya play'" in greeting and "'tabiya help'" in greeting
    assert all(len(line) <= 60 for line in lines)
    answer = " ".join(on_a_terminal(typed="help\nquit\n"))
    assert answer.count("'tabiya play'") == 2 and "info string" not in answer


def test_programs_are_not_greeted():
    assert run(input="quit\n").stdout == ""


def test_lines_of_a_bench_fit_a_terminal_and_are_whole_and_ascii_in_a_pipe():
    lines = on_a_terminal("bench", "1")
    assert all(len(line) <= 60 for line in lines)
    assert any(line.endswith("…") for line in lines) and lines[-1].endswith(" nps")
    piped = run("bench", "1").stdout
    assert piped.isascii() and any(len(line) > 60 for line in piped.splitlines())


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
