/**
 * The menu of a move: promote, delete, comment, NAGs. A WAI-ARIA menu: arrow keys move, Enter chooses, Escape
 * closes and gives the focus back.
 */
import { el } from "../ui.js";
import { NAGS } from "./format.js";

/** @import { MenuItem } from "./types" */

/** @typedef {MenuItem} Item */

/**
 * @param {string} label
 * @param {Item[]} items
 * @param {number} x
 * @param {number} y
 */
export function openMenu(label, items, x, y) {
  const before = document.activeElement;
  const menu = el("div", { class: "an-menu card", role: "menu", "aria-label": label });
  menu.append(el("div", { class: "an-muted", "aria-hidden": "true" }, label));
  let palette = null;
  for (const item of items) {
    const props = { type: "button", tabindex: -1, class: item.symbol ? "an-plain an-menu-symbol" : "an-plain",
      role: item.checked === undefined ? "menuitem" : "menuitemcheckbox", "aria-checked": item.checked === undefined ? null : String(item.checked),
      "aria-disabled": item.disabled ? "true" : null, title: item.symbol ? item.label : null, "aria-label": item.symbol ? item.label : null,
      onclick: () => { if (!item.disabled) { close(); item.action(); } } };
    const button = el("button", props, item.symbol ?? item.label, item.key ? el("kbd", {}, item.key) : null);
    if (item.symbol) {
      palette ??= menu.appendChild(el("div", { class: "an-menu-palette", role: "group", "aria-label": "Annotation" }));
      palette.append(button);
    } else menu.append(button);
  }
  const buttons = [...menu.querySelectorAll("button")];

  function close() {
    document.removeEventListener("pointerdown", outside, true);
    menu.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
  const outside = (/** @type {Event} */ event) => { if (!menu.contains(/** @type {Node} */ (event.target))) close(); };
  document.addEventListener("pointerdown", outside, true);
  menu.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const symbol = buttons[at]?.classList.contains("an-menu-symbol");
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: symbol ? 8 : 1, ArrowUp: symbol ? -8 : -1, ArrowRight: 1, ArrowLeft: -1 };
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key === "Home") buttons[0]?.focus();
    else if (event.key === "End") buttons.at(-1)?.focus();
    else if (steps[event.key]) {
      const next = at + (steps[event.key] ?? 0);
      // Leaving the palette upwards ends at the item above it.
      const above = buttons.findLastIndex((button) => !button.classList.contains("an-menu-symbol"));
      buttons[symbol && next < buttons.length - NAGS.length ? above : (next + buttons.length) % buttons.length]?.focus();
    } else return;
    event.preventDefault();
  });
  (document.querySelector("main") ?? document.body).append(menu);
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 4))}px`;
  buttons[0]?.focus({ preventScroll: true });
}

/**
 * The items for the NAGs of a move. Of the six move-quality glyphs (1–6) a move has one at most.
 * @param {number[]} nags
 * @param {(nags: number[]) => void} onChange
 * @returns {Item[]}
 */
export const nagItems = (nags, onChange) => NAGS.map(([nag, symbol, label]) => ({
  symbol, label, checked: nags.includes(nag),
  action() {
    const others = nags.filter((other) => other !== nag && !(nag <= 6 && other <= 6) && !(isJudgement(nag) && isJudgement(other)));
    onChange(nags.includes(nag) ? nags.filter((other) => other !== nag) : [...others, nag].sort((a, b) => a - b));
  },
}));

/** @param {number} nag */
const isJudgement = (nag) => nag >= 10 && nag <= 19;
