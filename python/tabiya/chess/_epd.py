"""Extended Position Description: the first four fields of a FEN, and operations."""

from typing import Any, Dict, Iterator, List, Tuple

#: Opcodes whose operands are a set of moves from the position; pv is a line of moves.
_MOVE_LISTS = ("am", "bm")


def write_operations(board: Any, operations: Dict[str, Any]) -> str:
    """The operations as text, each with its semicolon."""
    return " ".join(f"{opcode}{_operand_text(board, opcode, operand)};" for opcode, operand in operations.items())


def _operand_text(board: Any, opcode: str, operand: Any) -> str:
    from . import Move

    if not opcode or not opcode[0].isalpha() or any(c.isspace() or c in ';"' for c in opcode):
        raise ValueError(f"invalid opcode: {opcode!r}")
    if operand is None:
        return ""
    if opcode == "pv":
        line, sans = board.copy(stack=False), []
        for move in operand:
            sans.append(line.san(move))
            line.push(move)
        return "".join(" " + san for san in sans)
    if isinstance(operand, Move):
        return " " + board.san(operand)
    if isinstance(operand, (int, float)):
        if operand != operand or operand in (float("inf"), float("-inf")):
            raise ValueError(f"{opcode} must be a finite number, not {operand}")
        return f" {operand}"
    if not isinstance(operand, str):
        moves = list(operand)
        if opcode in _MOVE_LISTS or all(isinstance(move, Move) for move in moves):
            return "".join(" " + san for san in sorted(board.san(move) for move in moves))
        raise TypeError(f"{opcode} must be a str, a number, a move or moves, not {type(operand).__name__}")
    if any(c in operand for c in "\r\n"):
        raise ValueError(f"{opcode} must not contain a line break")
    escaped = operand.replace("\\", "\\\\").replace('"', '\\"')
    return f' "{escaped}"'


def _tokens(text: str) -> Iterator[Tuple[str, bool]]:
    """The words of operations, strings in quotes marked, and ``;`` at the end of each operation."""
    at = 0
    while at < len(text):
        c = text[at]
        if c.isspace():
            at += 1
        elif c == ";":
            yield ";", False
            at += 1
        elif c == '"':
            value, at = [], at + 1
            while at < len(text) and text[at] != '"':
                if text[at] == "\\" and at + 1 < len(text):
                    at += 1
                value.append(text[at])
                at += 1
            yield "".join(value), True
            at += 1
        else:
            begin = at
            while at < len(text) and not text[at].isspace() and text[at] != ";":
                at += 1
            yield text[begin:at], False
    yield ";", False


def parse_operations(text: str, board: Any) -> Dict[str, Any]:
    """The operations of an EPD by their opcodes."""
    operations: Dict[str, Any] = {}
    words: List[Tuple[str, bool]] = []
    for word, quoted in _tokens(text):
        if word != ";" or quoted:
            words.append((word, quoted))
            continue
        if words:
            opcode, opcode_quoted = words[0]
            if opcode == "-" and not opcode_quoted:
                # Some files have one dash too many before the operations.
                words = words[1:]
                if not words:
                    continue
                opcode = words[0][0]
            if not opcode[0].isalpha():
                raise ValueError(f"expected an opcode in EPD, not {opcode!r}")
            operations[opcode] = _operand(opcode, words[1:], board)
        words = []
    return operations


def _operand(opcode: str, words: List[Tuple[str, bool]], board: Any) -> Any:
    if opcode == "pv":
        line = board.copy(stack=False)
        return [line.push_san(word) for word, _ in words]
    if opcode in _MOVE_LISTS:
        return [board.parse_san(word) for word, _ in words]
    if not words:
        return None
    if len(words) == 1:
        word, quoted = words[0]
        if quoted:
            return word
        for read in (int, float):
            try:
                return read(word)
            except ValueError:
                pass
        return board.parse_san(word)
    return [board.parse_san(word) for word, _ in words]
