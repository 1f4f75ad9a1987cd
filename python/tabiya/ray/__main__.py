"""``python -m tabiya.ray prepare`` and ``python -m tabiya.ray selfplay``."""

import argparse
import contextlib
import json
import sys
from typing import Any, Callable, Dict, List, Optional

from .. import _tabiya
from . import prepare, selfplay

#: Types of options without a default value.
_TYPES = {"max_positions": int, "min_elo": int, "max_elo": int, "games": int, "positions": int}


def _pair(text: str) -> List[int]:
    for separator in ("..", "/"):
        text = text.replace(separator, " ")
    numbers = [int(number) for number in text.split()]
    return numbers * 2 if len(numbers) == 1 else numbers


def _add_options(parser: argparse.ArgumentParser, defaults: Dict[str, Any]) -> None:
    for name, default in defaults.items():
        option = "--" + name.replace("_", "-")
        if isinstance(default, bool):
            parser.add_argument(option, action="store_true", default=None)
        elif name in ("random_plies", "shard"):
            parser.add_argument(option, type=_pair)
        elif isinstance(default, list):
            parser.add_argument(option, type=lambda text: text.split(","))
        else:
            parser.add_argument(option, type=_TYPES.get(name) or type(default))


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m tabiya.ray", description="Make a data set with a Ray cluster.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("prepare", help="convert games: the options of 'tabiya data prepare'")
    one.add_argument("inputs", nargs="+", metavar="INPUT")
    one.add_argument("--chunk-bytes", type=int, help="text of a task [default: 4 MiB]")
    options = json.loads(_tabiya.data_default_options()[0])
    options.pop("order")
    _add_options(one, {**options, "shuffle": False, "dedup": False})
    two = commands.add_parser("selfplay", help="play games: the options of 'tabiya selfplay'")
    two.add_argument("--net", default=None, metavar="FILE")
    two.add_argument("--syzygy", default=None, metavar="PATH")
    options = json.loads(_tabiya.selfplay_default_options())
    _add_options(two, {**options.pop("adjudication"), **options})
    for command in (one, two):
        command.add_argument("--out", required=True, metavar="DIR")
        command.add_argument("--address", help="address of the cluster [default: RAY_ADDRESS, or this machine alone]")
        command.add_argument("--threads", type=int)
        command.add_argument("--progress", action="store_true", default=None, help="show progress, terminal or not")
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    run: Callable[..., Dict[str, Any]] = prepare if given.pop("command") == "prepare" else selfplay
    try:
        # Ray prints what happens to workers; standard output has the report alone.
        with contextlib.redirect_stdout(sys.stderr):
            report = run(**given)
    except KeyboardInterrupt:
        print("tabiya.ray: interrupted; the same command resumes", file=sys.stderr)
        return 130
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        print(f"tabiya.ray: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
