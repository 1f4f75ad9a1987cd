/**
 * The board for keyboards and screen readers: an ARIA grid of 64 buttons over the picture with one tab stop.
 * Arrow keys move between squares, Home and End go to the ends of a row, Enter and Space press a square.
 */

import { el } from "../ui.js";
import { squareAt } from "./geometry.js";

/** @import { Color } from "../types" */

/**
 * @param {{ label: string, orientation: Color, activate: (square: string) => void, cancel: () => boolean }} options
 */
export function createGrid({ label, orientation, activate, cancel }) {
  /** @type {HTMLButtonElement[]} */
  const cells = [];
  const element = el("div", { role: "grid", "aria-label": label, class: "board-grid" });
  for (let row = 0; row < 8; row++) {
    const line = el("div", { role: "row" });
    for (let column = 0; column < 8; column++) {
      const cell = el("button", { type: "button", role: "gridcell", tabindex: -1 });
      cells.push(cell);
      line.append(cell);
    }
    element.append(line);
  }
  /** The position of the tab stop, row by row as seen. */
  let current = 52;
  cells[current]?.setAttribute("tabindex", "0");

  /** @param {number} cell */
  const squareOf = (cell) => squareAt(cell % 8, cell >> 3, orientation) ?? "a1";

  /**
   * @param {number} cell
   * @param {boolean} focus
   */
  function moveTo(cell, focus) {
    cells[current]?.setAttribute("tabindex", "-1");
    current = cell;
    cells[current]?.setAttribute("tabindex", "0");
    if (focus) cells[current]?.focus();
  }

  element.addEventListener("focusin", (event) => {
    const cell = cells.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (cell >= 0 && cell !== current) moveTo(cell, false);
  });

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = current >> 3;
    const column = current % 8;
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      Home: [row, 0], End: [row, 7], PageUp: [0, column], PageDown: [7, column],
    };
    const step = event.shiftKey ? undefined : steps[event.key];
    if (step) {
      const [toRow, toColumn] = step;
      if (toRow >= 0 && toRow < 8 && toColumn >= 0 && toColumn < 8) moveTo(8 * toRow + toColumn, true);
    } else if (event.key === "Enter" || event.key === " ") {
      activate(squareOf(current));
    } else if (event.key === "Escape") {
      if (!cancel()) return;
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });

  // Presses of assistive technology arrive as clicks without a pointer.
  element.addEventListener("click", (event) => {
    const cell = cells.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (event.detail === 0 && cell >= 0) activate(squareOf(cell));
  });

  return {
    element,
    /**
     * @param {Map<string, string>} labels
     * @param {string | null} selected
     */
    update(labels, selected) {
      cells.forEach((cell, index) => {
        const square = squareOf(index);
        const text = labels.get(square) ?? square;
        if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
        if (cell.dataset.square !== square) cell.dataset.square = square;
        const chosen = String(selected === square);
        if (cell.getAttribute("aria-selected") !== chosen) cell.setAttribute("aria-selected", chosen);
      });
    },
    /** @param {Color} color */
    flip(color) {
      const focused = element.contains(document.activeElement);
      orientation = color;
      moveTo(63 - current, focused);
    },
    focus() {
      cells[current]?.focus();
    },
  };
}
