"""Features and networks with PyTorch."""

import numpy as np
import pytest
from tabiya import batch, chess
from tabiya.features import BitboardFeatures, convert_old_order
from tabiya.nnue import ChessNNUEModel, FeatureDataset

pytestmark = pytest.mark.full

FENS = [chess.STARTING_FEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def towers(torch):
    """The network in PyTorch."""
    nn = torch.nn

    class Towers(nn.Module):
        def __init__(self):
            super().__init__()
            self.mover, self.opponent = nn.Linear(384, 512), nn.Linear(384, 512)
            self.hidden = nn.Linear(512, 64)
            self.residual = nn.ModuleList([nn.Linear(64, 64), nn.Linear(64, 64)])
            self.last, self.output = nn.Linear(64, 64), nn.Linear(64, 1)

        def forward(self, x):
            towers = self.mover(x[:, :384]).clamp(0, 1) + self.opponent(x[:, 384:]).clamp(0, 1)
            hidden = self.hidden(towers).clamp(0, 1)
            hidden = (hidden + self.residual[1](self.residual[0](hidden).clamp(0, 1))).clamp(0, 1)
            return self.output(self.last(hidden).clamp(0, 1))

    return Towers()


def test_single_positions_are_tensors_that_stack(torch):
    model = ChessNNUEModel()

    # Batch processing
    positions = [chess.Board(), chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")]
    features = torch.stack([BitboardFeatures.board_to_features(b) for b in positions])
    outputs = model(features)

    assert isinstance(outputs, torch.Tensor) and outputs.shape == (2, 1)
    assert isinstance(BitboardFeatures.get_piece_bitboard(positions[0], chess.WHITE, chess.PAWN), torch.Tensor)


def test_the_new_code_of_the_migration_notes(torch):
    # New: structured [2][6][64]
    bitboards = torch.zeros(2, 6, 64)
    white_pawns = bitboards[BitboardFeatures.WHITE][BitboardFeatures.PAWN]
    black_pawns = bitboards[BitboardFeatures.BLACK][BitboardFeatures.PAWN]
    assert white_pawns.shape == black_pawns.shape == (64,)


def test_tensors_share_the_memory_of_arrays_and_can_be_given(torch):
    array = batch.features(FENS)
    assert torch.from_numpy(array).data_ptr() == array.ctypes.data
    out = torch.zeros(2, 768)
    batch.features(FENS, out=out)
    assert (out.numpy() == array).all()


def test_models_agree_with_pytorch_and_are_exchanged(torch, tmp_path):
    torch.manual_seed(1)
    module = towers(torch)
    features = torch.from_numpy(batch.features(FENS, order="mover"))
    expected = module(features).detach()
    for content in (
        module.state_dict(),
        {"model_state_dict": module.state_dict(), "epoch": 3},
        {"state_dict": {f"module.{name}": value for name, value in module.state_dict().items()}},
    ):
        torch.save(content, tmp_path / "model.pt")
        model = ChessNNUEModel.load(tmp_path / "model.pt")
        assert torch.allclose(model(features), expected, atol=1e-5)
    other = towers(torch)
    other.load_state_dict({name: torch.from_numpy(value) for name, value in model.state_dict().items()})
    assert torch.equal(other(features), expected)
    old = ChessNNUEModel.load(tmp_path / "model.pt", old_order=True)
    swapped = torch.from_numpy(convert_old_order(features.numpy()))
    assert torch.allclose(old(swapped), expected, atol=1e-5)


def test_checkpoints_without_weights_are_refused(torch, tmp_path):
    torch.save({"epoch": 3}, tmp_path / "model.pt")
    with pytest.raises(ValueError, match="state_dict"):
        ChessNNUEModel.load(tmp_path / "model.pt")


def test_a_data_set_feeds_a_loader(torch, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 { [%eval 0.5] } e5 { [%eval 0.25] } 2. Nf3 { [%eval 0.3] } Nc6 *\n\n" * 20)
    data = FeatureDataset.from_pgn(path)
    for workers in (0, 2):
        loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True, num_workers=workers)
        rows = [(features, evals) for features, evals in loader]
        assert sum(len(evals) for _, evals in rows) == 60
        features, evals = rows[0]
        assert features.shape == (16, 768) and features.dtype == torch.float32 and evals.shape == (16,)
    assert np.isclose(float(data.evals.sum()), 20 * (-0.5 + 0.25 - 0.3))
