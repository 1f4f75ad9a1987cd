/** The lines above and below the board with the players: whose turn it is, name, material and clock. */

import { el } from "../ui.js";

/** @import { Board } from "../types" */

/**
 * @param {Board} board
 * @param {{ white?: HTMLElement, black?: HTMLElement }} [clocks]
 */
export function createStrips(board, clocks = {}) {
  const [white, black] = [createStrip(clocks.white), createStrip(clocks.black)];
  const [top, bottom] = [el("div", { class: "strip-place" }), el("div", { class: "strip-place" })];
  /** Puts the players where their pieces are. */
  function arrange() {
    const isWhite = board.orientation === "white";
    top.replaceChildren((isWhite ? black : white).element);
    bottom.replaceChildren((isWhite ? white : black).element);
  }
  arrange();
  return { top, bottom, white, black, arrange };
}

/** @param {HTMLElement} [clock] */
function createStrip(clock) {
  const name = el("span", { class: "strip-name" });
  const material = el("span", { class: "material" });
  const thinking = el("span", { class: "thinking", hidden: true, "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  const element = el("div", { class: "strip" }, el("span", { class: "strip-turn", "aria-hidden": "true" }), name, material, thinking, clock);
  return {
    element,
    /** @param {{ text: string, pieces?: Node[], busy: boolean, toMove: boolean }} player */
    update({ text, pieces = [], busy, toMove }) {
      name.textContent = text;
      material.replaceChildren(...pieces);
      thinking.hidden = !busy;
      element.classList.toggle("to-move", toMove);
    },
  };
}
