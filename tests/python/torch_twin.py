"""The transformer in PyTorch of crates/peers/python, beside a model of ours."""

import importlib
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "crates/peers/python"


def load():
    """The module pra_torch. It needs torch and safetensors."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("pra_torch")
    finally:
        sys.path.remove(str(FOLDER))


def assert_same_outputs(model, module, positions):
    """Compares the outputs of a model with those of a module in PyTorch."""
    import torch

    twin = load()
    fens = twin.positions(positions)
    with torch.no_grad():
        policy, value = module(*twin.encode(fens))
    ours, wdl = model.outputs(fens)
    assert np.allclose(ours, policy.numpy(), atol=1e-4)
    white = np.array([1 if " w " in fen else -1 for fen in fens])
    assert np.allclose((wdl[:, 0] - wdl[:, 2]) * white, value.numpy(), atol=1e-4)
