/** A text field for moves in SAN or UCI, and the keys that step through a line: shared by the views of chess. */

import { el } from "./ui.js";

/** @import { Context } from "./types" */

/**
 * @param {Context} context
 * @param {boolean} [explore] the moves are no moves of the game in play
 */
export function createMoveInput(context, explore = false) {
  const input = el("input", {
    type: "text", placeholder: "Type a move", "aria-label": "Type a move: Nf3, e4, O-O or e2e4",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 12, enterkeyhint: "go",
  });
  return el("form", {
    class: "move-input",
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text) context.send({ type: "type_move", text, explore });
      input.value = "";
    },
  }, input);
}

/**
 * Where a key leads in a line of `length` positions when position `at` is shown; null if it is no such key.
 * @param {KeyboardEvent} event
 * @param {number} at
 * @param {number} length
 * @returns {number | null}
 */
export function stepByKey(event, at, length) {
  if (event.shiftKey && event.key.startsWith("Arrow")) return null;
  const last = length - 1;
  switch (event.key) {
    case "ArrowLeft": case "k": return Math.max(0, at - 1);
    case "ArrowRight": case "j": return Math.min(last, at + 1);
    case "ArrowUp": case "Home": case "0": return 0;
    case "ArrowDown": case "End": case "$": return last;
    default: return null;
  }
}
