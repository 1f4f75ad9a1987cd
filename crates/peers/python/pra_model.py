"""Piece-routed attention in PyTorch, written from its description: masks, blocks, losses, model files."""

import json
import math

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

HARD_HEADS = ["knight", "knight", "bishop", "bishop", "rook", "rook", "queen", "king", "pawn"]
FREE_HEADS = 3
HEADS = len(HARD_HEADS) + FREE_HEADS
NORM_EPSILON = 1.19e-7
VALUE_WEIGHT = 0.1
SIZES = {(4, 144): 2_424_576, (8, 192): 6_085_632, (8, 288): 13_558_272, (12, 288): 17_588_736}
# Earlier positions that a model reads.
PLIES = 7
OPTIONS = ["promotions", "state_input", "turned", "self_in_masks", "light_value", "legal_mask"]


def reaches(piece, start, end):
    """Whether a piece on the empty board gets from `start` to another square `end`."""
    ranks, files = end // 8 - start // 8, end % 8 - start % 8
    far, near = max(abs(ranks), abs(files)), min(abs(ranks), abs(files))
    if piece == "pawn":
        double = files == 0 and (start // 8, ranks) in [(1, 2), (6, -2)]
        return double or (abs(ranks) == 1 and abs(files) <= 1)
    rules = {
        "knight": (far, near) == (2, 1),
        "bishop": far == near,
        "rook": near == 0,
        "queen": far == near or near == 0,
        "king": far == 1,
    }
    return far > 0 and rules[piece]


def hard_masks():
    """[9, 64, 64]: which square sees which in the heads that move like pieces."""
    squares = range(64)
    return torch.tensor([[[reaches(piece, a, b) for b in squares] for a in squares] for piece in HARD_HEADS])


def norm(x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + NORM_EPSILON)


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


class Block(nn.Module):
    """Attention of 12 heads, nine of which see what a piece reaches, and a layer of relu²."""

    def __init__(self, width):
        super().__init__()
        self.attn = nn.ModuleDict({name: linear(width, width) for name in ("c_q", "c_k", "c_v", "c_proj")})
        self.attn.register_parameter("free_attn_logits", nn.Parameter(torch.zeros(FREE_HEADS, 64, 64)))
        self.mlp = nn.ModuleDict({"c_fc": linear(width, 4 * width), "c_proj": linear(4 * width, width)})

    def attention(self, x, walls):
        parts = (self.attn[name](x) for name in ("c_q", "c_k", "c_v"))
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        bias = torch.cat([walls, torch.log(torch.sigmoid(self.attn.free_attn_logits) + 1e-6)])
        scores = norm(q) @ norm(k).transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias
        return self.attn["c_proj"]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x, walls):
        x = x + self.attention(norm(x), walls)
        return x + self.mlp["c_proj"](self.mlp["c_fc"](norm(x)).relu().square())


class Pra(nn.Module):
    """64 squares and the side to move → 4096 logits (from × 64 + to) and a value of White's view.

    With `context` also what stood on the squares in the last 7 positions, the ratings of both players, and the kinds
    of pieces that attack each square.
    """

    def __init__(self, depth, width, context=False):
        super().__init__()
        tables = {"piece_embed": 13, "position_embed": 64, "side_embed": 2}
        if context:
            tables |= {"history_embed": PLIES * 13, "attacker_embed": 12}
            tables |= {"own_rating_embed": 25, "opponent_rating_embed": 25}
        self.embedding = nn.ModuleDict({name: nn.Embedding(rows, width) for name, rows in tables.items()})
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.policy_head = nn.ModuleDict({name: linear(width, width) for name in ("from_proj", "to_proj")})
        self.value_head = nn.ModuleDict({"fc1": linear(64 * width, width), "fc2": linear(width, 1)})
        walls = torch.zeros(len(HARD_HEADS), 64, 64).masked_fill(~hard_masks(), -math.inf)
        self.register_buffer("walls", walls, persistent=False)

    def context(self, then, ratings, attackers):
        """The embeddings of history, one-hot [n, 64, 7 × 13], of ratings, as weights of rows [n, 2, 25], and of
        attackers [n, 64, 12]."""
        tables = self.embedding
        sums = then @ tables["history_embed"].weight + attackers @ tables["attacker_embed"].weight
        for who, name in enumerate(("own_rating_embed", "opponent_rating_embed")):
            sums = sums + (ratings[:, who] @ tables[name].weight)[:, None]
        return sums

    def forward(self, pieces, side, *context):
        tables = self.embedding
        place, player = tables["position_embed"].weight, tables["side_embed"](side)[:, None]
        x = tables["piece_embed"](pieces) + place + player
        x = norm(x + self.context(*context) if context else x)
        for block in self.blocks:
            x = block(x, self.walls)
        x = norm(x)
        start, end = self.policy_head["from_proj"](x), self.policy_head["to_proj"](x)
        policy = start @ end.transpose(1, 2) / math.sqrt(x.shape[-1])
        value = self.value_head["fc2"](self.value_head["fc1"](x.flatten(1)).relu().square()).tanh()
        return policy.flatten(1), value.squeeze(-1)


def losses(model, pieces, side, move, value):
    """Policy and value loss. An unknown value is NaN and has no loss."""
    policy, found = model(pieces, side)
    known = ~value.isnan()
    error = torch.where(known, found - value.nan_to_num(), 0.0).square().sum() / known.sum().clamp(min=1)
    return functional.cross_entropy(policy, move), error


def random_model(depth, width, seed, context=False):
    """No weight is zero, and no value so large that it would saturate."""
    torch.manual_seed(seed)
    model = Pra(depth, width, context)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed" in name or "free" in name:
                weight.normal_(0, 1)
            elif name == "value_head.fc2.weight":
                weight.normal_(0, 0.5 / math.sqrt(width))
            else:
                edge = math.sqrt(3 / weight.shape[1])
                weight.uniform_(-edge, edge)
    return model


def write_model(model, folder):
    """A model folder as Tabiya reads it."""
    folder.mkdir()
    depth, width = len(model.blocks), model.embedding["side_embed"].weight.shape[1]
    config = {"depth": depth, "n_embd": width} | dict.fromkeys(OPTIONS, False)
    config |= dict.fromkeys(("history", "ratings", "attackers"), "history_embed" in model.embedding)
    (folder / "config.json").write_text(json.dumps(config))
    save_file(model.state_dict(), folder / "model.safetensors")
