#!/usr/bin/env python3
"""Fits the WDL model of `crates/engine/src/wdl.rs` to self-play games and checks it on games held out.

    runs/wdl.py [--games 2000] [--nodes 10000] [--net embedded] [--threads N] [--seed 1] [--out wdl]
                [--tabiya target/release/tabiya]
    runs/wdl.py --data DIR...       # fit to data sets of `tabiya selfplay` that exist already

The model is that of Stockfish's WDL_model (https://github.com/official-stockfish/WDL_model): a score x of the search,
for the side to move, wins with probability 1 / (1 + exp((a - x) / b)) and loses with that of -x; a and b are cubic
polynomials of the material on the board, pawn 1, knight and bishop 3, rook 5, queen 9, from 17 to 78, divided by 58.
The eight coefficients are those of maximum likelihood over all positions of the training split, by Fisher scoring.
Scores must be those of the search: games of `tabiya selfplay`, not of `tabiya match`, whose scores are converted.

The deciles of the validation split, games that the fit has not seen, are by expected score: every row has the mean
predicted and the observed shares. Errors (95 %) take the positions of a data set as independent, which those of one
game are not: five times as large is more like it. The constants at the end are to be pasted.

Needs nothing but Python and the program.
"""

import argparse
import math
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

# By the four-bit codes of packed rows: pawn to king, rook with castling right, pawn en passant; then Black's.
VALUES = [1, 3, 3, 5, 9, 0, 5, 1, 1, 3, 3, 5, 9, 0, 5, 0]
BYTE_VALUES = [VALUES[byte & 15] + VALUES[byte >> 4] for byte in range(256)]
LEAST, MOST, UNIT = 17, 78, 58
# Scores beyond are no part of the fit: fortresses and wins thrown away would outweigh what is near balance.
LIMIT = 2000
STEP = 10


def rows(path):
    """Score, material and result (1, 0, -1) of every row, from White's point of view."""
    data = path.read_bytes()
    if data[:8] != b"TABIYA32":
        sys.exit(f"{path}: no packed rows; `tabiya selfplay` writes them")
    for occupied, codes, score, _, _, last in struct.iter_unpack("<Q16shHHH", data[32:]):
        result = last >> 14
        if result and abs(score) < 32000:
            pieces = bin(occupied).count("1")
            # Unused codes are zero, which is a pawn's.
            yield score, sum(BYTE_VALUES[byte] for byte in codes) - (32 - pieces), result - 2


def read(folders, split):
    """Positions by score in steps, material and result, the side with the higher score to move."""
    bins = Counter()
    for folder in folders:
        files = sorted(Path(folder).glob(f"**/{split}*.rows"))
        if not files:
            sys.exit(f"{folder}: no rows of the split '{split}'")
        for path in files:
            for score, material, result in rows(path):
                if abs(score) <= LIMIT:
                    sign = -1 if score < 0 else 1
                    key = round(abs(score) / STEP) * STEP, min(max(material, LEAST), MOST)
                    bins[key, result * sign] += 1
    keys = sorted({key for key, _ in bins})
    return [(x, m, bins[(x, m), 1], bins[(x, m), 0], bins[(x, m), -1]) for x, m in keys]


def logistic(z):
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def powers(material):
    m = material / UNIT
    return m * m * m, m * m, m, 1.0


class Model:
    """Eight coefficients: those of a, then those of b, the cubic ones first."""

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def parameters(self, material):
        phi = powers(material)
        return [sum(c * p for c, p in zip(part, phi)) for part in (self.coefficients[:4], self.coefficients[4:])]

    def shares(self, x, material):
        a, b = self.parameters(material)
        win, loss = logistic((x - a) / b), logistic((-x - a) / b)
        return win, 1 - win - loss, loss

    def log_loss(self, data):
        sums = [0.0, 0]
        for x, m, *counts in data:
            for count, p in zip(counts, self.shares(x, m)):
                sums[0] -= count * math.log(max(p, 1e-9))
                sums[1] += count
        return sums[0] / sums[1]


def solve(matrix, vector):
    """Gaussian elimination with pivots."""
    n = len(vector)
    lines = [row[:] + [v] for row, v in zip(matrix, vector)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(lines[r][i]))
        lines[i], lines[pivot] = lines[pivot], lines[i]
        for r in range(i + 1, n):
            factor = lines[r][i] / lines[i][i]
            lines[r] = [u - factor * v for u, v in zip(lines[r], lines[i])]
    found = [0.0] * n
    for i in reversed(range(n)):
        found[i] = (lines[i][n] - sum(lines[i][k] * found[k] for k in range(i + 1, n))) / lines[i][i]
    return found


def step(model, data):
    """The step of Fisher scoring."""
    gradient, information = [0.0] * 8, [[0.0] * 8 for _ in range(8)]
    for x, m, *counts in data:
        a, b = model.parameters(m)
        za, zb = (x - a) / b, (-x - a) / b
        win, loss = logistic(za), logistic(zb)
        shares = win, 1 - win - loss, loss
        dwin, dloss = win * (1 - win) / b, loss * (1 - loss) / b
        # Derivatives of the shares by a and by b.
        by_a = -dwin, dwin + dloss, -dloss
        by_b = -dwin * za, dwin * za + dloss * zb, -dloss * zb
        total = sum(counts)
        phi = powers(m)
        ga = gb = faa = fab = fbb = 0.0
        for count, p, da, db in zip(counts, shares, by_a, by_b):
            p = max(p, 1e-9)
            ga, gb = ga + count * da / p, gb + count * db / p
            faa, fab, fbb = faa + total * da * da / p, fab + total * da * db / p, fbb + total * db * db / p
        for i in range(4):
            gradient[i] += ga * phi[i]
            gradient[i + 4] += gb * phi[i]
            for k in range(4):
                product = phi[i] * phi[k]
                information[i][k] += faa * product
                information[i][k + 4] += fab * product
                information[i + 4][k] += fab * product
                information[i + 4][k + 4] += fbb * product
    for i in range(8):
        # A trace of a prior, in case that some material never occurs.
        information[i][i] += 1e-9
    return solve(information, gradient)


def fit(data):
    model = Model([0, 0, 0, 150.0, 0, 0, 0, 80.0])
    loss = model.log_loss(data)
    for _ in range(100):
        change = step(model, data)
        scale = 1.0
        while scale > 1e-6:
            next_model = Model([c + scale * d for c, d in zip(model.coefficients, change)])
            positive = all(min(next_model.parameters(m)) > 1 for m in range(LEAST, MOST + 1))
            next_loss = next_model.log_loss(data) if positive else math.inf
            if next_loss <= loss:
                break
            scale /= 2
        else:
            return model
        done = loss - next_loss < 1e-9
        model, loss = next_model, next_loss
        if done:
            break
    return model


def share_text(values):
    return "  ".join(f"{100 * value:5.1f}" for value in values)


def table(title, column, groups):
    print(f"\n{title}\n{column:>16}  positions   predicted W/D/L       observed W/D/L        error of W, D, L (95 %)")
    worst = 0.0
    for name, predicted, observed in groups:
        n = sum(observed)
        if not n:
            continue
        mean, share = [p / n for p in predicted], [o / n for o in observed]
        errors = [s - p for s, p in zip(share, mean)]
        worst = max(worst, *map(abs, errors))
        bound = 1.96 * math.sqrt(max(p * (1 - p) for p in mean) / n)
        print(f"{name:>16}  {n:9}   {share_text(mean)}   {share_text(share)}   {share_text(errors)}  +-{100 * bound:.1f}")
    print(f"largest error {100 * worst:.1f} %")


def groups(model, data, key, count):
    """The data in `count` groups of equally many positions by a key."""
    sides = []
    for x, m, win, draw, loss in data:
        w, d, l = model.shares(x, m)
        # Both points of view, so that the deciles reach from lost to won.
        sides.append((key(x, m, w + d / 2), (w, d, l), (win, draw, loss)))
        sides.append((key(-x, m, l + d / 2), (l, d, w), (loss, draw, win)))
    sides.sort(key=lambda side: side[0])
    size = sum(sum(counts) for _, _, counts in sides) / count
    seen, current, found = 0, None, []
    for value, shares, counts in sides:
        if current is None:
            current = [value, value, [0.0] * 3, [0] * 3]
        n = sum(counts)
        seen += n
        current[1] = value
        current[2] = [sum_ + n * share for sum_, share in zip(current[2], shares)]
        current[3] = [sum_ + c for sum_, c in zip(current[3], counts)]
        if seen >= size * (len(found) + 1) - 1e-6:
            found.append(current)
            current = None
    if current:
        found.append(current)
    return [(f"{least:.2f} to {most:.2f}", predicted, observed) for least, most, predicted, observed in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", metavar="DIR")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--net", default="embedded")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="wdl")
    parser.add_argument("--tabiya", default="target/release/tabiya")
    options = parser.parse_args()
    folders = options.data
    if not folders:
        # Wins are adjudicated late, draws never: what the model should learn must be played out.
        command = [options.tabiya, "selfplay", "--out", options.out, "--games", options.games, "--nodes", options.nodes]
        command += ["--net", options.net, "--seed", options.seed, "--val-fraction", 0.3]
        command += ["--win-score", 3000, "--draw-plies", 1000]
        command += ["--threads", options.threads] if options.threads else []
        if code := subprocess.run([str(word) for word in command], stdout=sys.stderr).returncode:
            sys.exit(code)
        folders = [options.out]
    train, held_out = read(folders, "train"), read(folders, "val")
    model = fit(train)
    positions = [sum(sum(counts) for _, _, *counts in data) for data in (train, held_out)]
    print(f"{positions[0]} positions fitted, {positions[1]} held out; log loss {model.log_loss(train):.4f}, "
          f"held out {model.log_loss(held_out):.4f}")
    print("\nmaterial      a      b   a/b")
    for material in (LEAST, 24, 32, 40, 48, UNIT, 68, MOST):
        a, b = model.parameters(material)
        print(f"{material:8}  {a:5.1f}  {b:5.1f}  {a / b:.2f}")
    table("Held out, deciles of the expected score", "expected score", groups(model, held_out, lambda x, m, e: e, 10))
    shown = lambda x, m: 100 * x / model.parameters(m)[0]
    near = [(x, m, *counts) for x, m, *counts in held_out if 85 <= shown(x, m) <= 115]
    table("Held out, 100 centipawns shown (85 to 115)", "", [("", *totals(model, near))])
    by_material = []
    for least, most in ((LEAST, 29), (30, 44), (45, 58), (59, MOST)):
        part = [entry for entry in held_out if least <= entry[1] <= most]
        by_material.append((f"{least} to {most}", *totals(model, part)))
    table("Held out, by material, the side with the higher score to move", "material", by_material)
    print("\nconst A: [f64; 4] = [%s];" % ", ".join(f"{c:.3f}" for c in model.coefficients[:4]))
    print("const B: [f64; 4] = [%s];" % ", ".join(f"{c:.3f}" for c in model.coefficients[4:]))


def totals(model, data):
    predicted, observed = [0.0] * 3, [0] * 3
    for x, m, *counts in data:
        n = sum(counts)
        predicted = [p + n * share for p, share in zip(predicted, model.shares(x, m))]
        observed = [o + c for o, c in zip(observed, counts)]
    return predicted, observed


if __name__ == "__main__":
    main()
