/** The moves of the game in play, as a list of buttons in two columns. */

import { el, reveal } from "../ui.js";

/** @import { GameMessage, PlayMessage, TreeNode } from "../types" */

/** @typedef {{ id: number, text: string, number: number, isWhite: boolean }} Entry */

/**
 * The nodes of the game in play from the root on; without a game the main line.
 * @param {GameMessage | null} game
 * @param {PlayMessage | null} play
 * @returns {TreeNode[]}
 */
export function lineOf(game, play) {
  const nodes = new Map(game?.nodes.map((node) => [node.id, node]));
  let node = game?.nodes.find(({ parent }) => parent === null);
  const line = [];
  const moves = play && play.status !== "none" ? play.line : null;
  while (node) {
    line.push(node);
    if (moves && line.length > moves.length) break;
    const uci = moves?.[line.length - 1];
    const children = node.children.map((id) => nodes.get(id));
    node = uci ? children.find((child) => child?.uci === uci) : children[0];
  }
  return line;
}

/**
 * A list of moves in two columns, shared with Paco Ŝako.
 * @param {(id: number) => void} goTo
 * @param {string} [name] what the list holds
 */
export function createMoveList(goTo, name = "moves") {
  const list = el("ol", { class: "play-moves" });
  const result = el("p", { class: "play-result" });
  const empty = el("p", { class: "muted play-empty" }, `The ${name} appear here.`);
  const label = name.replace(/^./, (letter) => letter.toUpperCase());
  const element = el("div", { class: "card scroll play-moves-card", tabindex: 0, role: "region", "aria-label": label }, list, empty, result);
  /** @type {Map<number, HTMLButtonElement>} */
  const buttons = new Map();
  let drawn = "";

  /** @param {Entry} entry */
  function moveButton({ id, text }) {
    const button = el("button", { type: "button", onclick: () => goTo(id) }, text);
    buttons.set(id, button);
    return button;
  }

  return {
    element,
    /**
     * @param {Entry[]} moves
     * @param {number | undefined} shown
     * @param {string} ending
     */
    update(moves, shown, ending) {
      const key = moves.map(({ id, text }) => `${id} ${text}`).join();
      if (key !== drawn) {
        drawn = key;
        buttons.clear();
        empty.hidden = moves.length > 0;
        /** @type {HTMLLIElement[]} */
        const rows = [];
        for (const move of moves) {
          if (move.isWhite || !rows.length) rows.push(el("li", {}, el("span", { class: "number" }, `${move.number}.`)));
          // A game may start with Black's move.
          if (!move.isWhite && rows.at(-1)?.children.length === 1) rows.at(-1)?.append(el("span", { class: "gap" }, "…"));
          rows.at(-1)?.append(moveButton(move));
        }
        list.replaceChildren(...rows);
      }
      for (const [id, button] of buttons) {
        if (id !== shown) button.removeAttribute("aria-current");
        else {
          button.setAttribute("aria-current", "true");
          reveal(element, button);
        }
      }
      if (!buttons.has(shown ?? -1)) element.scrollTo(0, 0);
      result.textContent = ending;
      if (ending && shown === moves.at(-1)?.id) element.scrollTo(element.scrollWidth, element.scrollHeight);
    },
  };
}
