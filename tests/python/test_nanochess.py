"""tabiya.nanochess: checkpoints of nanochess become models of ours."""

import json

import pytest
import torch_twin
from tabiya import nanochess, pra

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
META = {"step": 5000, "model_config": {"n_layer": 2, "n_embd": 24, "n_head": 12}, "user_config": {"run": "dummy"}}


def test_a_state_dict_and_its_metadata_are_a_model():
    model = pra.Model.random(2, 24, seed=3, reference=True)
    for prefix in ["", "_orig_mod.", "module._orig_mod."]:
        state = {prefix + name: array for name, array in model.tensors().items()}
        again = nanochess.convert(state, META)
        assert again.config == model.config and again.predict(KIWIPETE) == model.predict(KIWIPETE)
    for config, message in [
        ({"n_layer": 2, "n_embd": 24, "n_head": 8}, "12 heads, not 8"),
        ({"n_layer": 2}, "no model_config with n_layer and n_embd"),
        (None, "no model_config"),
        ({"n_layer": 2, "n_embd": 36}, "has shape"),
        ({"n_layer": 2, "n_embd": 25}, "multiple of 12"),
    ]:
        with pytest.raises(ValueError, match=message):
            nanochess.convert(model.tensors(), {"model_config": config})
    with pytest.raises(KeyError, match="tensor 'blocks.2.*is missing"):
        nanochess.convert(model.tensors(), {"model_config": {"n_layer": 3, "n_embd": 24}})


def test_what_is_missing_is_said_in_one_line(tmp_path, capsys):
    def said(*arguments):
        assert nanochess.main([*map(str, arguments), "--out", str(tmp_path / "out")]) == 1
        text = capsys.readouterr().err
        assert text.count("\n") == 1 and text.startswith("tabiya.nanochess: ")
        return text

    assert "has no model_*.pt" in said(tmp_path)
    (tmp_path / "model_005000.pt").write_bytes(b"nothing")
    assert "no checkpoint of step 7; it has: 5000" in said(tmp_path, "--step", 7)
    assert "meta_005000.json" in said(tmp_path)
    (tmp_path / "meta_005000.json").write_text(json.dumps(META))
    # Without PyTorch the error is that it is missing, with it that the file is damaged.
    assert said(tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.full
def test_a_checkpoint_of_pytorch_becomes_a_model_with_its_outputs(tmp_path, capsys):
    torch = pytest.importorskip("torch")
    pra_torch = torch_twin.load()
    module = pra_torch.random_model(2, 24, seed=7)
    # As nanochess saves it: embeddings in bfloat16 where they were on a GPU, names of torch.compile.
    state = {f"_orig_mod.{name}": value for name, value in module.state_dict().items()}
    for name in state:
        if "_embed." in name:
            state[name] = state[name].to(torch.bfloat16)
    for step, tensors in [(5, {name: torch.zeros_like(value) for name, value in state.items()}), (10, state)]:
        torch.save(tensors, tmp_path / f"model_{step:06d}.pt")
        (tmp_path / f"meta_{step:06d}.json").write_text(json.dumps({**META, "step": step}))
    assert nanochess.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert "depth=2 n_embd=24" in capsys.readouterr().out
    model = pra.load(tmp_path / "out")
    module.load_state_dict({name.removeprefix("_orig_mod."): value.float() for name, value in state.items()})
    torch_twin.assert_same_outputs(model, module, 32)
