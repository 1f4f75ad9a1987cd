"""Boards, moves and sets of squares."""

import copy
import pickle
import random
import threading
import xml.dom.minidom

import pytest
from tabiya import chess
from tabiya.chess import pgn, svg

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def perft(board, depth):
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def slow_perft(board, depth):
    """The count by trying every pseudo-legal move."""
    nodes = 0
    for move in board.pseudo_legal_moves:
        board.push(move)
        if not board.was_into_check():
            nodes += slow_perft(board, depth - 1) if depth > 1 else 1
        board.pop()
    return nodes


def test_perft_counts_are_the_known_ones():
    assert perft(chess.Board(), 3) == 8902
    assert perft(chess.Board(KIWIPETE), 3) == 97862


@pytest.mark.parametrize("number", [0, 284, 518, 959])
def test_legal_moves_are_the_pseudo_legal_ones_that_do_not_leave_the_king_in_check(number):
    board = chess.Board.from_chess960_pos(number)
    assert perft(board, 2) == slow_perft(board, 2)


def random_boards(seed, games, plies=150):
    rng = random.Random(seed)
    for game in range(games):
        board = chess.Board() if game % 2 else chess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
            yield board


def test_random_games_agree_with_python_chess():
    other = pytest.importorskip("chess")
    for board in random_boards(seed=1, games=12):
        theirs = other.Board(board.fen(en_passant="fen"), chess960=board.chess960)
        assert board.fen() == theirs.fen()
        assert sorted(m.uci() for m in board.legal_moves) == sorted(m.uci() for m in theirs.legal_moves)
        assert sorted(m.uci() for m in board.pseudo_legal_moves) == sorted(m.uci() for m in theirs.pseudo_legal_moves)
        for move in theirs.legal_moves:
            ours = chess.Move.from_uci(move.uci())
            san = theirs.san(move)
            assert board.san(ours) == san and board.parse_san(san) == ours
            assert board.lan(ours) == theirs.lan(move)
            assert board.is_irreversible(ours) == theirs.is_irreversible(move)
            assert board.gives_check(ours) == theirs.gives_check(move)
        for square in chess.SQUARES:
            for color in chess.COLORS:
                assert board.attackers_mask(color, square) == theirs.attackers_mask(color, square)
                assert board.pin_mask(color, square) == theirs.pin_mask(color, square)
            assert board.attacks_mask(square) == theirs.attacks_mask(square)
        assert board.is_insufficient_material() == theirs.is_insufficient_material()
        assert int(board.status()) == int(theirs.status())


def test_claims_agree_with_python_chess_along_random_games():
    other = pytest.importorskip("chess")
    rng = random.Random(7)
    ours, theirs = chess.Board("8/8/4k3/8/8/4K3/4R3/8 w - - 80 60"), other.Board("8/8/4k3/8/8/4K3/4R3/8 w - - 80 60")
    for _ in range(120):
        moves = sorted(m.uci() for m in theirs.legal_moves)
        if not moves:
            break
        uci = rng.choice(moves)
        ours.push_uci(uci)
        theirs.push_uci(uci)
        for claim in ("can_claim_fifty_moves", "can_claim_threefold_repetition", "is_repetition", "is_game_over"):
            assert getattr(ours, claim)() == getattr(theirs, claim)(), (claim, ours.fen())
        assert ours.result(claim_draw=True) == theirs.result(claim_draw=True)


def test_pop_restores_every_field():
    for board in random_boards(seed=2, games=4):
        before = board.fen(en_passant="fen", promoted=True)
        for move in list(board.pseudo_legal_moves):
            board.push(move)
            assert board.pop() == move
            assert board.fen(en_passant="fen", promoted=True) == before


def test_copies_are_independent_and_pickle_keeps_the_history():
    board = chess.Board()
    board.push_san("e4")
    twin, deep, short = board.copy(), copy.deepcopy(board), board.copy(stack=False)
    board.push_san("e5")
    assert len(board.move_stack) == 2 and len(twin.move_stack) == len(deep.move_stack) == 1 and not short.move_stack
    restored = pickle.loads(pickle.dumps(board))
    assert restored == board and restored.move_stack == board.move_stack and restored.root() == chess.Board()
    for value in (chess.Move.from_uci("a7a8n"), chess.Piece.from_symbol("q"), chess.SquareSet([1, 2])):
        assert pickle.loads(pickle.dumps(value)) == value


class Tilted(chess.Board):
    """A board whose first move is fixed."""

    def generate_legal_moves(self, *masks):
        yield from (move for move in super().generate_legal_moves(*masks) if move.from_square == chess.E2)


def test_a_subclass_keeps_its_class_and_its_generator():
    board = Tilted()
    assert [move.uci() for move in board.legal_moves] == ["e2e3", "e2e4"]
    assert type(board.copy()) is Tilted


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: chess.Board("nonsense"), ValueError),
        (lambda: chess.Board(5), TypeError),
        (lambda: chess.Board("8/8/8/8/8/8/8/9 w - - 0 1"), ValueError),
        (lambda: chess.Board().piece_at(64), ValueError),
        (lambda: chess.Board().piece_at("e4"), TypeError),
        (lambda: chess.Board().piece_at(-1), ValueError),
        (lambda: chess.Board().push("e2e4"), TypeError),
        (lambda: chess.Board().push(chess.Move.from_uci("e4e5")), chess.IllegalMoveError),
        (lambda: chess.Board().push(chess.Move.from_uci("Q@e4")), chess.IllegalMoveError),
        (lambda: chess.Board().pop(), IndexError),
        (lambda: chess.Board().san(chess.Move.from_uci("e4e5")), chess.IllegalMoveError),
        (lambda: chess.Board().parse_san("e5"), chess.IllegalMoveError),
        (lambda: chess.Board().parse_san("Nz9"), chess.InvalidMoveError),
        (lambda: chess.Board().parse_uci("e2e5"), chess.IllegalMoveError),
        (lambda: chess.Board().set_piece_at(0, "Q"), TypeError),
        (lambda: chess.Board().set_chess960_pos(960), ValueError),
        (lambda: chess.Board().fen(en_passant="never"), ValueError),
        (lambda: setattr(chess.Board(), "halfmove_clock", -1), ValueError),
        (lambda: chess.Move(64, 0), ValueError),
        (lambda: chess.Move.from_uci("e2e2"), chess.InvalidMoveError),
        (lambda: chess.Move.from_uci("é2e4"), chess.InvalidMoveError),
        (lambda: chess.Piece(7, True), ValueError),
        (lambda: chess.Piece.from_symbol("NN"), ValueError),
        (lambda: chess.SquareSet(["a"]), TypeError),
        (lambda: chess.SquareSet([64]), ValueError),
        (lambda: chess.Board.from_epd(""), ValueError),
        (lambda: chess.Board().epd(bad=float("nan")), ValueError),
    ],
)
def test_wrong_types_and_values_raise_with_the_reason(call, error):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value)


def test_garbage_never_panics():
    rng = random.Random(3)
    letters = "KQRBNPkqrbnp12345678/ w-aAhHe3 06~\n\0é"
    for _ in range(3000):
        text = "".join(rng.choice(letters) for _ in range(rng.randrange(60)))
        for read in (chess.Board, chess.Board().parse_san, chess.Board().set_epd, chess.Move.from_uci):
            try:
                read(text)
            except ValueError:
                pass


def test_odd_boards_never_panic():
    rng = random.Random(4)
    pieces = [chess.Piece.from_symbol(symbol) for symbol in "KQRBNPkqrbnp"]
    for _ in range(300):
        board = chess.Board(None, chess960=rng.random() < 0.5)
        for square in rng.sample(range(64), rng.randrange(64)):
            board.set_piece_at(square, rng.choice(pieces), promoted=rng.random() < 0.1)
        board.turn = rng.random() < 0.5
        board.castling_rights = rng.getrandbits(64) & rng.getrandbits(64)
        board.ep_square = rng.choice([None, rng.randrange(64)])
        for move in board.legal_moves:
            assert board.is_legal(move) and board.san(move) and board.lan(move)
        board.status(), board.outcome(claim_draw=True), board.epd(), str(board), board.unicode(), board._repr_svg_()
        for move in list(board.pseudo_legal_moves):
            board.push(move)
            board.fen()
            board.pop()


def test_eight_threads_use_boards_at_once():
    def work():
        for board in random_boards(seed=5, games=3, plies=60):
            results.append(board.fen())

    results = []
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [board.fen() for board in random_boards(seed=5, games=3, plies=60)]
    assert sorted(results) == sorted(expected * 8)


def test_pictures_take_the_arguments_of_python_chess():
    board = chess.Board()
    board.push_san("e4")
    picture = svg.board(
        board,
        lastmove=board.peek(),
        check=chess.E8,
        arrows=[(chess.E2, chess.E4), svg.Arrow(chess.A1, chess.A1, color="#12345678")],
        fill={chess.A3: "teal\"<", chess.H8: "red"},
        squares=chess.SquareSet([chess.B2]),
        size=100,
        colors={"square light": "ivory", "square light lastmove": "gold", "arrow green": "lime", "unknown": "x"},
        flipped=True,
        borders=True,
        style=".arrow > line { stroke: red }",
    )
    xml.dom.minidom.parseString(picture)
    for part in ('"teal&quot;&lt;"', '"ivory"', '"gold"', '"lime"', "#12345678", "<line", "<circle", "&gt; line", 'width="100"'):
        assert part in picture, part
    assert svg.board(board, flipped=True) == svg.board(board, orientation=chess.BLACK) != svg.board(board)
    piece = svg.piece(chess.Piece.from_symbol("q"), size=30)
    xml.dom.minidom.parseString(piece)
    assert 'id="black-queen"' in piece and 'width="30"' in piece
    with pytest.raises(ValueError, match="64 is not a square"):
        svg.board(arrows=[(0, 64)])


def test_boards_and_moves_of_python_chess_are_accepted():
    other = pytest.importorskip("chess")
    theirs, ours = other.Board(KIWIPETE), chess.Board(KIWIPETE)
    assert svg.board(theirs) == svg.board(ours)
    move = other.Move.from_uci("e2a6")
    assert ours.san(move) == theirs.san(move) and move.uci() in {m.uci() for m in ours.legal_moves}
    ours.push(move)
    theirs.push(move)
    assert ours.fen() == theirs.fen()
    game = pgn.Game.from_board(theirs)
    assert game.headers["FEN"] == KIWIPETE and game.next().san() == "Bxa6"


def test_the_interface_of_squares_and_pictures():
    assert chess.SquareSet(chess.BB_RANK_1).issubset(chess.BB_RANK_1 | chess.BB_RANK_2)
    assert repr(chess.SquareSet([0, 63])) == "SquareSet(0x8000_0000_0000_0001)"
    board = chess.Board()
    board.push_san("e4")
    assert "black king e8" in board._repr_svg_() and "<svg" in chess.Piece.from_symbol("N")._repr_svg_()
    assert chess.square_knight_distance(chess.A1, chess.B2) == 4
    assert chess.ray(chess.A1, chess.C3) & chess.BB_H8 and not chess.ray(chess.A1, chess.C2)
    assert board.mirror().mirror() == board
    assert board.transform(chess.flip_horizontal).piece_at(chess.D4) == chess.Piece(chess.PAWN, chess.WHITE)
