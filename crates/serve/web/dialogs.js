/** The dialogs of the shell: keys, preferences, and addresses to share. */

import { gameAddress, positionAddress } from "./text.js";
import { button, copyText, el, openDialog, uniqueId } from "./ui.js";

/** @import { Context, PreferenceValues, Preferences, View } from "./types" */

/** @type {[string, string][]} */
const KEYS = [
  ["← → or k j", "Previous and next move"],
  ["Home End", "First and last position, also 0 and $"],
  ["f", "Flip the board"],
  ["?", "This help"],
];
/** @type {[string, string][]} */
const BOARD_KEYS = [
  ["Tab", "Enter the board"],
  ["← ↑ → ↓", "Move between squares"],
  ["Enter or Space", "Pick up and put down a piece"],
  ["q n r b", "Choose the promotion"],
  ["right-click", "Circle a square or draw an arrow: Shift red, Alt blue, both yellow"],
];

/** @param {View | undefined} view */
export function openHelp(view) {
  openDialog("Keys and help", [
    el("h3", {}, "Keys"), keyList([...KEYS, ...(view?.keys ?? [])]),
    el("h3", {}, "On the board"), keyList(BOARD_KEYS),
    el("p", { class: "muted help-note" }, "Paste or drop a FEN or PGN anywhere to open it. Everything runs on your machine; nothing is sent elsewhere."),
  ]);
}

/** @param {[string, string][]} keys */
function keyList(keys) {
  return el("dl", { class: "keys" }, ...keys.flatMap(([key, text]) => [
    el("dt", {}, ...key.split(" ").map((word) => (word === "or" ? ` ${word} ` : el("kbd", {}, word)))),
    el("dd", {}, text),
  ]));
}

/** @param {Preferences} preferences */
export function openPreferences(preferences) {
  const { values } = preferences;
  /** @type {[PreferenceValues["boardColors"], string][]} */
  const colors = [["slate", "Slate"], ["wood", "Wood"], ["green", "Green"], ["blue", "Blue"]];
  /** @param {"sound" | "animation" | "coordinates"} name @param {string} label */
  const toggle = (name, label) => el("label", { class: "check" },
    el("input", {
      type: "checkbox", checked: values[name],
      onchange: (/** @type {Event} */ event) => preferences.set(name, /** @type {HTMLInputElement} */ (event.target).checked),
    }), label);
  openDialog("Preferences", [el("div", { class: "form" },
    el("fieldset", {}, el("legend", {}, "Colors of the board"),
      el("div", { class: "choices" }, ...colors.map(([value, name]) => el("label", {},
        el("input", { type: "radio", name: "board-colors", checked: values.boardColors === value, onchange: () => preferences.set("boardColors", value) }),
        el("span", {}, el("i", { class: "board-swatch", "data-board": value }), name))))),
    el("div", {},
      toggle("coordinates", "Coordinates"),
      toggle("animation", "Animated moves"),
      toggle("sound", "Sounds")),
    el("label", { class: "field size-field" }, el("span", {}, "Size of the board"),
      el("input", {
        type: "range", min: 0.5, max: 1, step: 0.05, value: values.boardSize,
        oninput: (/** @type {Event} */ event) => preferences.set("boardSize", Number(/** @type {HTMLInputElement} */ (event.target).value)),
      })))], { class: "small" });
}

/**
 * @param {Context} context
 * @param {View | undefined} view
 */
export async function openShare(context, view) {
  const entries = view?.share?.() ?? await chessEntries(context);
  openDialog("Share", [el("div", { class: "form" }, ...entries.map(({ label, text }) => {
    const long = text.includes("\n");
    const field = long ? el("textarea", { readonly: true, rows: 6 }) : el("input", { type: "text", readonly: true });
    field.value = text;
    field.addEventListener("focus", () => field.select());
    const id = uniqueId();
    field.id = id;
    return el("div", { class: "field share-field" },
      el("label", { for: id }, label), field,
      button({ text: "Copy", label: `Copy: ${label}`, onclick: () => void copyText(text, context.notice) }));
  }))]);
}

/** @param {Context} context */
async function chessEntries({ state }) {
  const entries = [];
  if (state.position) {
    entries.push({ label: "Address of the position", text: positionAddress(state.position.fen) }, { label: "FEN", text: state.position.fen });
  }
  if (state.pgn) {
    entries.splice(1, 0, { label: "Address of the game", text: await gameAddress(state.pgn) });
    entries.push({ label: "PGN", text: state.pgn });
  }
  return entries;
}
