/** The buttons under a board: steps through the game, drawing, and flipping. */

import { button } from "../ui.js";

/** @import { Board } from "../types" */

/**
 * @param {Board} board
 * @param {{ [step in "first" | "previous" | "next" | "last"]: () => void } & { flip(): void }} actions
 * @param {string} [unit] what a step is
 * @param {string} [look] a class of the buttons
 */
export function createTools(board, actions, unit = "move", look) {
  let drawing = false;
  /** @param {keyof typeof actions | "draw"} icon @param {string} label @param {() => void} onclick */
  const tool = (icon, label, onclick) => button({ icon, label, onclick, class: look });
  const draw = tool("draw", "Draw arrows and circles", () => {
    drawing = !drawing;
    draw.setAttribute("aria-pressed", String(drawing));
    board.setDraw(drawing ? "green" : null);
  });
  draw.setAttribute("aria-pressed", "false");
  return {
    first: tool("first", "First position", actions.first),
    previous: tool("previous", `Previous ${unit}`, actions.previous),
    next: tool("next", `Next ${unit}`, actions.next),
    last: tool("last", "Last position", actions.last),
    draw,
    flip: tool("flip", "Flip the board", actions.flip),
  };
}
