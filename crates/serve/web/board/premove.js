/**
 * Where a piece could go in one move on an otherwise empty board: what a premove may be. The position in which it
 * will be played is not known yet, so only the way the piece moves counts; the server decides when the time comes.
 */

import { SQUARES, indexOf } from "./geometry.js";

/** @import { Color } from "../types" */

/**
 * @param {string} from
 * @param {string} piece a letter of "pnbrqk"
 * @param {Color} color
 * @returns {string[]}
 */
export function premoveTargets(from, piece, color) {
  const start = indexOf(from);
  const forward = color === "white" ? 1 : -1;
  const startRank = color === "white" ? 1 : 6;
  return SQUARES.filter((square, index) => {
    if (square === from) return false;
    const files = Math.abs((index & 7) - (start & 7));
    const ranks = (index >> 3) - (start >> 3);
    const steps = Math.abs(ranks);
    const straight = files === 0 || steps === 0;
    const diagonal = files === steps;
    switch (piece) {
      case "p": return (ranks === forward && files <= 1) || (files === 0 && ranks === 2 * forward && start >> 3 === startRank);
      case "n": return files * steps === 2;
      case "b": return diagonal;
      case "r": return straight;
      case "q": return straight || diagonal;
      // A king may also castle: along the first rank, as far as its target or its rook.
      default: return Math.max(files, steps) === 1 || (steps === 0 && start >> 3 === (color === "white" ? 0 : 7));
    }
  });
}
