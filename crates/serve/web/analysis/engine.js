/**
 * The engine's lines: one row of fixed height per requested line, so that nothing moves while they change. While the
 * pointer is on the lines they are frozen; depth and speed are not.
 */
import { button, el, setAttribute } from "../ui.js";
import { createWdlBar } from "./bar.js";
import { setText } from "./dom.js";
import { compact, percent, scoreText, scoreWords } from "./format.js";
import { createMoveLine } from "./moveline.js";
import { KINDS } from "./people.js";

/** @import { CreateEngine, LineActions, LinesMessage, ModelMessage } from "./types" */

const MOST_LINES = 5;

/** @type {CreateEngine} */
export function createEngine({ settings, onChange, actions }) {
  const power = el("button", { type: "button", class: "an-switch an-plain", role: "switch", title: "Engine on or off (l)",
    onclick: () => onChange({ on: !settings.on }) }, el("span", { class: "an-knob", "aria-hidden": "true" }), "Engine");
  const score = el("output", { class: "an-engine-score" });
  const stats = el("span", { class: "an-stats" });
  const lines = el("select", { "aria-label": "Number of lines", title: "Number of lines",
    onchange: () => onChange({ multipv: Number(lines.value) }) },
    ...Array.from({ length: MOST_LINES }, (_, index) => el("option", { value: index + 1 }, index ? `${index + 1} lines` : "1 line")));
  const arrows = toggle("Arrows", "Arrows for the best moves (a)", () => onChange({ arrows: !settings.arrows }));
  const threat = toggle("Threat", "What the opponent threatens (x)", () => onChange({ threat: !settings.threat }));
  const rows = Array.from({ length: MOST_LINES }, (_, index) => createRow(index, actions));
  const list = el("div", { role: "group", "aria-label": "Engine lines" }, ...rows.map((row) => row.element));
  const element = el("section", { class: "an-engine card", "aria-label": "Engine" },
    el("div", { class: "an-engine-head" }, power, score, el("span", { class: "grow" }), threat, arrows, lines),
    list, el("div", { class: "an-engine-foot" }, stats));

  let frozen = false;
  /** The game has ended in the position shown: there are no lines. */
  let over = false;
  /** @type {{ message: LinesMessage, ply: number, model: ModelMessage | null } | null} */
  let latest = null;
  list.addEventListener("pointerenter", (event) => { frozen = event.pointerType === "mouse"; });
  list.addEventListener("pointerleave", () => {
    frozen = false;
    if (latest) draw();
  });

  function draw() {
    if (!latest) return;
    const { message, ply, model } = latest;
    rows.forEach((row, index) => row.set(message, index, ply, model));
  }

  return {
    element,
    refresh() {
      setAttribute(power, "aria-checked", String(settings.on));
      setAttribute(arrows, "aria-pressed", String(settings.arrows));
      setAttribute(threat, "aria-pressed", String(settings.threat));
      lines.value = String(settings.multipv);
      element.classList.toggle("an-off", !settings.on);
      rows.forEach((row, index) => { row.element.hidden = index >= settings.multipv; });
    },
    moved(outcome) {
      frozen = false;
      latest = null;
      actions.endPreview();
      list.classList.add("an-stale");
      over = outcome !== null;
      if (!outcome) return;
      rows.forEach((row) => row.clear());
      setText(score, "");
      setText(stats, outcome);
    },
    set(message, ply, model) {
      if (over) return;
      const first = message.lines[0];
      setText(score, first ? scoreText(first.score) : "");
      score.title = first ? scoreWords(first.score) : "";
      setText(stats, `depth ${message.depth}/${message.seldepth} · ${compact(message.nodes)} nodes · ${compact(message.nps)}/s`
        + (message.done ? " · finished" : ""));
      const node = latest?.message.node;
      latest = { message, ply, model };
      if (frozen && node === message.node) return;
      list.classList.remove("an-stale");
      draw();
    },
    setModel(model) {
      if (latest?.message.node !== model.node) return;
      latest.model = model;
      if (!frozen) draw();
    },
  };
}

/** @param {string} text @param {string} title @param {() => void} onclick */
const toggle = (text, title, onclick) => button({ text, class: "an-toggle", title, onclick });

/**
 * @param {number} index
 * @param {LineActions} actions
 */
function createRow(index, actions) {
  const score = el("span", { class: "an-line-score" });
  const wdl = createWdlBar();
  const people = el("span", {});
  const moves = createMoveLine(actions);
  const element = el("div", { class: "an-line" }, score, wdl.element, people, moves.element);
  return {
    element,
    clear() {
      setText(score, "");
      setText(people, "");
      wdl.set(null);
      moves.set(null);
    },
    /** @param {LinesMessage} message @param {number} at @param {number} ply @param {ModelMessage | null} model */
    set(message, at, ply, model) {
      const line = message.lines[at];
      if (!line) return this.clear();
      setText(score, scoreText(line.score));
      wdl.set(line.wdl);
      const odds = model?.moves.find((move) => move.uci === line.uci[0]);
      const kind = odds?.kind && KINDS[odds.kind];
      setText(people, odds ? `${kind ? `${kind.icon} ` : ""}${percent(odds.probability)}` : "");
      people.className = `an-people an-kind-${odds?.kind}`;
      people.title = odds ? `${percent(odds.probability)} of people would play ${odds.san}${kind ? `: ${kind.word}` : ""}` : "";
      setAttribute(moves.element, "aria-label", `Line ${index + 1}: ${scoreWords(line.score)}${people.title ? `; ${people.title}` : ""}`);
      moves.set({ node: message.node, ply, uci: line.uci, san: line.san });
    },
  };
}
