/**
 * Where the transformer looks: for each head of a layer, the attention weights from the square that is pointed at
 * (or, without one, what every square receives on average), small for all heads and large on the board.
 */
import { indexOf, SQUARES } from "../board/geometry.js";
import { chooseByArrow, el, setAttribute } from "../ui.js";
import { setText } from "./dom.js";
import { percent } from "./format.js";

/** @import { CreateAttention, Welcome } from "./types" */

/** @type {CreateAttention} */
export function createAttention({ request, onHeat }) {
  /** Weights by head, of the position and layer shown.
   * @type {Map<number, Float32Array>} */
  let weights = new Map();
  /** @type {Welcome["model"]} */
  let model = { layers: 0, heads: [] };
  let layer = 0;
  let head = 0;
  let active = false;
  let waiting = false;
  let flipped = false;
  /** @type {number | null} */
  let square = null;

  const layers = el("div", { class: "an-segments row", role: "radiogroup", "aria-label": "Layer", onkeydown: chooseByArrow });
  const heads = el("div", { class: "an-heads", role: "radiogroup", "aria-label": "Head", onkeydown: chooseByArrow });
  const caption = el("p", { class: "an-attention-text", role: "status" });
  const [least, most] = [el("span", {}), el("span", {})];
  const element = el("div", { class: "an-attention" },
    el("p", { class: "an-hint" }, "Point at a square (or walk with the arrow keys) to see where each attention head of the model looks from it: "
      + "most follow the moves of a piece, the free ones have found paths of their own."),
    el("div", { class: "row" }, el("span", { class: "an-muted", "aria-hidden": "true" }, "Layer"), layers),
    caption,
    el("div", { class: "an-heat-legend an-muted" }, least, el("span", { class: "an-heat-scale", "aria-hidden": "true" }), most),
    heads);

  /** @type {HTMLCanvasElement[]} */
  let canvases = [];

  function buildHeads() {
    canvases = model.heads.map(() => el("canvas", { width: 8, height: 8, "aria-hidden": "true" }));
    heads.replaceChildren(...model.heads.map(({ name, free }, index) =>
      el("button", { type: "button", role: "radio", class: free ? "an-plain an-free" : "an-plain", onclick: () => choose(layer, index) }, canvases[index],
        el("span", {}, name))));
    layers.replaceChildren(...Array.from({ length: model.layers }, (_, index) =>
      el("button", { type: "button", role: "radio", class: "an-plain", onclick: () => choose(index, head) }, String(index + 1))));
    check();
  }

  function check() {
    for (const [group, chosen] of /** @type {const} */ ([[layers, layer], [heads, head]])) {
      [...group.children].forEach((child, index) => {
        setAttribute(child, "aria-checked", String(index === chosen));
        setAttribute(child, "tabindex", index === chosen ? 0 : -1);
      });
    }
  }

  /** @param {number} newLayer @param {number} newHead */
  function choose(newLayer, newHead) {
    if (newLayer !== layer) weights = new Map();
    [layer, head] = [newLayer, newHead];
    check();
    fetchNext();
    draw();
  }

  /** Asks for the chosen head first, then for the others, one at a time. */
  function fetchNext() {
    if (!active || waiting) return;
    const missing = [head, ...model.heads.keys()].find((index) => index < model.heads.length && !weights.has(index));
    if (missing === undefined) return;
    waiting = true;
    request(layer, missing);
  }

  /** From the square pointed at, or the mean over all squares.
   * @param {Float32Array} all */
  function row(all) {
    if (square !== null) return all.subarray(64 * square, 64 * square + 64);
    const mean = new Float32Array(64);
    for (let index = 0; index < 4096; index += 1) mean[index % 64] = (mean[index % 64] ?? 0) + (all[index] ?? 0) / 64;
    return mean;
  }

  /** From nothing to the largest weight; the means differ little, so they start at the least.
   * @param {Float32Array} values */
  function scale(values) {
    const low = square === null ? Math.min(...values) : 0;
    const high = Math.max(...values, low + 1e-6);
    return { low, high, heat: values.map((value) => (value - low) / (high - low)) };
  }

  function draw() {
    if (!active) return;
    const color = getComputedStyle(element).getPropertyValue("--heat");
    for (const [index, all] of weights) paint(canvases[index], scale(row(all)).heat, color, flipped);
    const all = weights.get(head);
    if (!all) return;
    const values = row(all);
    const { low, high, heat } = scale(values);
    const from = SQUARES[square ?? -1] ?? null;
    onHeat(heat, from);
    setText(least, percent(low));
    setText(most, percent(high));
    const best = [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, 4).filter((index) => (values[index] ?? 0) >= 0.01);
    const list = best.map((index) => `${SQUARES[index]} ${percent(values[index] ?? 0)}`.replaceAll(" ", "\u00a0")).join(", ") || "no square in particular";
    setText(caption, `Head “${model.heads[head]?.name}” of layer ${layer + 1}: ${from ? `${from} looks at` : "all squares together look most at"} ${list}.`);
  }

  return {
    element,
    setModel(description) {
      waiting = false;
      if (JSON.stringify(description) === JSON.stringify(model)) return;
      model = description;
      [layer, head] = [Math.min(layer, Math.max(0, model.layers - 1)), Math.min(head, Math.max(0, model.heads.length - 1))];
      weights = new Map();
      buildHeads();
    },
    setActive(on) {
      active = on;
      waiting = false;
      if (on) {
        fetchNext();
        draw();
      } else onHeat(null, null);
    },
    moved() {
      weights = new Map();
      waiting = false;
      fetchNext();
    },
    point(name) {
      square = name === null ? null : indexOf(name);
      draw();
    },
    flip(on) {
      flipped = on;
      draw();
    },
    onMessage(message) {
      waiting = false;
      if (message.layer === layer) weights.set(message.head, Float32Array.from(message.weights, (value) => value / 1000));
      draw();
      fetchNext();
    },
  };
}

/**
 * @param {HTMLCanvasElement | undefined} canvas
 * @param {Float32Array} values
 * @param {string} color
 * @param {boolean} flipped
 */
function paint(canvas, values, color, flipped) {
  const area = canvas?.getContext("2d");
  if (!area) return;
  area.clearRect(0, 0, 8, 8);
  area.fillStyle = color;
  values.forEach((value, index) => {
    const [file, rank] = [index % 8, index >> 3];
    area.globalAlpha = value;
    area.fillRect(flipped ? 7 - file : file, flipped ? rank : 7 - rank, 1, 1);
  });
}
