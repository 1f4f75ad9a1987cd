/** Paco Ŝako games and positions as text, in and out. */

import { addressWith } from "../text.js";
import { PIECE_NAMES } from "../board/pieces.js";

/** @import { Color, PacoMessage } from "../types" */

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -";

/** The finished turns, or all of them. @param {PacoMessage} paco */
const texts = (paco) => paco.turns.map(({ notation }) => notation);

/** The game as text: numbered turns, after the start position if it is not the usual one. @param {PacoMessage} paco */
export function gameText(paco) {
  const words = texts(paco);
  const black = paco.turns[0]?.color === "black";
  const numbered = words.map((text, index) => {
    const ply = index + (black ? 1 : 0);
    return ply % 2 === 0 ? `${ply / 2 + 1}. ${text}` : index === 0 ? `1... ${text}` : text;
  }).join(" ");
  return paco.start.startsWith(START) ? numbered : `${paco.start}\n${numbered}`.trim();
}

/** The page's address for a text. @param {string} text */
function address(text) {
  return addressWith(`paco=${encodeURIComponent(text.replaceAll(" ", "_")).replaceAll("%2F", "/").replaceAll("%3D", "=")}`);
}

/** What the share dialog offers. @param {PacoMessage} paco */
export function shareEntries(paco) {
  // A hyphen instead of ">" needs no escape in an address.
  const turns = texts(paco).map((text) => text.replaceAll(">", "-")).join(" ");
  const game = paco.start.startsWith(START) ? turns || paco.start : `${paco.start}\n${turns}`.trim();
  return [
    { label: "Address of the game", text: address(game) },
    { label: "Address of the position", text: address(paco.fen) },
    { label: "FEN", text: paco.fen },
    { label: "Notation", text: gameText(paco) || paco.start },
  ];
}

/** True if a text is a Paco Ŝako position or game rather than one of chess. @param {string} text */
export function looksLikePaco(text) {
  const fen = /^\s*([^\s/]+\/){7}\S+ [wb] \d+ \S+ \S+ -/;
  const turns = /^\s*(1\.+\s*)?(=[RNBQ]:)?[PRNBQK]{0,2}[a-h][1-8][>x]/;
  return fen.test(text) || turns.test(text);
}

/**
 * "white knight", or for a union "white knight with black pawn".
 * @param {NonNullable<PacoMessage["hand"]>} hand
 * @param {Color} color
 */
export function handName({ piece, partner }, color) {
  const other = color === "white" ? "black" : "white";
  return `${color} ${PIECE_NAMES[piece]}${partner ? ` with ${other} ${PIECE_NAMES[partner]}` : ""}`;
}
