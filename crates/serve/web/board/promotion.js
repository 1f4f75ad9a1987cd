/**
 * The choice of a promotion, on the board beside the pawn's target. It blocks the board until a piece is chosen
 * or the choice is cancelled by Escape or a press elsewhere.
 */

import { el, svg } from "../ui.js";
import { cornerOf } from "./geometry.js";
import { PIECE_NAMES, drawPiece } from "./pieces.js";

/** @import { Color } from "../types" */

/**
 * @param {HTMLElement} board
 * @param {string} square
 * @param {Color} color
 * @param {Color} orientation
 * @param {(piece: string | null) => void} done called once, with null if it is cancelled
 * @param {string[]} [pieces]
 * @returns {() => void} cancels the choice
 */
export function choosePromotion(board, square, color, orientation, done, pieces = ["q", "n", "r", "b"]) {
  const before = document.activeElement;
  const buttons = pieces.map((piece) => el("button", {
    type: "button", "aria-label": PIECE_NAMES[piece], title: PIECE_NAMES[piece], "data-piece": piece,
    onclick: () => finish(piece),
  }));
  buttons.forEach((button, index) => {
    button.append(svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, drawPiece(pieces[index] ?? "q", color)));
  });
  const list = el("div", { class: "promotion-list" }, ...buttons);
  const dialog = el("div", { class: "promotion", role: "dialog", "aria-modal": "true", "aria-label": "Promote to" }, list);
  const [x, y] = cornerOf(square, orientation);
  list.style.left = `${x / 8}%`;
  if (y < 400) list.style.top = "0";
  else {
    list.style.bottom = "0";
    list.classList.add("upwards");
  }
  list.style.height = `${12.5 * pieces.length}%`;

  let open = true;
  /** @param {string | null} piece */
  function finish(piece) {
    if (!open) return;
    open = false;
    dialog.remove();
    if (before instanceof HTMLElement && before !== document.body) before.focus();
    done(piece);
  }

  dialog.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
    if (event.target === dialog) finish(null);
  });
  dialog.addEventListener("keydown", (event) => {
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const letter = pieces.indexOf(event.key.toLowerCase());
    const upwards = list.classList.contains("upwards");
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: upwards ? -1 : 1, ArrowUp: upwards ? 1 : -1, ArrowRight: 1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 });
    const step = steps[event.key];
    if (event.key === "Escape") finish(null);
    else if (letter >= 0 && !event.ctrlKey && !event.metaKey) finish(pieces[letter] ?? null);
    else if (step) buttons[(index + step + pieces.length) % pieces.length]?.focus();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  board.append(dialog);
  buttons[0]?.focus();
  return () => finish(null);
}
