"""Piece-routed attention in PyTorch, written from its description, beside Tabiya's `pra`.

    python pra_torch.py check PROGRAM
    python pra_torch.py bench PROGRAM [--seconds S] [--rounds N] [--threads N] [--json]

PROGRAM is the `tabiya` program. `check` compares the numbers of parameters, the answers of models with
random weights, the losses of a short training from the same weights on the same rows, and the answers of
the model that training made. Whatever differs is named in a line, and the exit code is 1. `bench`
measures both in turn in one run, the best of all rounds counting; each side of PyTorch has a process of
its own, so that the peak memory is that of training alone.

Needs torch, chess (python-chess), pyarrow and safetensors. `make pra-check` and `make pra-bench`
install them in an environment of their own.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import product
from pathlib import Path

import chess
import torch
from pra_model import HARD_HEADS, PLIES, SIZES, VALUE_WEIGHT, Pra, hard_masks, losses, random_model, write_model
from safetensors.torch import load_file

TASKS = ["train", "infer_1", "infer_64", "infer_256"]


# Positions and games.


def encode(fens):
    """Piece codes [n, 64] and side to move [n]: 0 empty, 1–6 White's, 7–12 Black's; Black 0, White 1."""
    pieces, side = torch.zeros(len(fens), 64, dtype=torch.long), torch.zeros(len(fens), dtype=torch.long)
    for row, fen in enumerate(fens):
        board = chess.Board(fen)
        side[row] = int(board.turn)
        for square, piece in board.piece_map().items():
            pieces[row, square] = piece.piece_type + (0 if piece.color else 6)
    return pieces, side


def encode_context(boards, ratings):
    """History [n, 64, 7 × 13] of boards with their moves, the rows of two ratings [n, 2, 25], of which None is unknown,
    and the kinds of pieces that attack each square [n, 64, 12]."""
    then, rows = torch.zeros(len(boards), 64, PLIES * 13), torch.zeros(len(boards), 2, 25)
    attackers = torch.zeros(len(boards), 64, 12)
    for row, board in enumerate(boards):
        for square, color in product(range(64), chess.COLORS):
            for attacker in board.attackers(color, square):
                kind = board.piece_type_at(attacker) - 1 + (0 if color else 6)
                attackers[row, square, kind] = 1
        now, earlier = board.piece_map(), board.copy()
        for ply in range(min(PLIES, len(board.move_stack))):
            earlier.pop()
            before = earlier.piece_map()
            for square in range(64):
                if (piece := before.get(square)) != now.get(square):
                    token = piece.piece_type + (0 if piece.color else 6) if piece else 0
                    then[row, square, 13 * ply + token] = 1
    for who, rating in enumerate(ratings):
        place = 0.0 if rating is None else 1 + (min(max(rating, 600), 2900) - 600) / 100
        for near in (math.floor(place), math.ceil(place)):
            rows[:, who, near] = max(1 - abs(place - near), 0)
    return then, rows, attackers


def played(count, seed=2):
    """Boards of random games with the moves that led to them, of any length and from any position."""
    rng, boards = random.Random(seed), []
    starts = [chess.STARTING_FEN, "r3k2r/1P4pp/8/2pP4/8/8/1p4PP/R3K2R w KQkq c6 0 1"]
    while len(boards) < count:
        board = chess.Board(rng.choice(starts))
        for _ in range(rng.randrange(12 if rng.random() < 0.5 else 90)):
            moves = list(board.legal_moves)
            special = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
            if not moves:
                break
            board.push(rng.choice(special if special and rng.random() < 0.5 else moves))
        if any(board.legal_moves):
            boards.append(board)
    return boards


def kinds(board):
    """What is special about a position: the kinds of legal moves that encodings like to get wrong."""
    moves = list(board.legal_moves)
    tests = {"castling": board.is_castling, "en passant": board.is_en_passant, "promotion": lambda m: m.promotion}
    return [name for name, test in tests.items() if any(map(test, moves))] or ["other"]


def positions(count, seed=1):
    """Positions of random games; of every kind for each player the same number, as far as they are found."""
    rng, found, board = random.Random(seed), {}, chess.Board()
    while sum(map(len, found.values())) < count:
        moves = list(board.legal_moves)
        if not moves or board.fullmove_number > 150:
            board = chess.Board()
            continue
        board.push(rng.choice(moves))
        for kind in kinds(board):
            same_kind = found.setdefault((kind, board.turn), [])
            if len(same_kind) < count // 8 and rng.random() < 0.3:
                same_kind.append(board.fen())
                break
    return [fen for same_kind in found.values() for fen in same_kind]


def write_games(path, count, seed=1):
    """Random games with all results and `*`, two of three with evaluations behind most moves."""
    rng = random.Random(seed)
    with open(path, "w") as file:
        for number in range(count):
            board, words, score, length = chess.Board(), [], 0.3, rng.randrange(60, 100)
            while len(words) < length and (moves := list(board.legal_moves)):
                move = rng.choice(moves)
                words.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}")
                board.push(move)
                score += rng.gauss(0, 0.8)
                if number % 3 > 0 and rng.random() < 0.8:
                    mate = f"#{rng.choice([-7, -2, -1, 1, 3, 12])}"
                    words[-1] += f" {{ [%eval {mate if rng.random() < 0.1 else format(score, '.2f')}] }}"
            result = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
            file.write(f'[Event "random"]\n[Result "{result}"]\n\n{" ".join(words)} {result}\n\n')


def value_target(row):
    """White's view: the evaluation, else who mates, else the result of the game, else nothing."""
    if row["eval"] is not None:
        return row["eval"] / (abs(row["eval"]) + 1000)
    if row["mate"] is not None:
        return math.copysign(1, row["mate"])
    return math.nan if row["result"] is None else float(row["result"])


def read_rows(folder):
    """Pieces, side, move and value of all rows of a data set's training files, in their order."""
    from pyarrow import parquet

    columns = ["fen", "best_move", "eval", "mate", "result"]
    files = sorted((folder / "train").glob("*.parquet"))
    rows = [row for file in files for row in parquet.read_table(file, columns=columns).to_pylist()]
    moves = [chess.Move.from_uci(row["best_move"]) for row in rows]
    targets = torch.tensor([64 * move.from_square + move.to_square for move in moves])
    return *encode([row["fen"] for row in rows]), targets, torch.tensor([value_target(row) for row in rows])


def rate_factor(step, steps):
    """The learning rate: warm-up, constant, linear to zero."""
    warm, cool = round(0.02 * steps), round(0.3 * steps)
    if step < warm:
        return (step + 1) / warm
    return min(1.0, (steps - step) / cool)


def adamw(model, rate):
    return torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.8, 0.95), eps=1e-10, weight_decay=0, fused=True)


def train(model, data, steps, batch, rate):
    """Rows in order, epoch after epoch. The losses of every step: all, policy, value."""
    optimizer, history = adamw(model, rate), []
    for step in range(steps):
        rows = torch.arange(step * batch, (step + 1) * batch) % len(data[0])
        policy, value = losses(model, *(column[rows] for column in data))
        loss = policy + VALUE_WEIGHT * value
        history.append((loss.item(), policy.item(), value.item()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.param_groups[0]["lr"] = rate * rate_factor(step, steps)
        optimizer.step()
    return history


# Checks.


def run(*command):
    """What a command prints. One that fails ends the check that it belongs to."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise RuntimeError(f"`{' '.join(command)}` failed with {done.returncode}: {reason}")
    return done.stdout


def expect(good, text):
    if not good:
        raise RuntimeError(text)


def check_parameters(program, _work):
    for (depth, width), known in SIZES.items():
        own = sum(weight.numel() for weight in Pra(depth, width).parameters())
        expect(own == known, f"depth {depth}, width {width}: {own} here, {known} by the formula")
        answer = run(program, "pra", "info", "--depth", depth, "--n-embd", width, "--reference", "--json")
        theirs = json.loads(answer)["parameters"]
        expect(own == theirs, f"depth {depth}, width {width}: {own} in PyTorch, {theirs} in tabiya")
    return ", ".join(f"d{depth}/{width} {count:,}" for (depth, width), count in SIZES.items())


def compare_answers(program, work, model, folder, boards=None, ratings=(None, None)):
    """What Tabiya computes with a model folder against this model in double precision."""
    fens = [board.fen() for board in boards] if boards else positions(64)
    lines = [f"{board.root().fen()} moves {' '.join(map(str, board.move_stack))}" for board in boards or []]
    (work / "fens").write_text("".join(line.removesuffix(" moves ") + "\n" for line in lines or fens))
    out = work / "raw.safetensors"
    command = [program, "pra", "predict", "--model", folder, "--file", work / "fens", "--raw", out]
    for name, rating in zip(("--rating", "--opponent"), ratings, strict=True):
        command += [name, rating] if rating else []
    run(*command)
    ours, masks = load_file(out), hard_masks()
    context = [part.double() for part in encode_context(boards, ratings)] if boards else []
    with torch.inference_mode():
        policy, value = model.double()(*encode(fens), *context)
    shapes = {"policy": policy.shape, "value": value.shape, "masks": masks.shape}
    for name, shape in shapes.items():
        expect(name in ours and ours[name].shape == shape, f"{name} is not there or not of shape {list(shape)}")
    wrong = (ours["masks"].bool() != masks).nonzero().tolist()
    for head, a, b in wrong[:1]:
        where = f"head {head} ({HARD_HEADS[head]}), {chess.square_name(a)} to {chess.square_name(b)}"
        expect(False, f"masks differ in {len(wrong)} places, first in {where}")
    spread = f"{policy.std():.1e} and {value.std():.1e}"
    expect(policy.std() > 0.1 and value.std() > 1e-3, f"all logits and values are alike ({spread}): nothing to compare")
    worst = {}
    for name, wanted, limit in [("policy", policy, 1e-4), ("value", value, 1e-5)]:
        difference = (ours[name] - wanted).abs().nan_to_num(math.inf).reshape(len(fens), -1)
        worst[name] = difference.max().item()
        row, place = divmod(difference.argmax().item(), difference.shape[1])
        move = f" at {chess.square_name(place // 64)}{chess.square_name(place % 64)}" if name == "policy" else ""
        expect(worst[name] <= limit, f"{name} differs by {worst[name]:.1e} (limit {limit}){move} in {fens[row]}")
    return f"{len(fens)} positions: logits within {worst['policy']:.0e}, values {worst['value']:.0e}, masks equal"


def check_forward(program, work, depth, width):
    model, folder = random_model(depth, width, seed=depth), work / f"model-{width}"
    write_model(model, folder)
    return compare_answers(program, work, model, folder)


def check_context(program, work, depth=3, width=48):
    """The last positions, the ratings of the players, and what attacks each square as inputs."""
    model, folder = random_model(depth, width, seed=5, context=True), work / "model-context"
    write_model(model, folder)
    for ratings in [(1530, 2177), (None, 2950), (500, None)]:
        text = compare_answers(program, work, model, folder, played(48), ratings)
    return text


def check_training(program, work, steps=200, batch=32, rate=0.0005, depth=2, width=48):
    """The same losses step by step; leaves the trained model in `work/run` for the next check."""
    write_games(work / "games.pgn", 60)
    command = [program, "data", "prepare", work / "games.pgn", "--with-eval", "--val-fraction", 0.1]
    run(*command, "--out", work / "data")
    data, model = read_rows(work / "data"), random_model(depth, width, seed=3)
    write_model(model, work / "start")
    command = [program, "pra", "train", "--data", work / "data", "--from", work / "start"]
    command += ["--optimizer", "adamw", "--learning-rate", rate, "--in-order"]
    command += ["--device-batch-size", batch, "--total-batch-size", batch, "--num-iterations", steps]
    run(*command, "--eval-every", steps, "--save-every", steps, "--seed", 1, "--threads", 2, "--out", work / "run")
    lines = [json.loads(line) for line in newest(work / "run", "log.jsonl").read_text().splitlines()]
    names = ["loss", "policy_loss", "value_loss"]
    theirs = [[line[name] or 0.0 for name in names] for line in lines if "step" in line and "policy_loss" in line]
    expect(len(theirs) == steps, f"{len(theirs)} steps in log.jsonl instead of {steps}")
    history, worst = train(model, data, steps, batch, rate), dict.fromkeys(names, 0.0)
    for step, (own, other) in enumerate(zip(history, theirs, strict=True)):
        for name, a, b in zip(names, own, other, strict=True):
            limit = 1e-4 if step == 0 else 0.05 if name == "value_loss" else 0.01
            difference = abs(a - b) / max(a, 0.01)
            worst[name] = max(worst[name], difference)
            text = f"{name} of step {step} (from 0): {a:.6f} in PyTorch, {b:.6f} in tabiya (limit {limit:.2%})"
            expect(difference <= limit, text)
    start, end = history[0][0], history[-1][0]
    expect(end < 0.9 * start, f"the loss hardly falls, from {start:.3f} to {end:.3f}: nothing to compare")
    errors = ", ".join(f"{name} within {error:.1e}" for name, error in worst.items())
    return f"{steps} steps on {len(data[0])} rows, loss {start:.3f} to {end:.3f}; relative: {errors}"


def newest(folder, name):
    """Of the files of this name anywhere in the folder, the one that was written last."""
    found = sorted(folder.rglob(name), key=lambda path: path.stat().st_mtime)
    expect(found, f"no {name} in the folder of the run")
    return found[-1]


def check_trained(program, work):
    """A model that Tabiya has trained: the same names, the same answers."""
    file, model = newest(work / "run", "model.safetensors"), random_model(2, 48, seed=3)
    start = model.embedding["piece_embed"].weight.detach().clone()
    model.load_state_dict(load_file(file), strict=True)
    change = (model.embedding["piece_embed"].weight - start).abs().max()
    expect(change > 1e-3, "the trained model is the one that training began with")
    return compare_answers(program, work, model, file.parent)


def check(args):
    torch.set_num_threads(1)  # On a busy machine threads that wait for each other cost more than they bring.
    checks = {
        "parameters": (check_parameters,),
        "answers of d4/144": (check_forward, 4, 144),
        "answers of d8/192": (check_forward, 8, 192),
        "answers with history, ratings and attackers": (check_context,),
        "training": (check_training,),
        "trained model": (check_trained,),
    }
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, (work, *options) in checks.items():
            try:
                print(f"ok       {name}: {work(args.program, Path(folder), *options)}", flush=True)
            except (RuntimeError, OSError, LookupError, ValueError) as error:
                print(f"DIFFERS  {name}: {error}", flush=True)
                good = False
    sys.exit(0 if good else 1)


# Speed.


def worker(args):
    """One way to run PyTorch: reads names of tasks and seconds, answers with positions a second."""
    torch.set_num_threads(args.threads)
    model = random_model(8, 192, seed=1)
    pieces, side = encode(positions(256))
    answer = torch.compile(model, dynamic=False) if args.way == "compiled" else model
    score = torch.compile(losses, dynamic=False) if args.way == "compiled" else losses
    batch = pieces[:64], side[:64], torch.randint(4096, (64,)), torch.rand(64) * 2 - 1
    optimizer = adamw(model, 1e-4)

    def step():
        optimizer.zero_grad()
        policy, value = score(model, *batch)
        (policy + VALUE_WEIGHT * value).backward()
        optimizer.step()

    def infer(size):
        with torch.inference_mode():
            answer(pieces[:size], side[:size])

    ready = set()
    for line in sys.stdin:
        task, seconds = line.split()
        size = 64 if task == "train" else int(task.split("_")[1])
        work = step if task == "train" else partial(infer, size)
        for _ in range(0 if task in ready else 3):
            work()
        ready.add(task)
        done, start = 0, time.perf_counter()
        while done == 0 or time.perf_counter() - start < float(seconds):
            work()
            done += size
        print(done / (time.perf_counter() - start), flush=True)


def peak_memory(process):
    """The most memory that a process has had so far, in MB; 0 where the system does not report it."""
    try:
        text = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0.0)


def measure_tabiya(args, task):
    """Positions a second and peak memory in MB."""
    command = [args.program, "pra", "bench", "--depth", "8", "--n-embd", "192", "--reference", "--json"]
    command += ["--threads", str(args.threads), "--seconds", str(args.seconds), "--only", task.replace("_", "-")]
    process, memory = subprocess.Popen(command, stdout=subprocess.PIPE, text=True), 0.0
    while process.poll() is None:  # Its answer is a line, which a pipe holds.
        memory = max(memory, peak_memory(process))
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(f"`{' '.join(command)}` failed with {process.returncode}")
    answer = json.load(process.stdout)
    return answer[task], memory or answer["peak_memory_mb"]


def bench(args):
    workers, best, memory = {}, {task: {} for task in TASKS}, {}
    for way in ("eager", "compiled"):
        for kind in ("train", "infer"):
            command = [sys.executable, __file__, "worker", way, "--threads", str(args.threads)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            workers[way, kind] = subprocess.Popen(command, text=True, bufsize=1, **pipes)
    try:
        for _ in range(args.rounds):
            for task in TASKS:
                kind, rates = task.split("_")[0], best[task]
                for way in ("eager", "compiled"):
                    process = workers[way, kind]
                    process.stdin.write(f"{task} {args.seconds}\n")
                    answer = process.stdout.readline()
                    if not answer:
                        sys.exit(f"PyTorch ({way}) failed at {task}")
                    rates[way] = max(rates.get(way, 0.0), float(answer))
                    if task == "train":
                        memory[way] = peak_memory(process)
                rate, used = measure_tabiya(args, task)
                rates["tabiya"] = max(rates.get("tabiya", 0.0), rate)
                if task == "train":
                    memory["tabiya"] = max(memory.get("tabiya", 0.0), used)
    finally:
        for process in workers.values():
            process.stdin.close()
            process.wait()
    for rates in best.values():
        rates["ratio"] = rates["tabiya"] / max(rates["eager"], rates["compiled"])
    if args.json:
        facts = {"torch": torch.__version__, "threads": args.threads, "load": os.getloadavg()[0]}
        print(json.dumps(facts | {"rates": best, "peak_memory_mb": memory}))
        return
    print(f"d8/192, f32, PyTorch {torch.__version__}, {args.threads} threads, the best of {args.rounds} rounds.")
    print(f"The ratio is to the better of eager and compiled. Load of the machine: {os.getloadavg()[0]:.1f}")
    print("| positions/s           |   eager | compiled |  tabiya | ratio |")
    print("|-----------------------|--------:|---------:|--------:|------:|")
    for task, rates in best.items():
        name = "train, batch 64" if task == "train" else f"infer {task.split('_')[1]}"
        numbers = f"{rates['eager']:7.1f} | {rates['compiled']:8.1f} | {rates['tabiya']:7.1f} | {rates['ratio']:5.2f}"
        print(f"| {name:21} | {numbers} |")
    ratio = memory["tabiya"] / max(1.0, min(memory["eager"], memory["compiled"]))
    numbers = f"{memory['eager']:7.0f} | {memory['compiled']:8.0f} | {memory['tabiya']:7.0f} | {ratio:5.2f}"
    print(f"| peak MB, training     | {numbers} |")


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    part = commands.add_parser("check")
    part.add_argument("program")
    part.set_defaults(work=check)
    part = commands.add_parser("bench")
    part.add_argument("program")
    part.add_argument("--threads", type=int, default=2)
    part.add_argument("--seconds", type=float, default=5.0)
    part.add_argument("--rounds", type=int, default=3)
    part.add_argument("--json", action="store_true")
    part.set_defaults(work=bench)
    part = commands.add_parser("worker")
    part.add_argument("way", choices=["eager", "compiled"])
    part.add_argument("--threads", type=int, required=True)
    part.set_defaults(work=worker)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
