/** The moves of the game in play, as a list of buttons in two columns. */

import { el, reveal } from "../ui.js";

/**
 * The nodes of the game in play from the root on; without a game the main line.
 * @param {import("../protocol").GameMessage | null} game
 * @param {import("../protocol").PlayMessage | null} play
 * @returns {import("../protocol").TreeNode[]}
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
 * @param {(node: number) => void} goTo
 */
export function createMoveList(goTo) {
  const list = el("ol", { class: "play-moves" });
  const result = el("p", { class: "play-result" });
  const empty = el("p", { class: "muted play-empty" }, "The moves appear here.");
  const element = el("div", { class: "card scroll play-moves-card", tabindex: 0, role: "region", "aria-label": "Moves" }, list, empty, result);
  /** @type {Map<number, HTMLButtonElement>} */
  const buttons = new Map();
  let drawn = "";

  list.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("button") : null;
    if (target?.dataset.node) goTo(Number(target.dataset.node));
  });

  return {
    element,
    /**
     * @param {import("../protocol").TreeNode[]} line
     * @param {number | undefined} shown
     * @param {string} ending
     */
    update(line, shown, ending) {
      const key = line.map((node) => `${node.id}${node.san}`).join();
      if (key !== drawn) {
        drawn = key;
        buttons.clear();
        const rows = [];
        const moves = line.slice(1);
        empty.hidden = moves.length > 0;
        // A game may start with Black's move.
        for (let i = 0; i < moves.length;) {
          const first = moves[i];
          if (!first) break;
          const number = Math.floor((first.ply - 1) / 2) + 1;
          const row = el("li", {}, el("span", { class: "number" }, `${number}.`));
          if (first.ply % 2 === 0) row.append(el("span", { class: "gap" }, "…"));
          else row.append(moveButton(moves[i++]));
          if (moves[i]?.ply === 2 * number) row.append(moveButton(moves[i++]));
          rows.push(row);
        }
        list.replaceChildren(...rows);
      }
      for (const [id, button] of buttons) {
        if (id === shown) {
          button.setAttribute("aria-current", "true");
          reveal(element, button);
        } else button.removeAttribute("aria-current");
      }
      if (shown === line[0]?.id) element.scrollTo(0, 0);
      result.textContent = ending;
      if (ending && shown === line.at(-1)?.id) element.scrollTo(element.scrollWidth, element.scrollHeight);
    },
  };

  /** @param {import("../protocol").TreeNode | undefined} node */
  function moveButton(node) {
    const button = el("button", { type: "button", "data-node": node?.id }, node?.san ?? "");
    if (node) buttons.set(node.id, button);
    return button;
  }
}
