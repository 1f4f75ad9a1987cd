/**
 * Notices: short texts at the foot of the page, which are also announced. A piece of news leaves by itself; an error
 * stays until it is dismissed, or until the move that it is about has been made after all.
 */

import { button, el } from "./ui.js";

const MOST = 3;
const SECONDS = 6;
/** Messages that are answered by a new position when they succeed. */
const MOVES = ["move", "type_move", "paco_act", "takeback", "learn_try"];

/** @param {(text: string) => void} announce */
export function createNotices(announce) {
  const list = /** @type {HTMLElement} */ (document.querySelector(".notices"));

  /**
   * @param {string} text
   * @param {"info" | "error"} [level]
   * @param {string | null} [about] the type of the message that caused it
   */
  function show(text, level = "info", about = null) {
    announce(text);
    for (const old of [...list.children]) if (old.firstElementChild?.textContent === text) old.remove();
    const element = el("div", { class: `notice ${level}`, "data-about": MOVES.includes(about ?? "") && about }, el("span", { class: "grow" }, text),
      button({ icon: "close", label: "Dismiss", class: "quiet", onclick: () => element.remove() }));
    list.append(element);
    while (list.children.length > MOST) list.firstChild?.remove();
    if (level === "error") return;
    // What is read or pointed at stays.
    const leave = () => (element.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : element.remove());
    setTimeout(leave, 1000 * SECONDS);
  }

  return {
    show,
    /** The newest notice goes. */
    dismiss: () => list.lastElementChild?.remove(),
    /** A move was made: errors about moves are past. */
    moved() {
      for (const old of list.querySelectorAll("[data-about]")) old.remove();
    },
  };
}
