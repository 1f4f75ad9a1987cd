"""``python -m tabiya.watch``."""

import argparse
import os
import sys
from typing import List, Optional

from . import Sink, TensorBoard, Text, Wandb, follow


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m tabiya.watch", description="Follow a training.")
    parser.add_argument("run", metavar="RUN", help="output directory of a training, with its log.jsonl")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--wandb", action="store_true", help="log to Weights & Biases")
    target.add_argument("--tensorboard", metavar="DIR", help="write an event file for TensorBoard")
    parser.add_argument("--project", default="tabiya", help="project of Weights & Biases [default: tabiya]")
    parser.add_argument("--name", help="name of the run in Weights & Biases [default: the name of the directory]")
    parser.add_argument("--once", action="store_true", help="read the lines there are, and end")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="end when no line has come for so long")
    parser.add_argument("--interval", type=float, default=1.0, metavar="SECONDS", help="time between two looks [default: 1]")
    args = parser.parse_args(arguments)
    if not os.path.isdir(args.run):
        print(f"tabiya.watch: there is no directory '{args.run}'", file=sys.stderr)
        return 1
    if args.once and not os.path.exists(os.path.join(args.run, "log.jsonl")):
        print(f"tabiya.watch: '{args.run}' has no log.jsonl", file=sys.stderr)
        return 1
    sink: Sink
    if args.wandb:
        try:
            sink = Wandb(args.project, args.name or os.path.basename(os.path.abspath(args.run)))
        except ImportError:
            print("tabiya.watch: --wandb needs wandb: pip install wandb", file=sys.stderr)
            return 1
    else:
        sink = TensorBoard(args.tensorboard) if args.tensorboard else Text()
    try:
        follow(args.run, sink, once=args.once, interval=args.interval, idle=args.idle)
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
