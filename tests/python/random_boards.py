"""Random games, for the tests and for the measurements beside python-chess."""

import random

import chess as python_chess


def random_boards(count, seed=1, plies=150):
    """Boards of python-chess from random games of at most so many plies, each a move after the one before."""
    source = random.Random(seed)
    boards, board = [], python_chess.Board()
    while len(boards) < count:
        moves = list(board.legal_moves)
        if not moves or board.ply() > plies:
            board = python_chess.Board()
            continue
        board.push(source.choice(moves))
        boards.append(board.copy())
    return boards
