/** The placement of a Paco Ŝako FEN as occupants of the board; what is in hand is raised. */

/** @import { Occupant } from "../types" */

/** Unions by letter: the black piece, then the white one; a capital letter exchanges the colors. @type {Record<string, string>} */
const UNIONS = {
  a: "pp", c: "pr", d: "pn", e: "pb", f: "pq", g: "pk", h: "rr", i: "rn", j: "rb", l: "rq", m: "rk",
  o: "nn", s: "nb", t: "nq", u: "nk", v: "bb", w: "bq", x: "bk", y: "qq", z: "qk", _: "kk",
};

/**
 * @param {string} letter
 * @returns {{ white: string | null, black: string | null }}
 */
function piecesOf(letter) {
  const lower = letter.toLowerCase();
  const [black = null, white = null] = UNIONS[lower] ?? (letter === lower ? [lower] : [null, lower]);
  return letter !== lower && UNIONS[lower] ? { white: black, black: white } : { white, black };
}

/**
 * @param {string} fen
 * @returns {Occupant[]}
 */
export function occupantsOfPaco(fen) {
  const [placement = "", lifted] = (fen.split(" ")[0] ?? "").split("^");
  const occupants = placement.split("/").flatMap((row, index) => {
    let file = 0;
    /** @type {Occupant[]} */
    const found = [];
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else found.push({ square: "abcdefgh"[file++] + String(8 - index), ...piecesOf(letter) });
    }
    return found;
  });
  if (lifted) occupants.push({ square: lifted.slice(0, 2), ...piecesOf(lifted[2] ?? ""), raised: true });
  return occupants;
}
