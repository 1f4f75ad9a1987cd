/** The handle at the corner of a board that changes the size of all boards, by pointer or arrow keys. */

import { el, svg } from "../ui.js";

/** @import { Preferences } from "../types" */

const SMALLEST = 0.5;

/**
 * @param {HTMLElement} board
 * @param {Preferences} preferences
 */
export function addResizeHandle(board, preferences) {
  const handle = el("button", { type: "button", class: "resize-handle", "aria-label": "Size of the board: arrow keys change it", title: "Resize the board" });
  handle.append(svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: "M16 6L6 16M16 11l-5 5" })));
  board.append(handle);
  /** @param {number} size */
  const set = (size) => preferences.set("boardSize", Math.round(100 * Math.min(1, Math.max(SMALLEST, size))) / 100);

  handle.addEventListener("pointerdown", (event) => {
    const start = board.getBoundingClientRect();
    const size = preferences.values.boardSize;
    handle.setPointerCapture(event.pointerId);
    /** @param {PointerEvent} move */
    const resize = (move) => {
      // The layout is centered: the corner moves aside by half of the growth, down by all of it.
      const [aside, down] = [2 * (move.clientX - start.right), move.clientY - start.bottom];
      const growth = Math.abs(aside) > Math.abs(down) ? aside : down;
      set((size * (start.width + growth)) / start.width);
    };
    const end = () => {
      handle.removeEventListener("pointermove", resize);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
    };
    handle.addEventListener("pointermove", resize);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
  });
  handle.addEventListener("keydown", (event) => {
    const step = ["ArrowRight", "ArrowUp"].includes(event.key) ? 0.05 : ["ArrowLeft", "ArrowDown"].includes(event.key) ? -0.05 : 0;
    if (!step) return;
    set(preferences.values.boardSize + step);
    event.preventDefault();
    event.stopPropagation();
  });
}
