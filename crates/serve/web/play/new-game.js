/** The dialog for a new game: opponent, color, start position and clock. The last choice is kept. */

import { readStored, writeStored } from "../preferences.js";
import { el, openDialog } from "../ui.js";

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

/** How the human-like player chooses from its odds. @type {[string, string][]} */
const TEMPERATURES = [["1", "Like people: moves by their odds"], ["0.5", "Careful: rarely an unlikely move"], ["0", "Always the likeliest move"]];

/**
 * @param {Context} context
 * @param {(message: NewGame | PlayFrom) => void} start
 * @param {boolean} [fromHere] play on from the position shown
 */
export function openNewGame(context, start, fromHere = false) {
  const { levels } = context.welcome;
  const kept = readStored(KEY);
  /** @param {string} name @param {string} fallback */
  const value = (name, fallback) => kept[name] ?? fallback;

  const level = levelField(levels, kept.level);
  const temperature = el("select", { name: "temperature", "aria-label": "How the human-like player chooses" },
    ...TEMPERATURES.map(([key, name]) => el("option", { value: key }, name)));
  temperature.value = value("temperature", "1");
  const number = el("input", { type: "number", name: "number", min: 0, max: 959, step: 1, placeholder: "Number 0 to 959, or random", "aria-label": "Number of the Chess960 position, 0 to 959; empty: random" });
  number.value = value("number", "");
  const fen = el("input", { type: "text", name: "fen", "aria-label": "FEN of the start position", placeholder: "FEN", autocomplete: "off", spellcheck: "false", maxlength: 200 });
  fen.value = value("fen", "") || (context.state.position?.fen ?? "");
  const minutes = el("input", { type: "number", name: "minutes", min: 0.25, max: 180, step: "any", required: true, "aria-label": "Minutes" });
  minutes.value = value("minutes", "10");
  const increment = el("input", { type: "number", name: "increment", min: 0, max: 180, step: 1, required: true, "aria-label": "Increment in seconds" });
  increment.value = value("increment", "5");

  const opponent = choices("opponent", "Opponent", [["engine", "Engine"], ["model", "Human-like"], ["person", "Two people"]], value("opponent", "engine"));
  const color = choices("color", "Your color", [["white", "White"], ["random", "Random"], ["black", "Black"]], value("color", "white"));
  const variant = choices("variant", "Start position", [["chess", "Chess"], ["chess960", "Chess960"], ["fen", "From a FEN"]], value("variant", "chess"));
  const clock = choices("clock", "Clock, minutes + seconds a move", CLOCKS.map((name) => [name, name === "none" ? "None" : name === "custom" ? "Custom" : name]), value("clock", "none"));
  clock.classList.add("clock-choices");
  const custom = el("div", { class: "row" },
    el("label", { class: "field grow" }, el("span", {}, "Minutes"), minutes),
    el("label", { class: "field grow" }, el("span", {}, "Increment, seconds"), increment));

  const form = el("form", { class: "form", method: "dialog" },
    el("div", { class: "field-group" }, opponent, level, temperature), color,
    !fromHere && el("div", { class: "field-group" }, variant, number, fen),
    el("div", { class: "field-group" }, clock, custom),
    el("div", { class: "dialog-actions" }, el("button", { class: "button primary", type: "submit" }, "Start the game")));

  /** Shows the fields that belong to the choices. */
  function refresh() {
    const data = new FormData(form);
    toggle(level, data.get("opponent") === "engine");
    toggle(temperature, data.get("opponent") === "model");
    toggle(color, data.get("opponent") !== "person");
    toggle(number, data.get("variant") === "chess960");
    toggle(fen, data.get("variant") === "fen");
    toggle(custom, data.get("clock") === "custom");
    minutes.disabled = increment.disabled = data.get("clock") !== "custom";
  }
  form.addEventListener("change", refresh);
  form.addEventListener("submit", () => {
    const data = Object.fromEntries([...new FormData(form)].map(([name, entry]) => [name, String(entry)]));
    writeStored(KEY, { ...kept, ...data });
    const message = messageOf(data);
    const { white, black, clock: time } = message;
    start(fromHere ? { type: "play_from", white, black, clock: time } : message);
  });
  openDialog(fromHere ? "Play on from here" : "New game", [form]);
  refresh();
}

/**
 * @param {Record<string, string>} data
 * @returns {NewGame}
 */
function messageOf(data) {
  /** @type {Player} */
  const person = { kind: "person" };
  /** @type {Player} */
  const other = data.opponent === "engine" ? { kind: "engine", level: Number(data.level) }
    : data.opponent === "model" ? { kind: "model", temperature: Number(data.temperature) } : person;
  const white = data.color === "white" || (data.color === "random" && Math.random() < 0.5);
  const [minutes = 0, increment = 0] = data.clock === "custom" ? [Number(data.minutes), Number(data.increment)] : (data.clock ?? "").split("+").map(Number);
  return {
    type: "new_game",
    variant: data.variant === "chess960" ? "chess960" : "chess",
    ...(data.variant === "chess960" && { position: data.number ? Number(data.number) : null }),
    ...(data.variant === "fen" && { fen: (data.fen ?? "").trim() }),
    white: white ? person : other,
    black: white ? other : person,
    clock: data.clock === "none" ? null : { initial_ms: Math.round(60_000 * minutes), increment_ms: 1000 * increment },
  };
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
  const level = el("select", { name: "level", "aria-label": "Level", "aria-describedby": "level-detail", onchange: describe },
    ...levels.map(({ name }, index) => el("option", { value: index }, name)));
  const detail = el("p", { id: "level-detail", class: "muted level-detail" });
  level.value = chosen ?? "";
  if (level.selectedIndex < 0) level.selectedIndex = middleLevel(levels);
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
