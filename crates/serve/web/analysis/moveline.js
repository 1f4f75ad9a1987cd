/**
 * A line of moves that can be played up to any of its moves and looked at by pointing or focusing. One tab stop;
 * the arrow keys walk along the line.
 */
import { el } from "../ui.js";
import { moveNumber } from "./format.js";

/** @import { CreateMoveLine, LineData } from "./types" */

const LONGEST = 24;

/** @type {CreateMoveLine} */
export function createMoveLine(actions) {
  const element = el("div", { class: "an-line-moves", role: "toolbar", "aria-label": "Line" });
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  /** @type {LineData | null} */
  let line = null;

  /** @param {Event} event */
  const indexOf = (event) => buttons.findIndex((button) => button.contains(/** @type {Node} */ (event.target)));
  /** @param {Event} event */
  function look(event) {
    const index = indexOf(event);
    const button = buttons[index];
    if (line && button) actions.preview(line.node, line.uci.slice(0, index + 1), button);
  }
  element.addEventListener("pointerover", look);
  element.addEventListener("focusin", (event) => {
    if (event.target instanceof Element && event.target.matches(":focus-visible")) look(event);
  });
  element.addEventListener("pointerleave", actions.endPreview);
  element.addEventListener("focusout", actions.endPreview);
  element.addEventListener("click", (event) => {
    const index = indexOf(event);
    if (line && index >= 0) actions.play(line.node, line.uci.slice(0, index + 1));
  });
  element.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step || event.shiftKey) return;
    const next = buttons[indexOf(event) + step];
    if (next && !next.hidden) next.focus();
    event.stopPropagation();
    event.preventDefault();
  });

  return {
    element,
    set(data) {
      line = data;
      const count = Math.min(data?.san.length ?? 0, LONGEST);
      while (buttons.length < count) {
        const button = el("button", { type: "button", class: "an-plain", tabindex: buttons.length ? -1 : 0 });
        buttons.push(button);
        element.append(button);
      }
      buttons.forEach((button, index) => {
        button.hidden = index >= count;
        if (!data || index >= count) return;
        const ply = data.ply + index + 1;
        const number = ply % 2 || index === 0 ? `${moveNumber(ply)} ` : "";
        const san = data.san[index] ?? "";
        if (button.dataset["number"] !== number) button.dataset["number"] = number;
        if (button.textContent !== san) button.textContent = san;
      });
    },
  };
}
