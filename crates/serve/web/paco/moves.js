/** The turns of a game as a list, and the actions of the turn shown, each of which can be gone to. */

import { createMoveList } from "../play/moves.js";
import { el } from "../ui.js";
import { winnerOf } from "../words.js";

/** @import { PacoMessage } from "../types" */

/** @typedef {{ turns: number, actions: number }} Place */

/**
 * Another place in the game: whole turns or single actions forward (1) or back (-1).
 * @param {PacoMessage} paco
 * @param {"turn" | "action" | "end"} unit
 * @param {1 | -1} direction
 * @returns {Place | null}
 */
export function stepFrom({ turns: list, shown: { turns, actions } }, unit, direction) {
  if (unit === "end") return direction < 0 ? { turns: 0, actions: 0 } : afterAction(list, list.length - 1, Infinity);
  if (direction < 0) {
    if (unit === "action" && actions > 0) return { turns, actions: actions - 1 };
    if (actions > 0) return { turns, actions: 0 };
    if (turns === 0) return null;
    return { turns: turns - 1, actions: unit === "turn" ? 0 : (list[turns - 1]?.actions.length ?? 1) - 1 };
  }
  const turn = list[turns];
  if (!turn || (turns === list.length - 1 && actions >= turn.actions.length)) return null;
  return afterAction(list, turns, unit === "turn" ? Infinity : actions + 1);
}

/**
 * The place after some actions of a turn. The end of the last turn is named by its actions, since it may be unfinished.
 * @param {PacoMessage["turns"]} list
 * @param {number} turns
 * @param {number} actions
 * @returns {Place}
 */
function afterAction(list, turns, actions) {
  const length = list[turns]?.actions.length ?? 0;
  if (turns < 0) return { turns: 0, actions: 0 };
  if (actions < length || turns === list.length - 1) return { turns, actions: Math.min(actions, length) };
  return { turns: turns + 1, actions: 0 };
}

/** @param {(place: Place) => void} goTo */
export function createTurnList(goTo) {
  /** @type {PacoMessage["turns"]} */
  let turns = [];
  const list = createMoveList((index) => goTo(afterAction(turns, index, Infinity)), "turns");
  const actions = el("div", { class: "paco-actions-of", role: "group", "aria-label": "Actions of the turn" });

  return {
    element: el("div", { class: "paco-list" }, list.element, actions),
    /** @param {PacoMessage} paco */
    update(paco) {
      const { shown, ending } = paco;
      turns = paco.turns;
      const first = turns[0]?.color === "black" ? 1 : 0;
      const entries = turns.map(({ color, notation }, id) => ({ id, text: notation, number: 1 + ((id + first) >> 1), isWhite: color === "white" }));
      // The turn that led here, or the one in the middle of which we are.
      const current = shown.actions > 0 ? shown.turns : shown.turns - 1;
      list.update(entries, current, ending ? winnerOf(ending) : "");
      drawActions(current, shown.actions > 0 ? shown.actions : Infinity);
    },
  };

  /**
   * @param {number} index
   * @param {number} done actions of the turn that are made
   */
  function drawActions(index, done) {
    const turn = turns[index];
    if (!turn) {
      actions.replaceChildren(el("span", { class: "muted" }, "↓ and ↑ step through the actions of a turn"));
      return;
    }
    const { length } = turn.actions;
    let lifted = false;
    actions.replaceChildren(...turn.actions.map((action, at) => {
      const promotion = action.length === 1;
      const text = promotion ? `=${action.toUpperCase()}` : lifted ? `→ ${action}` : `↑ ${action}`;
      const label = promotion ? `promote to ${action}` : lifted ? `place on ${action}` : `lift ${action}`;
      if (!promotion) lifted = true;
      const current = Math.min(done, length) === at + 1;
      return el("button", {
        type: "button", "aria-label": label, "aria-current": current ? "true" : null,
        onclick: () => goTo(afterAction(turns, index, at + 1)),
      }, text);
    }));
  }
}
