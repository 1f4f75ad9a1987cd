/** The dialog for a new game: opponent, color, start position and clock. The last choice is kept. */

import { readStored, writeStored } from "../preferences.js";
import { el, openDialog, select } from "../ui.js";

/** @import { ClientMessage, Context, Player, Welcome } from "../types" */

const KEY = "tabiya-new-game";

/**
 * @typedef {Extract<ClientMessage, { type: "new_game" }>} NewGame
 * @typedef {Extract<ClientMessage, { type: "play_from" }>} PlayFrom
 */

const CLOCKS = ["none", "1+0", "3+2", "5+3", "10+0", "15+10", "custom"];

/** The level that is offered first. @param {unknown[]} levels */
export function middleLevel(levels) {
  return Math.max(0, Math.floor((levels.length - 1) / 2));
}

/** Whose play the human-like player imitates at first. */
const RATING = 1600;

/**
 * @param {Context} context
 * @param {(message: NewGame | PlayFrom) => void} start
 * @param {boolean} [fromHere] play on from the position shown
 */
export function openNewGame(context, start, fromHere = false) {
  const { levels, ratings } = context.welcome;
  const kept = readStored(KEY);
  const level = levelField(levels, kept.level);
  const model = el("fieldset", { class: "field-group" },
    select({ name: "rating", "aria-label": "Strength" }, ratings.map((rating) => [rating, `Plays like people rated ${rating}`]), kept.rating, RATING),
    select({ name: "temperature", "aria-label": "Choice of moves" }, [["", "Chooses moves by their odds"], ["0", "Always the likeliest move"]], kept.temperature, ""));
  const number = el("input", { type: "number", name: "number", min: 0, max: 959, step: 1, placeholder: "Number 0 to 959, or random", "aria-label": "Number of the Chess960 position, 0 to 959; empty: random", value: kept.number });
  const fen = el("input", { type: "text", name: "fen", "aria-label": "FEN of the start position", placeholder: "FEN", autocomplete: "off", spellcheck: "false", maxlength: 200, value: kept.fen || context.state.position?.fen });
  const minutes = el("input", { type: "number", name: "minutes", min: 0.25, max: 180, step: "any", required: true, "aria-label": "Minutes", value: kept.minutes ?? 10 });
  const increment = el("input", { type: "number", name: "increment", min: 0, max: 180, step: 1, required: true, "aria-label": "Increment in seconds", value: kept.increment ?? 5 });

  const opponent = choices("opponent", "Opponent", [["engine", "Engine"], ["model", "Human-like"], ["person", "Two people"]], kept.opponent ?? "engine");
  const color = colorField(kept.color);
  const variant = choices("variant", "Start position", [["chess", "Chess"], ["chess960", "Chess960"], ["fen", "From a FEN"]], kept.variant ?? "chess");
  const clock = choices("clock", "Clock, minutes + seconds a move", CLOCKS.map((name) => [name, name === "none" ? "None" : name === "custom" ? "Custom" : name]), kept.clock ?? "none");
  clock.classList.add("clock-choices");
  const custom = el("div", { class: "row" },
    el("label", { class: "field grow" }, el("span", {}, "Minutes"), minutes),
    el("label", { class: "field grow" }, el("span", {}, "Increment, seconds"), increment));

  openGameDialog(fromHere ? "Play on from here" : "New game", [
    el("div", { class: "field-group" }, opponent, level, model), color,
    !fromHere && el("div", { class: "field-group" }, variant, number, fen),
    el("div", { class: "field-group" }, clock, custom),
  ], (data) => {
    toggle(level, data.opponent === "engine");
    toggle(model, data.opponent === "model");
    toggle(color, data.opponent !== "person");
    toggle(number, data.variant === "chess960");
    toggle(fen, data.variant === "fen");
    toggle(custom, data.clock === "custom");
    minutes.disabled = increment.disabled = data.clock !== "custom";
  }, (data) => {
    writeStored(KEY, { ...kept, ...data });
    const message = messageOf(data);
    const { white, black, clock: time } = message;
    start(fromHere ? { type: "play_from", white, black, clock: time } : message);
  });
}

/**
 * @param {Record<string, string>} data
 * @returns {NewGame}
 */
function messageOf(data) {
  /** @type {Player} */
  const other = data.opponent === "engine" ? { kind: "engine", level: Number(data.level) }
    : data.opponent === "model" ? { kind: "model", rating: Number(data.rating), ...(data.temperature && { temperature: Number(data.temperature) }) }
    : { kind: "person" };
  const [minutes = 0, increment = 0] = data.clock === "custom" ? [Number(data.minutes), Number(data.increment)] : (data.clock ?? "").split("+").map(Number);
  return {
    type: "new_game",
    variant: data.variant === "chess960" ? "chess960" : "chess",
    ...(data.variant === "chess960" && { position: data.number ? Number(data.number) : null }),
    ...(data.variant === "fen" && { fen: (data.fen ?? "").trim() }),
    ...playersOf(data, other),
    clock: data.clock === "none" ? null : { initial_ms: Math.round(60_000 * minutes), increment_ms: 1000 * increment },
  };
}

/**
 * Opens the dialog of a new game. Both functions are given the values of the fields by name; `refresh` shows those
 * that belong to the choices.
 * @param {string} title
 * @param {(HTMLElement | false)[]} fields
 * @param {(data: Record<string, string>) => void} refresh
 * @param {(data: Record<string, string>) => void} submit
 */
export function openGameDialog(title, fields, refresh, submit) {
  const form = el("form", { class: "form", method: "dialog" }, ...fields,
    el("div", { class: "dialog-actions" }, el("button", { class: "button primary", type: "submit" }, "Start the game")));
  const data = () => Object.fromEntries([...new FormData(form)].map(([name, entry]) => [name, String(entry)]));
  form.addEventListener("change", () => refresh(data()));
  form.addEventListener("submit", () => submit(data()));
  openDialog(title, [form]);
  refresh(data());
}

/** @param {string} [chosen] */
export function colorField(chosen = "white") {
  return choices("color", "Your color", [["white", "White"], ["random", "Random"], ["black", "Black"]], chosen);
}

/**
 * The person with the chosen color, and the other player.
 * @template P
 * @param {Record<string, string>} data
 * @param {P} other
 */
export function playersOf({ color }, other) {
  /** @type {{ kind: "person" }} */
  const person = { kind: "person" };
  const isWhite = color === "random" ? Math.random() < 0.5 : color !== "black";
  return isWhite ? { white: person, black: other } : { white: other, black: person };
}

/**
 * @param {string} name
 * @param {string} legend
 * @param {string[][]} options
 * @param {string} chosen
 */
export function choices(name, legend, options, chosen) {
  return el("fieldset", {}, el("legend", {}, legend),
    el("div", { class: "choices" }, ...options.map(([value, label]) => el("label", {},
      el("input", { type: "radio", name, value, checked: value === chosen, autofocus: name === "opponent" && value === chosen }), el("span", {}, label)))));
}

/**
 * The choice of a level, and what it means.
 * @param {Welcome["levels"]} levels
 * @param {string} [chosen]
 */
export function levelField(levels, chosen) {
  const level = select({ name: "level", "aria-label": "Level", "aria-describedby": "level-detail", onchange: describe },
    levels.map(({ name }, index) => [index, name]), chosen, middleLevel(levels));
  const detail = el("p", { id: "level-detail", class: "muted level-detail" });
  function describe() {
    detail.textContent = levels[level.selectedIndex]?.detail ?? "";
  }
  describe();
  return el("fieldset", { class: "field-group" }, level, detail);
}

/**
 * Shows what belongs to a choice; what is hidden is not sent.
 * @param {HTMLElement & { disabled?: boolean }} element
 * @param {boolean} on
 */
export function toggle(element, on) {
  element.hidden = !on;
  if ("disabled" in element) element.disabled = !on;
}
