"""Whole columns of positions: `tabiya.batch`."""

import gzip
import random

import chess as python_chess
import numpy as np
import polars
import pyarrow
import pytest
from random_boards import random_boards
from tabiya import batch, chess

GAME = '[Event "?"]\n[WhiteElo "2000"]\n[BlackElo "1900"]\n[Result "1-0"]\n\n'
GAME += "1. e4 { [%eval 0.3] [%clk 0:01:00] } e5 { [%eval #-3] [%clk 0:00:59] } 2. Nf3 1-0\n\n"

BOARDS = random_boards(400)
FENS = [board.fen() for board in BOARDS]


def slow_features(board):
    """The features square by square."""
    row = np.zeros((2, 6, 64), dtype=np.float32)
    for square, piece in board.piece_map().items():
        row[int(piece.color), piece.piece_type - 1, square] = 1
    return row.reshape(768)


def test_features_of_fens_boards_and_packed_rows_are_those_found_square_by_square():
    expected = np.stack([slow_features(board) for board in BOARDS])
    for positions in (FENS, BOARDS, [chess.Board(fen) for fen in FENS], batch.pack(FENS), pyarrow.array(FENS)):
        assert (batch.features(positions) == expected).all()
    for series in (polars.Series(FENS), pyarrow.chunked_array([FENS[:100], FENS[100:]]), np.array(FENS, dtype=object)):
        assert (batch.features(series, threads=3) == expected).all()
    assert (batch.features(FENS, layout="uint8") == expected).all()
    assert (batch.features(FENS, layout="float64") == expected).all()
    bits = np.unpackbits(batch.features(FENS, layout="bits"), axis=1, bitorder="little")
    assert (bits == expected).all()
    for row, active in zip(expected, batch.features(FENS, layout="active")):
        assert active[active >= 0].tolist() == np.flatnonzero(row).tolist()


def test_large_batches_and_unaligned_arrays_are_written_alike():
    many = FENS * 20
    expected = np.tile(batch.features(FENS), (20, 1))
    assert expected.nbytes > 16 << 20
    assert (batch.features(many) == expected).all()
    # Neither at a cache line nor at 16 bytes.
    buffer = np.full(expected.size + 1, 7, dtype=np.float32)
    out = buffer[1:].reshape(expected.shape)
    assert (batch.features(many, out=out) == expected).all() and buffer[0] == 7
    assert (batch.features(many[:100], out=out[:100]) == expected[:100]).all()


def test_lists_of_texts_with_line_breaks_and_of_other_kinds_have_their_reason():
    assert batch.is_legal([FENS[0], FENS[0] + "\n", "\n".join(FENS[:2]), ""]).tolist() == [True, False, False, False]
    for positions in ((fen for fen in FENS), tuple(FENS), {fen: 1 for fen in FENS}, np.array(FENS)):
        assert batch.fens(positions).to_pylist() == FENS
    with pytest.raises(TypeError, match="item 1: a str, not int"):
        batch.features([FENS[0], 3])
    with pytest.raises(ValueError, match="surrogates"):
        batch.features([FENS[0], "\udc80"])

    def broken():
        yield FENS[0]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        batch.features(broken())


def test_features_for_the_mover_are_those_of_the_mirrored_board_of_black():
    mirrored = [board if board.turn else board.mirror() for board in BOARDS]
    for_mover = batch.features(BOARDS, order="mover").reshape(-1, 2, 384)
    # Ours come first; by color, Black's do.
    assert (for_mover == batch.features(mirrored).reshape(-1, 2, 384)[:, ::-1]).all()


def test_a_given_array_is_filled_and_returned():
    out = np.full((len(FENS), 768), 7, dtype=np.float32)
    assert batch.features(FENS, out=out) is out
    assert (out == batch.features(FENS)).all()
    part = np.zeros((len(FENS) + 10, 768), dtype=np.float32)
    batch.features(FENS, out=part[5:-5])
    assert (part[5:-5] == out).all() and not part[:5].any() and not part[-5:].any()
    scores = np.zeros(len(FENS), dtype=np.int32)
    assert batch.evaluate(FENS, out=scores) is scores and scores.any()
    assert batch.legal_mask(FENS, out=np.ones((len(FENS), 4288), dtype=bool)).sum() == batch.legal_mask(FENS).sum()


def test_arrays_that_do_not_fit_are_refused():
    for out, error in [
        (np.zeros((3, 768), dtype=np.float32), ValueError),
        (np.zeros((len(FENS), 768), dtype=np.float64), TypeError),
        (np.zeros((768, len(FENS)), dtype=np.float32).T, ValueError),
        ([1, 2, 3], TypeError),
    ]:
        with pytest.raises(error):
            batch.features(FENS, out=out)
    fixed = np.zeros((len(FENS), 768), dtype=np.float32)
    fixed.setflags(write=False)
    with pytest.raises(ValueError):
        batch.features(FENS, out=fixed)


def test_legal_moves_and_masks_are_those_of_python_chess():
    lists = batch.legal_moves(BOARDS).to_pylist()
    masks = batch.legal_mask(FENS, promotions=False)
    assert masks.shape == (len(FENS), 4096)
    for board, found, mask in zip(BOARDS, lists, masks):
        moves = list(board.legal_moves)
        assert sorted(found) == sorted(move.uci() for move in moves)
        assert set(np.flatnonzero(mask)) == {64 * move.from_square + move.to_square for move in moves}
    every = batch.legal_mask("4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    assert every.shape == (1, 4288) and every[0, 4096:].sum() == 4


def test_moves_are_converted_column_by_column():
    source = random.Random(5)
    pairs = [(board, source.choice(moves)) for board in BOARDS if (moves := list(board.legal_moves))]
    boards = [board for board, _ in pairs]
    sans = [board.san(move) for board, move in pairs]
    ucis = [move.uci() for _, move in pairs]
    assert batch.uci_to_san(boards, ucis).to_pylist() == sans
    assert batch.uci_to_san(boards, [move for _, move in pairs]).to_pylist() == sans
    assert batch.san_to_uci([board.fen() for board in boards], pyarrow.array(sans)).to_pylist() == ucis
    with pytest.raises(ValueError, match="row 1: 'e5' is illegal|row 1: "):
        batch.san_to_uci([chess.STARTING_FEN] * 2, ["e4", "e5"])
    assert batch.san_to_uci([chess.STARTING_FEN] * 2, ["e4", "e5"], errors="null").to_pylist() == ["e2e4", None]
    with pytest.raises(ValueError, match="2 positions, but 1 moves"):
        batch.san_to_uci([chess.STARTING_FEN] * 2, ["e4"])


def test_packed_rows_and_fens_round_trip():
    rows = batch.pack(FENS)
    assert rows.shape == (len(FENS), 32) and rows.dtype == np.uint8
    assert batch.fens(rows).to_pylist() == FENS
    assert batch.fens([bytes(row) for row in rows]).to_pylist() == FENS
    column = pyarrow.array([bytes(row) for row in rows], type=pyarrow.binary(32))
    assert batch.fens(column).to_pylist() == FENS


def test_perft_counts_with_any_number_of_threads():
    for threads in (1, 2, 5):
        assert batch.perft([chess.STARTING_FEN] * 2, 4, threads=threads).tolist() == [197281, 197281]
    with pytest.raises(ValueError, match="depth"):
        batch.perft(chess.Board(), 99)


def test_evaluations_change_sign_with_the_side_to_move_of_a_mirrored_board():
    mirrored = [board.mirror() for board in BOARDS]
    for network in (None, "classic"):
        assert (batch.evaluate(BOARDS, network=network) == batch.evaluate(mirrored, network=network)).all()
    assert (batch.evaluate(BOARDS) != batch.evaluate(BOARDS, network="classic")).any()
    with pytest.raises(FileNotFoundError):
        batch.evaluate(BOARDS, network="/nowhere.nnue")


def test_games_become_tables_with_the_columns_of_data_sets(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAME * 50)
    games = batch.read_pgn(path)
    assert (games.games, games.positions, games.problems, len(games)) == (50, 150, 0, 150)
    frame = polars.DataFrame(games)
    assert frame.columns == games.column_names == list(
        "fen best_move eval mate result ply white_elo black_elo game clock board history".split()
    )
    assert frame["fen"][0] == chess.STARTING_FEN
    assert frame["best_move"].to_list()[:3] == ["e2e4", "e7e5", "g1f3"]
    assert frame["eval"].to_list()[:3] == [None, 30, None] and frame["mate"].to_list()[:3] == [None, None, -3]
    assert pyarrow.table(games).num_rows == 150
    arrays = games.to_numpy()
    assert arrays["white_elo"].dtype == np.int16 and arrays["board"].shape == (150, 32)
    assert np.isnan(arrays["eval"][0]) and arrays["game"].tolist()[::3] == list(range(1, 51))
    assert (batch.features(arrays["board"]) == batch.features(frame["fen"])).all()


def test_compressed_files_and_several_files_are_read(tmp_path):
    (tmp_path / "a.pgn").write_text(GAME * 3)
    with gzip.open(tmp_path / "b.pgn.gz", "wt") as file:
        file.write(GAME * 2)
    pyarrow.CompressedOutputStream(str(tmp_path / "c.pgn.zst"), "zstd").write((GAME * 4).encode())
    assert batch.read_pgn([tmp_path / "a.pgn", tmp_path / "b.pgn.gz", tmp_path / "c.pgn.zst"]).games == 9
    assert batch.read_pgn(str(tmp_path)).games == 9
    table = batch.read_pgn(tmp_path, columns=["fen"], max_positions=5)
    assert (table.column_names, len(table)) == (["fen"], 5)


def test_wrong_files_options_and_games_have_their_reason(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAME + '[Event "?"]\n\n1. e4 e4 *\n')
    games = batch.read_pgn(path)
    assert games.problems == 1 and "e4" in games.first_problems[0]
    with pytest.raises(FileNotFoundError):
        batch.read_pgn(tmp_path / "none.pgn")
    with pytest.raises(TypeError, match="elo"):
        batch.read_pgn(path, elo=3)
    with pytest.raises(ValueError, match="no column"):
        batch.read_pgn(path, columns=["elo"])
    with pytest.raises(KeyError, match="no column"):
        games["elo"]


def test_positions_of_the_wrong_kind_raise():
    for positions in (3, None, [3], [None], [chess.Board(), "x"], object(), [b"short"], np.zeros((2, 31), np.uint8)):
        with pytest.raises((TypeError, ValueError)):
            batch.features(positions)
    with pytest.raises(ValueError, match="position 1: "):
        batch.features([chess.STARTING_FEN, "nonsense"])
    with pytest.raises(ValueError, match="position 1: no legal position"):
        batch.evaluate([chess.STARTING_FEN, "8/8/8/8/8/8/8/8 w - - 0 1"])
    for wrong in ({"order": "x"}, {"layout": "x"}, {"threads": 0}):
        with pytest.raises(ValueError):
            batch.features(FENS, **wrong)


def test_an_empty_batch_has_empty_results():
    assert batch.features([]).shape == (0, 768)
    assert batch.legal_moves([]).to_pylist() == []
    assert batch.evaluate([]).shape == (0,)


def test_columns_are_sequences_that_arrow_libraries_take():
    column = batch.uci_to_san([chess.Board()] * 3, ["e2e4", "x", "g1f3"], errors="null")
    assert (len(column), column[0], column[-1], column[1]) == (3, "e4", "Nf3", None)
    with pytest.raises(IndexError):
        column[3]
    assert pyarrow.array(column).to_pylist() == polars.Series(column).to_list() == column.to_pylist()
    lists = batch.legal_moves([chess.Board()])
    assert pyarrow.array(lists).to_pylist() == lists.to_pylist()


def test_arrow_libraries_share_the_memory_of_columns_and_tables(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAME * 50)
    games = batch.read_pgn(path)
    first, second = (pyarrow.table(games).column("fen").chunk(0).buffers()[2].address for _ in range(2))
    assert first == second
    column = batch.fens(FENS)
    assert pyarrow.array(column).buffers()[2].address == pyarrow.array(column).buffers()[2].address
    assert polars.DataFrame(games).height == len(games)
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT count(*), max(ply) FROM games").fetchall() == [(150, 2)]
