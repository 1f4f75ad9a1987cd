"""Code written for a project of bitboard features in Python, unchanged but for its imports."""

import contextlib
import io

import chess as python_chess
import numpy as np
import pytest
from tabiya import chess
from tabiya.features import BitboardFeatures, as_tensors, convert_old_order
from tabiya.nnue import ChessNNUEModel, FeatureDataset

#: Runs every snippet with the boards of both libraries.
both = pytest.mark.parametrize("chess", [chess, python_chess], ids=["tabiya", "python-chess"])


@pytest.fixture(autouse=True)
def arrays():
    """Arrays, whether torch is imported by another test or not."""
    as_tensors(False)
    yield
    as_tensors(None)


@both
def test_basic_feature_extraction(chess):
    board = chess.Board()

    # Get Virgo-style bitboards [2, 6, 64]
    bitboards = BitboardFeatures.board_to_bitmap(board)

    # Get flattened features for model [768]
    features = BitboardFeatures.board_to_features(board)

    assert bitboards.shape == (2, 6, 64) and features.shape == (768,)
    assert (bitboards.reshape(768) == features).all()


@both
def test_accessing_specific_pieces(chess):
    board = chess.Board()
    # Get all black pawns
    black_pawns = BitboardFeatures.get_piece_bitboard(board, chess.BLACK, chess.PAWN)
    # Get all white knights
    white_knights = BitboardFeatures.get_piece_bitboard(board, chess.WHITE, chess.KNIGHT)
    assert np.flatnonzero(black_pawns).tolist() == list(range(48, 56))
    assert np.flatnonzero(white_knights).tolist() == [1, 6]


@both
def test_direct_bitboard_access(chess):
    board = chess.Board()
    bitboards = BitboardFeatures.board_to_bitmap(board)

    # Access using Virgo indices
    BLACK = BitboardFeatures.BLACK  # 0
    WHITE = BitboardFeatures.WHITE  # 1
    PAWN = BitboardFeatures.PAWN    # 0
    KNIGHT = BitboardFeatures.KNIGHT # 1

    # Get black pawns
    black_pawns = bitboards[BLACK][PAWN]  # [64]

    # Get white rooks
    white_rooks = bitboards[WHITE][BitboardFeatures.ROOK]  # [64]

    # Count pieces
    num_black_pawns = int(bitboards[BLACK][PAWN].sum())
    assert (num_black_pawns, KNIGHT, len(black_pawns), int(white_rooks.sum())) == (8, 1, 64, 2)


@both
def test_model_integration(chess):
    model = ChessNNUEModel()

    # Single position
    board = chess.Board()
    score = model.evaluate_board(board)

    # Batch processing
    positions = [chess.Board(), chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")]
    features = np.stack([BitboardFeatures.board_to_features(b) for b in positions])
    outputs = model(features)
    assert isinstance(score, float) and outputs.shape == (2, 1)


@both
def test_constants(chess):
    assert (BitboardFeatures.BLACK, BitboardFeatures.WHITE) == (0, 1)
    assert BitboardFeatures.COLOR_TO_INDEX == {
        chess.BLACK: 0,
        chess.WHITE: 1,
    }
    names = ("PAWN", "KNIGHT", "BISHOP", "ROOK", "QUEEN", "KING")
    assert [getattr(BitboardFeatures, name) for name in names] == list(range(6))
    assert BitboardFeatures.PIECE_TO_INDEX == {
        chess.PAWN:   0,
        chess.KNIGHT: 1,
        chess.BISHOP: 2,
        chess.ROOK:   3,
        chess.QUEEN:  4,
        chess.KING:   5,
    }


@both
def test_example_1_count_all_pieces(chess, capsys):
    board = chess.Board()
    bitboards = BitboardFeatures.board_to_bitmap(board)

    # Count all pieces
    total_pieces = int(bitboards.sum())
    print(f"Total pieces: {total_pieces}")  # 32

    # Count by color
    black_pieces = int(bitboards[BitboardFeatures.BLACK].sum())
    white_pieces = int(bitboards[BitboardFeatures.WHITE].sum())
    print(f"Black: {black_pieces}, White: {white_pieces}")  # 16, 16
    assert capsys.readouterr().out == "Total pieces: 32\nBlack: 16, White: 16\n"


@both
def test_example_2_list_all_pieces(chess):
    board = chess.Board()
    bitboards = BitboardFeatures.board_to_bitmap(board)

    piece_names = ['Pawn', 'Knight', 'Bishop', 'Rook', 'Queen', 'King']
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for color_idx, color_name in enumerate(['Black', 'White']):
            print(f"\n{color_name} pieces:")
            for piece_idx, piece_name in enumerate(piece_names):
                count = int(bitboards[color_idx][piece_idx].sum())
                if count > 0:
                    print(f"  {piece_name}: {count}")
    lines = "  Pawn: 8\n  Knight: 2\n  Bishop: 2\n  Rook: 2\n  Queen: 1\n  King: 1\n"
    assert out.getvalue() == f"\nBlack pieces:\n{lines}\nWhite pieces:\n{lines}"


@both
def test_example_3_find_piece_locations(chess, capsys):
    board = chess.Board()
    bitboards = BitboardFeatures.board_to_bitmap(board)

    # Find all white rook positions
    white_rooks = bitboards[BitboardFeatures.WHITE][BitboardFeatures.ROOK]
    rook_squares = [i for i in range(64) if white_rooks[i] == 1.0]

    # Convert to chess notation
    for square in rook_squares:
        print(f"White rook at {chess.SQUARE_NAMES[square]}")
    assert capsys.readouterr().out == "White rook at a1\nWhite rook at h1\n"


@both
def test_example_4_custom_analysis(chess):
    def analyze_position(board):
        """Analyze a chess position using Virgo-style bitboards"""
        bitboards = BitboardFeatures.board_to_bitmap(board)

        # Material count
        piece_values = {
            BitboardFeatures.PAWN: 1,
            BitboardFeatures.KNIGHT: 3,
            BitboardFeatures.BISHOP: 3,
            BitboardFeatures.ROOK: 5,
            BitboardFeatures.QUEEN: 9,
            BitboardFeatures.KING: 0,
        }

        white_material = sum(
            int(bitboards[BitboardFeatures.WHITE][piece].sum()) * value
            for piece, value in piece_values.items()
        )

        black_material = sum(
            int(bitboards[BitboardFeatures.BLACK][piece].sum()) * value
            for piece, value in piece_values.items()
        )

        return {
            'white_material': white_material,
            'black_material': black_material,
            'material_balance': white_material - black_material,
        }

    # Use it
    board = chess.Board()
    analysis = analyze_position(board)
    assert analysis == {'white_material': 39, 'black_material': 39, 'material_balance': 0}


def test_a_model_is_the_same_after_saving_and_loading(tmp_path):
    model = ChessNNUEModel(seed=3)
    model.save(tmp_path / "model.safetensors")
    copy = ChessNNUEModel.load(tmp_path / "model.safetensors")
    fens = [chess.STARTING_FEN, "8/5k2/8/8/3Q4/8/8/K7 b - - 0 1"]
    assert (copy.evaluate(fens) == model.evaluate(fens)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
    with pytest.raises(FileNotFoundError):
        ChessNNUEModel.load(tmp_path / "none")
    (tmp_path / "bad").write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match="safetensors"):
        ChessNNUEModel.load(tmp_path / "bad")


def clipped(values):
    return np.clip(values, 0, 1)


def forward(state, rows):
    """The network by the definition, in NumPy."""

    def layer(name, inputs):
        return inputs @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    towers = clipped(layer("mover", rows[:, :384])) + clipped(layer("opponent", rows[:, 384:]))
    hidden = clipped(layer("hidden", towers))
    inner = clipped(layer("residual.0", hidden))
    hidden = clipped(hidden + layer("residual.1", inner))
    return layer("output", clipped(layer("last", hidden)))


def test_outputs_are_those_of_the_definition_in_pawns_and_evaluations_in_centipawns():
    model = ChessNNUEModel(seed=2)
    boards = [chess.Board(), chess.Board("8/5k2/8/8/3Q4/8/8/K7 b - - 0 1")]
    rows = np.stack([BitboardFeatures.features_for_mover(board) for board in boards])
    expected = forward(model.state_dict(), rows)
    assert np.allclose(model(rows), expected, atol=1e-5)
    assert np.allclose(model.evaluate(boards), 100 * expected[:, 0], atol=1e-3)
    assert np.allclose(model.evaluate_board(boards[1]), model.evaluate(boards)[1])
    assert model(rows[0]).shape == (1,)
    for wrong in (np.zeros((2, 767)), np.zeros(3), np.zeros((1, 2, 768))):
        with pytest.raises(ValueError, match="shape"):
            model(wrong)


def test_states_are_checked_and_may_have_other_names():
    model = ChessNNUEModel(seed=2)
    state = model.state_dict()
    fen = "8/5k2/8/8/3Q4/8/8/K7 b - - 0 1"
    other_names = {f"layer{n}": value for n, value in enumerate(state.values())}
    for given in (state, other_names, {f"module.{name}": value for name, value in state.items()}):
        assert ChessNNUEModel.from_state_dict(given).evaluate_board(fen) == model.evaluate_board(fen)
    translated = ChessNNUEModel.from_state_dict(
        {name.upper(): value for name, value in state.items()}, names={name.upper(): name for name in state}
    )
    assert translated.evaluate_board(fen) == model.evaluate_board(fen)
    with pytest.raises(ValueError, match="14 tensors"):
        ChessNNUEModel.from_state_dict({"mover.weight": state["mover.weight"]})
    with pytest.raises(ValueError, match="shape|expected"):
        ChessNNUEModel.from_state_dict({**state, "mover.bias": np.zeros(3, np.float32)})
    with pytest.raises(ValueError, match="nan|NaN"):
        ChessNNUEModel.from_state_dict({**state, "output.bias": np.full(1, np.nan, np.float32)})


def test_a_model_of_the_old_order_gives_the_same_outputs_for_converted_inputs():
    old = ChessNNUEModel(seed=4)
    new = ChessNNUEModel.from_state_dict(old.state_dict(), old_order=True)
    inputs = (np.random.default_rng(1).random((5, 768)) < 0.04).astype(np.float32)
    # The sums of the towers are added in another order.
    assert np.allclose(old(inputs), new(convert_old_order(inputs)), atol=1e-6)
    assert not np.allclose(old(inputs), new(inputs), atol=1e-6)
    assert (convert_old_order(convert_old_order(inputs)) == inputs).all()
    with pytest.raises(ValueError, match="768"):
        convert_old_order(np.zeros((2, 767)))


def test_wrong_boards_raise():
    for call in (BitboardFeatures.board_to_bitmap, BitboardFeatures.board_to_features, ChessNNUEModel().evaluate_board):
        for wrong in (None, 3, object()):
            with pytest.raises(TypeError):
                call(wrong)
        with pytest.raises(ValueError):
            call("nonsense")
    with pytest.raises(ValueError, match="piece type"):
        BitboardFeatures.get_piece_bitboard(chess.Board(), chess.WHITE, 7)


def test_a_data_set_has_features_and_evaluations_of_the_side_to_move(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 { [%eval 0.5] } e5 { [%eval 0.25] } 2. Nf3 { [%eval #3] } Nc6 *\n")
    data = FeatureDataset.from_pgn(path)
    assert len(data) == 2
    features, value = data[0]
    board = chess.Board()
    board.push_san("e4")
    assert (features == BitboardFeatures.features_for_mover(board)).all() and value == -0.5
    assert data[-1][1] == 0.25
    with pytest.raises(IndexError):
        data[2]
    batch = data.__getitems__([1, 0])
    assert [float(value) for _, value in batch] == [0.25, -0.5]
