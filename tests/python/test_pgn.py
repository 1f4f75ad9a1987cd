"""Games in PGN."""

import io
import random

import pytest
from tabiya import chess
from tabiya.chess import engine, pgn, svg

ODD = """\
[Event "A"]
[White "Anna \\"the fox\\""]

{ before } 1. e4! {after} (1. d4 {queen's pawn} d5 (1... Nf6 $6)) e5 2. Qh5?! -- 3. Qxf7# 1-0

[Event "B"]

1. e4 Ke7 e5 2. d4 *

[Event "C"]

1. g1f3 d7d5 2. e2-e3 *
"""


def games(text, **options):
    file = io.StringIO(text)
    return list(iter(lambda: pgn.read_game(file, **options), None))


def test_a_game_survives_writing_and_reading():
    game = games(ODD)[0]
    text = str(game)
    again = games(text)[0]
    assert str(again) == text
    assert again.headers["White"] == 'Anna "the fox"'
    assert again.comment == "before" and again.next().nags == {1}
    assert [node.move.uci() for node in again.variations] == ["e2e4", "d2d4"]
    assert again.variations[1].variations[1].nags == {6}


def test_errors_are_kept_and_the_rest_of_the_line_is_skipped(caplog):
    game = games(ODD)[1]
    assert len(game.errors) == 1 and isinstance(game.errors[0], chess.IllegalMoveError)
    assert game.end().ply() == 1 and "Ke7" in caplog.text


def test_long_and_uci_notation_are_read():
    assert [move.uci() for move in games(ODD)[2].mainline_moves()] == ["g1f3", "d7d5", "e2e3"]


def test_headers_are_read_without_moves():
    file = io.StringIO(ODD)
    events = [headers["Event"] for headers in iter(lambda: pgn.read_headers(file), None)]
    assert events == ["A", "B", "C"]


def test_random_games_agree_with_python_chess():
    other = pytest.importorskip("chess.pgn")
    import chess as other_chess

    rng = random.Random(11)
    for _ in range(5):
        board = other_chess.Board()
        while not board.is_game_over() and board.ply() < 100:
            board.push(rng.choice(list(board.legal_moves)))
        theirs = other.Game.from_board(board)
        node = theirs
        for child in theirs.mainline():
            if rng.random() < 0.2:
                alternative = rng.choice(list(node.board().legal_moves))
                node.add_variation(alternative, comment="a } b", nags=[rng.randrange(1, 7)])
            if rng.random() < 0.2:
                child.comment = "word " * rng.randrange(1, 30)
            node = child
        text = str(theirs)
        ours = games(text)[0]
        assert not ours.errors
        back = other.read_game(io.StringIO(str(ours)))
        assert [m.uci() for m in back.mainline_moves()] == [m.uci() for m in theirs.mainline_moves()]
        assert str(back) == str(other.read_game(io.StringIO(text)))


def test_commands_in_comments():
    game = pgn.Game()
    node = game.add_variation(chess.Move.from_uci("e2e4"))
    node.set_eval(engine.PovScore(engine.Mate(-3), chess.WHITE), depth=20)
    node.set_clock(61.5)
    node.set_arrows([svg.Arrow(chess.E2, chess.E4, color="blue")])
    assert node.comment == "[%cal Be2e4] [%eval #-3,20] [%clk 0:01:01.5]"
    assert (node.eval().white().mate(), node.eval_depth(), node.clock()) == (-3, 20, 61.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pgn.parse_time_control("soon"),
        lambda: pgn.Game().headers.__setitem__("a b", "c"),
        lambda: pgn.Game().headers.__setitem__("A", "two\nlines"),
        lambda: svg.Arrow.from_pgn("Gz9"),
        lambda: pgn.Headers({"Variant": "Atomic"}).board(),
    ],
)
def test_wrong_values_raise_value_error(call):
    with pytest.raises(ValueError):
        call()


def test_garbage_never_raises():
    rng = random.Random(5)
    pieces = ["1.", "e4", "e5", "(", ")", "{", "}", ";", "\n", "\n\n", "$3", "!?", "[A \"b\"]\n", "%x\n", "*", "1-0", "Nf3", "é"]
    for _ in range(400):
        text = " ".join(rng.choice(pieces) for _ in range(rng.randrange(40)))
        for game in games(text):
            assert games(str(game)) is not None
