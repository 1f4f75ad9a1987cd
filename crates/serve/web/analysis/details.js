/**
 * The game as a whole: its tags, edited in place; export, and a box to paste into.
 */
import { button, el } from "../ui.js";

/** @import { CreateDetails } from "./types" */

const ROSTER = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
const RESULTS = ["*", "1-0", "0-1", "1/2-1/2"];

/** @type {CreateDetails} */
export function createDetails({ onTags, onPgn, onFen, onLink, onLoad }) {
  const rows = el("tbody", {});
  const form = el("table", { class: "an-tags", "aria-label": "Tags" }, rows);
  const text = el("textarea", { rows: 4, spellcheck: "false", "aria-label": "PGN or FEN", placeholder: "A game as PGN, or a position as FEN" });
  const file = el("input", { type: "file", accept: ".pgn,.fen,.txt", hidden: true, onchange: async () => {
    const chosen = file.files?.[0];
    if (chosen) onLoad(await chosen.text());
    file.value = "";
  } });
  const element = el("div", { class: "an-details" },
    el("h2", {}, "Take it with you"),
    el("div", { class: "row" },
      button({ text: "Copy PGN", onclick: () => onPgn("copy") }), button({ text: "Download PGN", onclick: () => onPgn("download") }),
      button({ text: "Copy FEN", onclick: onFen }), button({ text: "Copy link", onclick: onLink })),
    el("h2", {}, "Open another"),
    text,
    el("div", { class: "row" },
      button({ text: "Open the text", onclick: () => { if (text.value.trim()) onLoad(text.value); text.value = ""; } }),
      button({ text: "Choose a file …", onclick: () => file.click() }), file),
    el("h2", {}, "Tags"), form,
    button({ text: "Add a tag", icon: "plus", onclick: () => { const line = row("", ""); rows.append(line); line.querySelector("input")?.focus(); } }));
  let shown = "";

  /** @param {string} name @param {string} value */
  function row(name, value) {
    const known = name !== "";
    const left = el("input", { "aria-label": "Name of the tag", placeholder: "Name", maxlength: 64, pattern: "[A-Za-z0-9_]+", onchange: save });
    const right = name === "Result" ? el("select", { "aria-label": name, onchange: save }, ...RESULTS.map((result) => el("option", {}, result)))
      : el("input", { "aria-label": name || "Value of the tag", maxlength: 255, onchange: save });
    left.value = name;
    right.value = value;
    const line = el("tr", {}, known ? el("th", { scope: "row" }, name) : el("td", {}, left), el("td", {}, right),
      el("td", {}, ROSTER.includes(name) ? null : button({ icon: "close", label: `Remove ${name || "the tag"}`, class: "quiet", onclick: () => { line.remove(); save(); } })));
    return line;
  }

  function save() {
    /** @type {[string, string][]} */
    const tags = [];
    for (const line of rows.children) {
      const inputs = [...line.querySelectorAll("input, select")].map((field) => /** @type {HTMLInputElement} */ (field));
      const name = line.querySelector("th")?.textContent ?? inputs[0]?.value.trim() ?? "";
      const value = inputs.at(-1)?.value.trim() ?? "";
      if (/^\w{1,64}$/.test(name) && value) tags.push([name, value]);
    }
    shown = "";
    onTags(tags);
  }

  return {
    element,
    set(game) {
      const { tags: known, result } = game.message;
      /** @type {[string, string][]} */
      const tags = [...known.filter(([name]) => name !== "Result"), ["Result", result]];
      const key = JSON.stringify(tags);
      if (key === shown || form.contains(document.activeElement)) return;
      shown = key;
      const roster = ROSTER.map((name) => row(name, tags.find((tag) => tag[0] === name)?.[1] ?? ""));
      rows.replaceChildren(...roster, ...tags.filter(([name]) => !ROSTER.includes(name)).map(([name, value]) => row(name, value)));
    },
  };
}
