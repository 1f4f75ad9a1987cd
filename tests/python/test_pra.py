"""tabiya.pra: predictions, attention, model files, and PyTorch."""

import json
import math
import threading

import chess as python_chess
import numpy as np
import pytest
import torch_twin
from tabiya import chess, pra

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
BLACK = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
PROMOTION = "8/P6k/8/8/8/8/6K1/8 w - - 0 1"


@pytest.fixture(scope="module")
def model():
    return pra.load()


def test_a_prediction_has_all_legal_moves_and_probabilities_that_sum_to_one(model):
    for fen in [chess.STARTING_FEN, KIWIPETE, BLACK, PROMOTION]:
        prediction, board = model.predict(fen), chess.Board(fen)
        assert {move.move for move in prediction.moves} == set(board.legal_moves)
        assert {move.san for move in prediction.moves} == {board.san(move) for move in board.legal_moves}
        odds = [move.probability for move in prediction.moves]
        assert odds == sorted(odds, reverse=True) and math.isclose(sum(odds), 1, abs_tol=1e-5)
        assert math.isclose(prediction.win + prediction.draw + prediction.loss, 1, abs_tol=1e-5)
        assert 0 <= prediction.expected_score <= 1
    assert model.predict(chess.STARTING_FEN).best.san in {"e4", "d4", "Nf3", "c4"}


def test_a_position_without_moves_has_none(model):
    mated = model.predict("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert mated.moves == [] and mated.best is None


def test_fens_and_boards_of_either_library_give_the_same(model):
    boards = [KIWIPETE, chess.Board(KIWIPETE), python_chess.Board(KIWIPETE)]
    one, two, three = model.predict(boards)
    assert one == two == three


def test_batches_give_what_single_positions_give(model):
    fens = [chess.STARTING_FEN, KIWIPETE, BLACK, PROMOTION] * 70
    together = model.predict(fens, threads=2)
    for fen, prediction in list(zip(fens, together))[-4:]:
        alone = model.predict(fen, threads=1)
        assert [m.move for m in alone.moves] == [m.move for m in prediction.moves]
        found = np.array([m.probability for m in prediction.moves])
        assert np.allclose(found, [m.probability for m in alone.moves], atol=1e-5)
    policy, value = model.outputs(fens)
    assert policy.shape == (280, 4288) and value.shape == (280, 3) and policy.dtype == value.dtype == np.float32
    assert np.allclose(value[1], [together[1].win, together[1].draw, together[1].loss], atol=1e-6)
    assert model.predict([]) == [] and model.outputs([])[0].shape == (0, 4288)


def test_logits_are_by_policy_index(model):
    policy, _ = model.outputs(chess.STARTING_FEN)
    board = chess.Board()
    logits = {move: policy[move.from_square * 64 + move.to_square] for move in board.legal_moves}
    assert max(logits, key=logits.get) == model.predict(board).best.move


def test_temperature_sharpens(model):
    cold, hot = model.predict(KIWIPETE, temperature=0), model.predict(KIWIPETE, temperature=5)
    assert cold.best.probability == 1 and hot.best.probability < model.predict(KIWIPETE).best.probability


def test_attention_is_masked_by_the_moves_of_pieces_and_sums_to_one(model):
    maps = model.attention([KIWIPETE, BLACK])
    assert maps.shape == (2, model.config["depth"], 12, 64, 64) and maps.dtype == np.float32
    assert np.allclose(maps.sum(-1), 1, atol=1e-5)
    empty = chess.Board(None)
    for head, piece in enumerate(pra.HEADS):
        if piece not in ("knight", "bishop", "rook", "queen", "king"):
            continue
        for square in chess.SQUARES:
            empty.clear_board()
            empty.set_piece_at(square, chess.Piece(chess.PIECE_NAMES.index(piece), chess.WHITE))
            reached = set(empty.attacks(square)) | {square}
            for n in range(2):
                weights = maps[n, :, head, square]
                assert {int(key) for layer in weights for key in np.nonzero(layer > 1e-6)[0]} <= reached
    assert np.array_equal(model.attention(BLACK), maps[1])


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "full")
    again = pra.load(tmp_path / "full")
    assert again.config == model.config and again.predict(KIWIPETE) == model.predict(KIWIPETE)
    tensors = again.tensors()
    assert all(np.array_equal(tensors[name], array) for name, array in model.tensors().items())
    model.save(tmp_path / "half", half=True)
    assert (tmp_path / "half/model.safetensors").stat().st_size < 0.6 * (tmp_path / "full/model.safetensors").stat().st_size
    assert pra.load(tmp_path / "half").predict(KIWIPETE).best.move == model.predict(KIWIPETE).best.move


def test_tensors_make_a_model_and_wrong_ones_are_refused(model):
    tensors = model.tensors()
    wrapped = {f"module._orig_mod.{name}": array for name, array in tensors.items()}
    assert pra.Model.from_state_dict(wrapped).predict(KIWIPETE) == model.predict(KIWIPETE)
    name = "blocks.0.attn.c_q.weight"
    with pytest.raises(KeyError, match=f"tensor '{name}' is missing"):
        pra.Model.from_state_dict({key: value for key, value in tensors.items() if key != name})
    with pytest.raises(KeyError, match="unknown tensor 'more'"):
        pra.Model.from_state_dict({**tensors, "more": tensors[name]})
    with pytest.raises(ValueError, match="has shape"):
        pra.Model.from_state_dict({**tensors, name: tensors[name][:5]})
    with pytest.raises(ValueError, match="is NaN"):
        pra.Model.from_state_dict({**tensors, name: np.full_like(tensors[name], np.nan)})
    with pytest.raises(ValueError, match="not the tensors of a model"):
        pra.Model.from_state_dict({"weight": np.zeros((2, 2))})


def test_configurations_are_found_in_the_shapes():
    for reference in [True, False]:
        model = pra.Model.random(2, 24, seed=3, reference=reference)
        again = pra.Model.from_state_dict(model.tensors())
        assert again.config == model.config and again.predict(KIWIPETE) == model.predict(KIWIPETE)
        assert model.config["promotions"] is not reference
    assert pra.Model.random(1, 12, seed=1).predict(KIWIPETE) == pra.Model.random(1, 12, seed=1).predict(KIWIPETE)


def test_wrong_arguments_say_what_is_wrong(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="config.json is missing"):
        pra.load(tmp_path)
    with pytest.raises(ValueError, match="'?x'?"):
        model.predict("x")
    with pytest.raises(TypeError, match="FEN or a board, not int"):
        model.predict(5)
    with pytest.raises(TypeError, match="FEN or a board, not NoneType"):
        model.predict([None])
    with pytest.raises(ValueError, match="threads must be from 1 to 256"):
        model.predict(KIWIPETE, threads=0)
    with pytest.raises(ValueError, match="temperature"):
        model.predict(KIWIPETE, temperature=float("nan"))
    with pytest.raises(ValueError, match="multiple of 12"):
        pra.Model.random(1, 13)
    (tmp_path / "config.json").write_text(json.dumps(model.config))
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="safetensors"):
        pra.load(tmp_path)


def test_threads_may_share_a_model(model):
    expected, found = model.predict(KIWIPETE), []
    threads = [threading.Thread(target=lambda: found.extend(model.predict([KIWIPETE] * 8))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 64
    assert all(np.isclose(p.win, expected.win, atol=1e-5) for p in found)


@pytest.mark.full
def test_a_module_of_pytorch_with_our_state_dict_gives_our_outputs():
    torch = pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    pra_torch = torch_twin.load()
    module = pra_torch.random_model(2, 48, seed=7)
    model = pra.Model.from_state_dict(module.state_dict())
    assert model.config == {**model.config, "depth": 2, "n_embd": 48, "promotions": False, "turned": False}
    torch_twin.assert_same_outputs(model, module, 64)
    back = pra_torch.Pra(2, 48)
    back.load_state_dict(model.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(back.parameters(), module.parameters()))
