/** The dialog for a new game of Paco Ŝako: opponent and level, color, start position or a game to continue. */

import { choices, colorField, levelField, middleLevel, openGameDialog, playersOf, toggle } from "../play/new-game.js";
import { readStored, writeStored } from "../preferences.js";
import { el } from "../ui.js";

/** @import { ClientMessage, Context, PacoPlayer } from "../types" */

/** @typedef {ClientMessage & { type: "paco_new" | "paco_load" }} NewGame */

const KEY = "tabiya-new-paco-game";

/** The game that a person finds on the first visit. @param {Context} context @returns {NewGame} */
export function firstGame(context) {
  return { type: "paco_new", white: { kind: "person" }, black: { kind: "player", level: middleLevel(context.welcome.paco_levels) } };
}

/**
 * @param {Context} context
 * @param {(message: NewGame) => void} start
 */
export function openNewPacoGame(context, start) {
  const kept = readStored(KEY);
  const level = levelField(context.welcome.paco_levels, kept.level);
  const text = el("textarea", {
    name: "text", rows: 3, maxlength: 40_000, spellcheck: "false", required: true,
    "aria-label": "FEN or notation", placeholder: "FEN, or turns like d2>d4 e7>e5 d4xe5",
  });
  const opponent = choices("opponent", "Opponent", [["player", "Computer"], ["person", "Two people"]], kept.opponent ?? "player");
  const color = colorField(kept.color);
  const from = choices("from", "Start", [["start", "Start position"], ["text", "FEN or notation"]], "start");
  openGameDialog("New game of Paco Ŝako", [
    el("div", { class: "field-group" }, opponent, level), color,
    el("div", { class: "field-group" }, from, text),
  ], (data) => {
    toggle(level, data.opponent === "player");
    toggle(color, data.opponent === "player");
    toggle(text, data.from === "text");
  }, (data) => {
    writeStored(KEY, { level: data.level ?? kept.level ?? "", opponent: data.opponent ?? "", color: data.color ?? kept.color ?? "" });
    /** @type {PacoPlayer} */
    const other = data.opponent === "player" ? { kind: "player", level: Number(data.level) } : { kind: "person" };
    const players = playersOf(data, other);
    start(data.from === "text" ? { type: "paco_load", text: data.text ?? "", ...players } : { type: "paco_new", ...players });
  });
}
