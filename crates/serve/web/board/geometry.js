/** Squares and where they are drawn: the board is 800 by 800 with squares of 100. */

/** @import { Color, Occupant } from "../types" */

export const SIDE = 100;
const FILES = "abcdefgh";

/** All squares, a1 = 0, b1 = 1, … h8 = 63. */
export const SQUARES = Array.from({ length: 64 }, (_, index) => `${FILES[index % 8]}${1 + (index >> 3)}`);

/**
 * @param {string} square
 * @returns {number}
 */
export function indexOf(square) {
  return FILES.indexOf(square[0] ?? "") + 8 * (Number(square[1]) - 1);
}

/**
 * The upper left corner of a square.
 * @param {string} square
 * @param {Color} orientation
 * @returns {[number, number]}
 */
export function cornerOf(square, orientation) {
  const index = indexOf(square);
  const file = index & 7;
  const rank = index >> 3;
  return orientation === "white" ? [file * SIDE, (7 - rank) * SIDE] : [(7 - file) * SIDE, rank * SIDE];
}

/**
 * The square at a column and row as seen, or null beside the board.
 * @param {number} column
 * @param {number} row
 * @param {Color} orientation
 * @returns {string | null}
 */
export function squareAt(column, row, orientation) {
  if (column < 0 || column > 7 || row < 0 || row > 7) return null;
  const [file, rank] = orientation === "white" ? [column, 7 - row] : [7 - column, row];
  return SQUARES[8 * rank + file] ?? null;
}

/**
 * The pieces of a FEN.
 * @param {string} fen
 * @returns {Occupant[]}
 */
export function occupantsOf(fen) {
  /** @type {Occupant[]} */
  const occupants = [];
  let file = 0;
  let rank = 7;
  for (const letter of fen.split(" ")[0] ?? "") {
    if (letter === "/") {
      file = 0;
      rank -= 1;
    } else if (letter >= "1" && letter <= "8") {
      file += Number(letter);
    } else if (/[pnbrqk]/i.test(letter)) {
      const square = SQUARES[8 * rank + file++];
      const piece = letter.toLowerCase();
      if (square) occupants.push({ square, white: letter === piece ? null : piece, black: letter === piece ? piece : null });
    }
  }
  return occupants;
}
