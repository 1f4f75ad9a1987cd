/** What one side has more of than the other, as small pieces with the difference in pawns. */

import { drawPiece, PIECE_NAMES } from "../board/pieces.js";
import { el, svg } from "../ui.js";

/** @import { Color } from "../types" */

const ORDER = ["q", "r", "b", "n", "p"];
/** @type {Record<string, number>} */
const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };

/**
 * @param {string} fen
 * @param {Color} color
 * @returns {Node[]}
 */
export function materialOf(fen, color) {
  const placement = fen.split(" ")[0] ?? "";
  const pieces = svg("svg", { class: "material-pieces", "aria-hidden": "true" });
  const names = [];
  let x = 0;
  let difference = 0;
  for (const piece of ORDER) {
    const [white, black] = [count(placement, piece.toUpperCase()), count(placement, piece)];
    const more = color === "white" ? white - black : black - white;
    difference += more * (VALUES[piece] ?? 0);
    if (more > 0) names.push(`${more} ${PIECE_NAMES[piece]}${more > 1 ? "s" : ""}`);
    for (let i = 0; i < more; i++) {
      const use = drawPiece(piece, color);
      use.setAttribute("transform", `translate(${x} 0)`);
      pieces.append(use);
      x += 46;
    }
    if (more > 0) x += 16;
  }
  if (!names.length) return [];
  pieces.setAttribute("viewBox", `10 0 ${x + 44} 100`);
  pieces.style.width = `${((x + 44) * 20) / 100}px`;
  return [
    el("span", { class: "visually-hidden" }, `more: ${names.join(", ")}`), pieces,
    ...(difference > 0 ? [el("span", {}, `+${difference}`)] : []),
  ];
}

/**
 * @param {string} text
 * @param {string} letter
 */
function count(text, letter) {
  return text.split(letter).length - 1;
}
