"""The two-tower MLP in PyTorch and in Tabiya, side by side in one run.

    python nnue_torch.py PROGRAM [--seconds S] [--rounds N] [--threads N] [--json]

PROGRAM is the `tabiya` program. Both get the same positions of random games and a model with the same
weights; first their values are compared, then each kind of work is measured, Tabiya and PyTorch in
turn, the best of all rounds counting. Features are extracted in Python as people do it: python-chess
reads the FEN, a loop over its pieces sets a tensor.

Needs torch and chess (python-chess). `make nnue-bench` installs them in an environment of their own.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import chess
import torch
from torch import nn


class Towers(nn.Module):
    """Two towers 384→512 with clipped ReLU, summed, →64, a residual block, →64→1."""

    def __init__(self):
        super().__init__()
        self.mover = nn.Linear(384, 512)
        self.opponent = nn.Linear(384, 512)
        self.hidden = nn.Linear(512, 64)
        self.residual = nn.ModuleList([nn.Linear(64, 64), nn.Linear(64, 64)])
        self.last = nn.Linear(64, 64)
        self.output = nn.Linear(64, 1)

    def forward(self, x):
        def clip(values):
            return torch.clamp(values, 0, 1)

        towers = clip(self.mover(x[:, :384])) + clip(self.opponent(x[:, 384:]))
        x = clip(self.hidden(towers))
        x = clip(x + self.residual[1](clip(self.residual[0](x))))
        return self.output(clip(self.last(x)))


def board_to_bitmap(board):
    """Bitboards [2, 6, 64], Black first."""
    bitboards = torch.zeros(2, 6, 64)
    for square, piece in board.piece_map().items():
        bitboards[int(piece.color), piece.piece_type - 1, square] = 1.0
    return bitboards


def board_to_features(board):
    """The 768 features: Black's first."""
    return board_to_bitmap(board).flatten()


def features_for_mover(board):
    """The 768 features as the model takes them: the mover's first, ranks mirrored for Black."""
    bitboards = board_to_bitmap(board)
    if board.turn == chess.WHITE:
        return bitboards.flip(0).flatten()
    return bitboards.reshape(2, 6, 8, 8).flip(2).flatten()


def random_positions(count, seed=1):
    rng = random.Random(seed)
    board, positions = chess.Board(), []
    while len(positions) < count:
        moves = list(board.legal_moves)
        if not moves or board.fullmove_number > 60:
            board = chess.Board()
            continue
        board.push(rng.choice(moves))
        positions.append(board.fen())
    return positions


def write_model(model, path):
    """A safetensors file as Tabiya reads it."""
    config = {"format": "towers", "version": 1, "parameters": 439617}
    head, data = {"__metadata__": {"tabiya": json.dumps(config)}}, b""
    for name, tensor in model.state_dict().items():
        part = tensor.numpy().astype("<f4").tobytes()
        place = [len(data), len(data) + len(part)]
        head[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": place}
        data += part
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def rate(seconds, count, work):
    """Positions a second, by the wall clock and by CPU time of all threads."""
    done, start, cpu = 0, time.perf_counter(), time.process_time()
    while done == 0 or time.perf_counter() - start < seconds:
        work()
        done += count
    return done / (time.perf_counter() - start), done / max(time.process_time() - cpu, 1e-9)


def tasks(model, fens, dense):
    """Name and work of each measurement: how many positions, and a function."""
    batches = {size: dense[torch.arange(size) % len(dense)] for size in (1, 256, 512, 4096)}
    target = torch.randn(512, 1)
    learner = Towers()
    learner.load_state_dict(model.state_dict())
    optimizer = torch.optim.Adam(learner.parameters(), lr=5e-4)
    loss = nn.HuberLoss()

    def extract():
        for fen in fens[:: len(fens) // 200][:200]:
            board_to_features(chess.Board(fen))

    def evaluate(size):
        def work():
            with torch.inference_mode():
                model(batches[size])

        return work

    boards = [chess.Board(fen) for fen in fens[:100]]

    def evaluate_boards():
        with torch.inference_mode():
            for board in boards:
                model(features_for_mover(board).unsqueeze(0)).item()

    def learn():
        optimizer.zero_grad()
        loss(learner(batches[512]), target).backward()
        optimizer.step()

    return {
        "features_fen": (200, extract),
        "towers_single": (1, evaluate(1)),
        "towers_board": (100, evaluate_boards),
        "towers_batch_256": (256, evaluate(256)),
        "towers_batch_4096": (4096, evaluate(4096)),
        "towers_training": (512, learn),
    }


def compare(program, model, model_path, fens_path, dense):
    """Both must compute the same."""
    command = [program, "nnue", "towers", "eval", "--model", model_path, "--file", fens_path, "--json"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    ours = [json.loads(line)["value"] for line in answer.splitlines()]
    with torch.inference_mode():
        theirs = (100 * model(dense)).flatten().tolist()
    worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    if worst > 0.01:
        sys.exit(f"the values differ by up to {worst} centipawns")
    return len(ours), worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=4096)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(args.threads)
    model = Towers().eval()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    assert parameters == 439617, parameters
    fens = random_positions(args.positions)
    dense = torch.stack([features_for_mover(chess.Board(fen)) for fen in fens])
    with tempfile.TemporaryDirectory() as folder:
        model_path, fens_path = os.path.join(folder, "model"), os.path.join(folder, "fens")
        write_model(model, model_path)
        with open(fens_path, "w") as file:
            file.writelines(fen + "\n" for fen in fens)
        count, worst = compare(args.program, model, model_path, fens_path, dense)
        bench = [args.program, "nnue", "bench", "--json", "--towers-only", "--rounds", "1"]
        bench += ["--threads", str(args.threads), "--time", str(int(1000 * args.seconds))]
        bench += ["--positions", fens_path]
        ours, theirs = {}, {}
        for _ in range(args.rounds):
            for name, (size, work) in tasks(model, fens, dense).items():
                best = theirs.get(name, (0.0, 0.0))
                found = rate(args.seconds, size, work)
                theirs[name] = tuple(max(pair) for pair in zip(best, found))
            answer = subprocess.run(bench, check=True, capture_output=True, text=True).stdout
            for name, rates in json.loads(answer)["rates"].items():
                best = ours.get(name, (0.0, 0.0))
                found = (rates["per_second"], rates["per_cpu_second"])
                ours[name] = tuple(max(pair) for pair in zip(best, found))
    if args.json:
        table = {
            name: {"tabiya": ours[name], "pytorch": theirs[name], "ratio": ours[name][0] / theirs[name][0]}
            for name in theirs
        }
        print(json.dumps({"torch": torch.__version__, "threads": args.threads, "rates": table}))
        return
    print(f"PyTorch {torch.__version__}, {args.threads} threads, {count} positions;")
    print(f"the same values up to {worst:.1e} centipawns. Load of the machine: {os.getloadavg()[0]:.1f}")
    print("| positions/s | tabiya | PyTorch | ratio | per CPU second: tabiya | PyTorch | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, (wall, cpu) in theirs.items():
        own_wall, own_cpu = ours[name]
        walls = f"{own_wall:,.0f} | {wall:,.0f} | {own_wall / wall:.1f}"
        cpus = f"{own_cpu:,.0f} | {cpu:,.0f} | {own_cpu / cpu:.1f}"
        print(f"| {name} | {walls} | {cpus} |")


if __name__ == "__main__":
    main()
