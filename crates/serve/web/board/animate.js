/** Moves pieces from where they were to where they are, piece by piece, so that castling and unions are seen. */

import { cornerOf } from "./geometry.js";

/**
 * @import { Drawn } from "./picture.js"
 * @import { Color } from "../types"
 */

/** @typedef {{ square: string, color: "white" | "black", piece: string, element: SVGGElement }} Part */

let enabled = true;
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** Turns animations on or off, for all boards. @param {boolean} on */
export function setAnimations(on) {
  enabled = on;
}

const DURATION = 180;

/** True if animations are wanted by the preference and by the system. */
export function animationsOn() {
  return enabled && !reduced.matches;
}

/**
 * @param {Map<string, Drawn>} before
 * @param {Map<string, Drawn>} after
 * @param {Color} orientation
 * @param {SVGGElement} layer
 */
export function animateChange(before, after, orientation, layer) {
  const gone = partsMissing(before, after);
  const come = partsMissing(after, before);
  if (come.length > 12) return; // another game: no flock of pieces
  for (const part of come) {
    const candidates = gone.filter(({ color, piece }) => color === part.color && piece === part.piece);
    const source = candidates.sort((a, b) => distance(a, part) - distance(b, part))[0]
      ?? promotionSource(gone, part);
    if (!source) continue;
    gone.splice(gone.indexOf(source), 1);
    const [fromX, fromY] = cornerOf(source.square, orientation);
    const [toX, toY] = cornerOf(part.square, orientation);
    if (fromX === toX && fromY === toY) continue;
    const group = part.element.parentNode;
    if (group instanceof Node && group.parentNode === layer) layer.append(group);
    part.element.animate(
      [{ transform: `translate(${fromX - toX}px, ${fromY - toY}px)` }, { transform: "translate(0px, 0px)" }],
      { duration: DURATION, easing: "cubic-bezier(.25, .1, .25, 1)" });
  }
  // What was captured stays until the capturing piece has arrived.
  for (const { element } of gone) {
    const group = element.parentElement;
    if (!(group instanceof SVGGElement) || group.isConnected || element.parentNode?.querySelectorAll(".part").length !== 1) continue;
    layer.prepend(group);
    const fade = group.animate([{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }], { duration: DURATION });
    fade.onfinish = fade.oncancel = () => group.remove();
  }
}

/**
 * The pawn that became a piece.
 * @param {Part[]} gone
 * @param {Part} part
 */
function promotionSource(gone, part) {
  const rank = part.color === "white" ? ["7", "8"] : ["2", "1"];
  if (part.square[1] !== rank[1]) return undefined;
  return gone.find(({ color, piece, square }) => color === part.color && piece === "p" && square[1] === rank[0]);
}

/**
 * The pieces of `from` that are not on the same square in `other`.
 * @param {Map<string, Drawn>} from
 * @param {Map<string, Drawn>} other
 * @returns {Part[]}
 */
function partsMissing(from, other) {
  /** @type {Part[]} */
  const parts = [];
  for (const { occupant, element } of from.values()) {
    for (const color of /** @type {const} */ (["white", "black"])) {
      const piece = occupant[color];
      if (!piece) continue;
      const stays = [occupant.square, occupant.square + "^"].some((key) => other.get(key)?.occupant[color] === piece);
      const part = element.querySelector(`:scope > .part.${color}`);
      if (!stays && part instanceof SVGGElement) parts.push({ square: occupant.square, color, piece, element: part });
    }
  }
  return parts;
}

/** @param {Part} a @param {Part} b */
function distance(a, b) {
  const [ax, ay] = cornerOf(a.square, "white");
  const [bx, by] = cornerOf(b.square, "white");
  return Math.hypot(ax - bx, ay - by);
}
