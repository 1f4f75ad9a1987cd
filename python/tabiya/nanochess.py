"""Checkpoints of nanochess (``model_005000.pt``, ``meta_005000.json``) as models of ours. ::

    python -m tabiya.nanochess ~/.cache/nanochess/pra_checkpoints/pra_d8 --out model
    tabiya pra eval --model model --data positions

The tensors have the same names and shapes as those of our reference model, so nothing is lost. PyTorch must be
installed to read the files. The state of the optimizer is not converted: ``tabiya pra train --from model`` trains on.
"""

import argparse
import json
import os
import re
import sys
from typing import Any, List, Mapping, Optional, Union

from . import pra

__all__ = ["convert", "load"]

_OPTIONS = ["promotions", "state_input", "turned", "self_in_masks", "light_value", "legal_mask"]


def convert(state: Mapping[str, Any], meta: Mapping[str, Any]) -> pra.Model:
    """A model with the tensors of a checkpoint, and the configuration of its metadata.

    >>> model = pra.Model.random(1, 12, reference=True)
    >>> state = {f"_orig_mod.{name}": array for name, array in model.tensors().items()}
    >>> convert(state, {"model_config": {"n_layer": 1, "n_embd": 12, "n_head": 12}}).config == model.config
    True
    """
    try:
        config = meta["model_config"]
        depth, n_embd, n_head = config["n_layer"], config["n_embd"], config.get("n_head", 12)
    except (KeyError, TypeError, AttributeError):
        raise ValueError("the metadata have no model_config with n_layer and n_embd") from None
    if n_head != 12:
        raise ValueError(f"a model has 12 heads, not {n_head}")
    return pra.Model.from_state_dict(state, {"depth": depth, "n_embd": n_embd, **dict.fromkeys(_OPTIONS, False)})


def load(folder: Union[str, "os.PathLike[str]"], step: Optional[int] = None) -> pra.Model:
    """The model of a step in a directory of checkpoints, or that of the last step."""
    folder = os.fspath(folder)
    found = [re.fullmatch(r"model_(\d+)\.pt", name) for name in os.listdir(folder)]
    digits = {int(match.group(1)): match.group(1) for match in found if match}
    if not digits:
        raise FileNotFoundError(f"'{folder}' has no model_*.pt")
    step = max(digits) if step is None else step
    if step not in digits:
        steps = ", ".join(map(str, sorted(digits)))
        raise FileNotFoundError(f"'{folder}' has no checkpoint of step {step}; it has: {steps}")
    with open(os.path.join(folder, f"meta_{digits[step]}.json"), encoding="utf-8") as file:
        meta = json.load(file)
    import torch

    state = torch.load(os.path.join(folder, f"model_{digits[step]}.pt"), map_location="cpu", weights_only=True)
    return convert(state, meta)


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m tabiya.nanochess", description="Convert a checkpoint of nanochess.")
    parser.add_argument("folder", metavar="DIR", help="directory with model_*.pt and meta_*.json")
    parser.add_argument("--step", type=int, metavar="N", help="step [default: the last]")
    parser.add_argument("--out", required=True, metavar="DIR", help="directory of the model: config.json and model.safetensors")
    parser.add_argument("--f16", action="store_true", help="write float16")
    args = parser.parse_args(arguments)
    try:
        model = load(args.folder, args.step)
        model.save(args.out, half=args.f16)
    except ImportError:
        print("tabiya.nanochess: reading a checkpoint needs PyTorch: pip install torch", file=sys.stderr)
        return 1
    except Exception as error:  # torch.load raises anything
        print(f"tabiya.nanochess: {str(error).splitlines()[0] if str(error) else type(error).__name__}", file=sys.stderr)
        return 1
    print(f"{model!r} in {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
