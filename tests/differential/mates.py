"""Makes a file of forced mates: positions of our own, checked with Stockfish.

    python mates.py --engine stockfish --each 25 > crates/engine/tests/data/mates.epd

Half of the positions come from games that nobody would play, in which every third move is random and
the others are an engine's after a hundred nodes; half are endings with the pieces thrown on the board.
Of these it keeps the ones in which Stockfish, given enough nodes and then twice as many, finds the same
distance to mate, from 2 to 5 moves. None is taken from a book or from anyone's games.
"""

import argparse
import random
import sys

import chess
import chess.engine

ENDINGS = ["Q", "R", "RR", "QR", "BB", "BN", "QP", "RP", "RN", "PPP", "QN", "RB"]
DEFENDERS = ["", "", "P", "N", "B", "R", "PP", "RP", "NP", "BP"]
HEAD = """\
# Mates in 2 to 5 moves, made by tests/differential/mates.py (seed {seed}): positions from half-random play
# and from pieces thrown on the board, each checked with {name} at {nodes:,} nodes and at twice as
# many. dm is the distance to mate in moves that it finds. None is from a book or from anyone's games.
"""


def played(rng, engine):
    """Positions of one game of half-random moves."""
    board = chess.Board()
    for ply in range(120):
        if board.is_game_over():
            return
        if rng.random() < 1 / 3:
            move = rng.choice(list(board.legal_moves))
        else:
            move = engine.play(board, chess.engine.Limit(nodes=100)).move
        board.push(move)
        if ply > 12 and not board.is_game_over():
            yield board.copy(stack=False)


def thrown(rng):
    """Pieces on random squares, until that is a position with somebody to move."""
    while True:
        board = chess.Board(None)
        pieces = [("K", True), ("K", False)]
        pieces += [(letter, True) for letter in rng.choice(ENDINGS)]
        pieces += [(letter, False) for letter in rng.choice(DEFENDERS)]
        for letter, color in pieces:
            squares = [s for s in chess.SQUARES if board.piece_at(s) is None
                       and (letter != "P" or 0 < chess.square_rank(s) < 7)]
            board.set_piece_at(rng.choice(squares), chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), color))
        if board.is_valid() and not board.is_game_over():
            if rng.random() < 0.5:
                board = board.mirror()
            return board


def mate(engine, board, nodes):
    score = engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())["score"].relative
    return score.mate()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--each", type=int, default=25, help="mates of each length")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    engine = chess.engine.SimpleEngine.popen_uci(args.engine)
    found = {(length, kind): {} for length in range(2, 6) for kind in (0, 1)}
    wanted = {key: (args.each + (key[1] == 0)) // 2 for key in found}

    def consider(board, kind):
        """Whether it was kept; a look at few nodes comes first, since most have no mate."""
        open_ = [key for key in found if key[1] == kind and len(found[key]) < wanted[key]]
        length = mate(engine, board, 20_000)
        if length is None or not 2 <= length <= 7:
            return False
        length = mate(engine, board, args.nodes)
        if (length, kind) not in open_ or mate(engine, board, 2 * args.nodes) != length:
            return False
        found[length, kind][board.fen()] = length
        print(sum(map(len, found.values())), end="\r", file=sys.stderr, flush=True)
        return True

    def missing(kind):
        return any(len(found[key]) < wanted[key] for key in found if key[1] == kind)

    while missing(0):
        for board in played(rng, engine):
            if rng.random() < 0.2 and consider(board, 0):
                break
    while missing(1):
        consider(thrown(rng), 1)
    print(HEAD.format(seed=args.seed, name=engine.id.get("name"), nodes=args.nodes), end="")
    for key in sorted(found):
        for fen, length in found[key].items():
            fields = fen.split()
            print(" ".join(fields[:4]), f"hmvc {fields[4]}; fmvn {fields[5]}; dm {length};")
    engine.quit()


if __name__ == "__main__":
    main()
