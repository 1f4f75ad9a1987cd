/**
 * Draws what stands on a square. The shapes come from the server's own piece set (`/pieces.svg`), which is put
 * into the document once; every piece is a `<use>` of one of its symbols, in a box of 100 by 100.
 */

import { el, svg } from "../ui.js";

/** @import { Color } from "../types" */

/** @type {Record<string, string>} */
export const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** Fetches the piece set and puts its definitions into the document. */
export async function loadPieces() {
  const response = await fetch("pieces.svg");
  if (!response.ok) throw new Error(`pieces.svg: ${response.status}`);
  const text = await response.text();
  const file = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const holder = el("div", { class: "piece-definitions", "aria-hidden": "true" });
  holder.append(document.importNode(file, true));
  document.body.prepend(holder);
}

/**
 * One piece of a player.
 * @param {string} piece a letter of "pnbrqk"
 * @param {Color} color
 * @returns {SVGUseElement}
 */
export function drawPiece(piece, color) {
  return svg("use", { href: `#tabiya-${piece}`, class: `piece-${color}` });
}

/**
 * What stands on a square: one piece, or the two of a union, each in a group `part white` or `part black` that
 * the board animates by itself. A raised piece is lifted from the square and casts a shadow; over a union it is
 * smaller and higher, so that all three are seen.
 * @param {string} square
 * @param {string | null} white
 * @param {string | null} black
 * @param {boolean} raised
 * @param {boolean} [over] something stands below the raised piece
 * @returns {SVGGElement}
 */
export function drawSquare(square, white, black, raised, over = false) {
  const group = svg("g", { class: raised ? "occupant raised" : "occupant", "data-square": square });
  const union = white !== null && black !== null;
  if (raised && !over) group.append(svg("ellipse", { class: "shadow", cx: 50, cy: 90, rx: 32, ry: 7 }));
  const parts = [];
  const lift = over ? "translate(12 -44) scale(.76)" : raised ? "translate(0 -22)" : null;
  if (black !== null) parts.push(part("black", black, union, lift));
  if (white !== null) parts.push(part("white", white, union, lift));
  if (union && layerOf("white", white) > layerOf("black", black)) parts.reverse();
  group.append(...parts);
  return group;
}

/**
 * @param {Color} color
 * @param {string} piece
 * @param {boolean} union
 * @param {string | null} lift the transform of a raised piece
 */
function part(color, piece, union, lift) {
  const use = union ? svg("use", { href: `#${unionId(color, piece)}` }) : drawPiece(piece, color);
  const lifted = svg("g", { transform: lift }, use);
  if (lift && !union) lifted.prepend(svg("use", { href: `#tabiya-${piece}-body`, class: "halo" }));
  return svg("g", { class: `part ${color}`, "data-piece": piece }, lifted);
}

/** The definition of a piece in its place in a union. @param {Color} color @param {string} piece */
const unionId = (color, piece) => `tabiya-union-${color}-${piece}`;

/** How far behind a piece stands in a union. @param {Color} color @param {string} piece */
const layerOf = (color, piece) => Number(document.getElementById(unionId(color, piece))?.dataset.layer ?? 0);

/**
 * "white knight", or "white knight with black pawn".
 * @param {{ white: string | null, black: string | null }} occupant
 */
export function occupantName({ white, black }) {
  const names = [white && `white ${PIECE_NAMES[white]}`, black && `black ${PIECE_NAMES[black]}`];
  return names.filter(Boolean).join(" with ");
}
