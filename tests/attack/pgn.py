#!/usr/bin/env python3
"""Foreign-looking PGN, 500 files of our own making, whose games are known.

Every file holds a few random games in one strange manner: line ends, byte order marks, comments and
escapes in odd places, tags spaced oddly, castling with zeros, figurines, moves in UCI form, words for
check, glyphs, missing results. `tabiya pgn check` must find all games and moves and no error, and
`tabiya pgn normalize` must write a file in which python-chess finds the same moves and results. How
often python-chess reads the strange file itself as meant is reported for comparison.

    python tests/attack/pgn.py target/release/tabiya [--files 500]
"""

import io
import json
import logging
import tempfile
from pathlib import Path

import chess
import chess.pgn

from common import Report, arguments, in_parallel, run, seeded

WHITE_FIGURINES = dict(zip("KQRBN", "♔♕♖♗♘"))
BLACK_FIGURINES = dict(zip("KQRBN", "♚♛♜♝♞"))


def figurine(san, board, _rng):
    if san[0] in WHITE_FIGURINES:
        table = WHITE_FIGURINES if board.turn else BLACK_FIGURINES
        return table[san[0]] + san[1:]
    return san


def with_zeros(san, _board, _rng):
    return san.replace("O", "0")


def check_word(san, _board, rng):
    return san[:-1] + rng.choice(["ch", "+", "++"]) if san.endswith("+") else san


def promotion(san, _board, rng):
    if "=" not in san:
        return san
    return san.replace("=", rng.choice(["", "=", "/"]))


def glyphs(san, _board, rng):
    return san + rng.choice(["", "!", "?", "!!", "??", "!?", "?!", "‼", "⁇", "⁉", "⁈"])


def long_form(san, board, _rng):
    move = board.parse_san(san)
    return san if board.is_castling(move) else board.lan(move)


def uci(san, board, _rng):
    move = board.parse_san(san)
    return san if board.chess960 and board.is_castling(move) else move.uci()


def en_passant(san, board, rng):
    move = board.parse_san(san)
    return san + rng.choice([" e.p.", "e.p.", "ep"]) if board.is_en_passant(move) and san[-1].isdigit() else san


WRITERS = [figurine, with_zeros, check_word, promotion, glyphs, long_form, uci, en_passant]


def random_game(rng):
    if rng.random() < 0.15:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
    elif rng.random() < 0.15:
        board = chess.Board("r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPP1/R3K2R w KQkq - 0 9")
    else:
        board = chess.Board()
    start, moves = board.copy(), []
    for _ in range(rng.randrange(2, 90)):
        legal = list(board.legal_moves)
        if not legal:
            break
        special = [
            m for m in legal
            if m.promotion or board.is_castling(m) or board.is_en_passant(m) or board.gives_check(m)
        ]
        move = rng.choice(special if special and rng.random() < 0.5 else legal)
        moves.append(move)
        board.push(move)
    return start, moves, rng.choice(["1-0", "0-1", "1/2-1/2", "*"])


def tag(rng, name, value, strange):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    if not strange:
        return f'[{name} "{escaped}"]'
    return rng.choice([f'[ {name} "{escaped}" ]', f'[{name}\t"{escaped}"]', f'[{name}   "{escaped}"]', f' [{name} "{escaped}"]'])


def write(rng, games, style):
    """The text of a file, in one manner."""
    parts = []
    for number, (start, moves, result) in enumerate(games):
        lines = [tag(rng, "Event", f"game {number}", style["tags"])]
        if style["comments_in_tags"]:
            lines.append(rng.choice(["; a comment", "{ a comment }", "% an escape"]))
        lines.append(tag(rng, "White", rng.choice(['Ann "the" Bee', "O'Neil", "Žofie", "?"]), style["tags"]))
        lines.append(tag(rng, "Result", result, style["tags"]))
        if start.chess960:
            lines.append('[Variant "Chess960"]')
        if start.fen() != chess.STARTING_FEN:
            lines += ['[SetUp "1"]', f'[FEN "{start.fen()}"]']
        words, board = [], start.copy()
        dots = True
        for move in moves:
            if board.turn or dots or style["numbers"] == "always":
                number_text = f"{board.fullmove_number}{'.' if board.turn else '...'}"
                if style["numbers"] == "tight":
                    number_text = number_text + "\0"
                elif style["numbers"] == "none":
                    number_text = ""
                elif style["numbers"] == "bare":
                    number_text = f"{board.fullmove_number}"
                if number_text:
                    words.append(number_text)
            dots = False
            text = style["writer"](board.san(move), board, rng)
            if words and words[-1].endswith("\0"):
                words[-1] = words[-1][:-1] + text
            else:
                words.append(text)
            board.push(move)
            if rng.random() < style["comments"]:
                words.append(rng.choice(["{ a { brace }", "{[%clk 0:01:02]}", "{}", "{ 1. e4 e5 ; no comment }", "{ (\n }"]))
                dots = True
            if rng.random() < style["comments"] / 2:
                words.append(rng.choice(["$1", "$10", "$146", "( )", "({ only words })"]))
                dots = True
        if not style["no_result"] or number + 1 == len(games):
            token = result
            if result == "1/2-1/2":
                token = rng.choice(["1/2-1/2", "½-½"]) if style["writer"] is glyphs else "1/2-1/2"
            words.append(token)
        space = style["space"]
        text, column = "", 0
        for word in words:
            if column + len(word) > 75:
                text, column = text + "\n", 0
            elif text:
                text, column = text + space, column + 1
            text, column = text + word, column + len(word)
        gap = "\n" if style["tight"] else "\n\n"
        parts.append("\n".join(lines) + gap + text + "\n" + ("" if style["tight"] else "\n"))
    text = style["bom"] + "".join(parts)
    return text.replace("\n", style["line_end"]).encode(style["encoding"], errors="replace")


def style_of(rng):
    encoding = rng.choice(["utf-8", "utf-8", "latin-1"])
    writer = rng.choice(WRITERS + [lambda san, _board, _rng: san])
    if writer in (figurine, glyphs):
        encoding = "utf-8"
    return {
        "writer": writer,
        "line_end": rng.choice(["\n", "\n", "\r\n", "\r"]),
        "bom": "\ufeff" if encoding == "utf-8" and rng.random() < 0.3 else "",
        "encoding": encoding,
        "tags": rng.random() < 0.3,
        "comments_in_tags": rng.random() < 0.3,
        "comments": rng.choice([0, 0, 0.1, 0.4]),
        "numbers": rng.choice(["usual", "tight", "always", "none", "bare"]),
        "no_result": rng.random() < 0.2,
        "space": "\u00a0" if encoding == "utf-8" and rng.random() < 0.1 else " ",
        "tight": rng.random() < 0.2,
    }


def read_by_python_chess(text):
    games, file = [], io.StringIO(text)
    while (game := chess.pgn.read_game(file)) is not None:
        games.append(([move.uci() for move in game.mainline_moves()], game.headers.get("Result", "*"), game.errors))
    return games


def attack(program, folder, seed, number):
    """Defects found with one file, and whether python-chess read it as it was meant."""
    rng = seeded(seed, number)
    games = [random_game(rng) for _ in range(rng.randrange(1, 6))]
    style = style_of(rng)
    content = write(rng, games, style)
    path = Path(folder) / f"{number}.pgn"
    path.write_bytes(content)
    truth = [([move.uci() for move in moves], result) for _, moves, result in games]
    kind = ", ".join(f"{key}={getattr(value, '__name__', value)!r}" for key, value in style.items())
    defects = []
    checked = run([program, "pgn", "check", "--json", path])
    if fault := checked.fault():
        defects.append(f"file {number}: check: {fault}")
    else:
        found = json.loads(checked.out)
        moves = sum(len(moves) for moves, _ in truth)
        if (found["games"], found["moves"], len(found["errors"])) != (len(truth), moves, 0):
            defects.append(
                f"file {number} ({kind}): {found['games']} games and {found['moves']} moves instead of "
                f"{len(truth)} and {moves}; {found['errors'][:2]}"
            )
    normalized = run([program, "pgn", "normalize", path])
    if fault := normalized.fault():
        defects.append(f"file {number}: normalize: {fault}")
    else:
        read = read_by_python_chess(normalized.out.decode())
        if [game[:2] for game in read] != truth or any(errors for _, _, errors in read):
            defects.append(f"file {number} ({kind}): python-chess reads other games from what normalize wrote")
    if not defects:
        path.unlink()
    try:
        foreign = read_by_python_chess(content.decode(style["encoding"]).removeprefix("\ufeff"))
        agrees = [game[:2] for game in foreign] == truth
    except Exception:  # it is python-chess that is being tried here
        agrees = False
    return defects, agrees


def main():
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    args = arguments(__doc__, files=500, keep="")
    report = Report("pgn")
    agreed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        Path(folder).mkdir(parents=True, exist_ok=True)
        results = in_parallel(lambda n: attack(args.program, folder, args.seed, n), range(args.files))
    for defects, agrees in results:
        report.add()
        agreed += agrees
        for defect in defects:
            report.defect(defect)
    print(f"pgn: python-chess reads {agreed} of the {args.files} files as they were meant")
    report.end()


if __name__ == "__main__":
    main()
