/**
 * The evaluation graph of a game: White's expected points over the moves as an area, marks as shapes that differ
 * by form, a line at the current position. A slider for the keyboard: the arrow keys walk through the game as
 * everywhere, Page Up and Page Down go from mark to mark.
 */
import { el, setAttribute, svg } from "../ui.js";
import { setText } from "./dom.js";
import { markInfo, moveNumber, percent, scoreText } from "./format.js";

/** @import { CreateGraph, GameTree, ReportMessage } from "./types" */

const HEIGHT = 88;
const PAD = 6;

/** A circle, a triangle and a square around (x, y).
 * @param {string} mark @param {number} x @param {number} y */
export function markShape(mark, x, y) {
  const nag = markInfo(/** @type {any} */ (mark))?.nag ?? 0;
  const props = { class: `an-shape an-mark-${nag}` };
  if (mark === "?!") return svg("circle", { ...props, cx: x, cy: y, r: 3.5 });
  if (mark === "?") return svg("path", { ...props, d: `M${x} ${y - 5}l5 9h-10z` });
  return svg("rect", { ...props, x: x - 4.5, y: y - 4.5, width: 9, height: 9 });
}

/** @type {CreateGraph} */
export function createGraph(onGo) {
  const plot = svg("g", {});
  const cursor = svg("line", { class: "an-graph-now", y1: 0, y2: HEIGHT });
  const pointer = svg("line", { class: "an-graph-line", y1: 0, y2: HEIGHT, visibility: "hidden" });
  const picture = svg("svg", { class: "an-graph-plot", height: HEIGHT, "aria-hidden": "true" }, plot, pointer, cursor);
  const caption = el("div", { class: "an-graph-caption", "aria-hidden": "true" });
  const surface = el("div", { class: "an-graph-surface", role: "slider", tabindex: 0, "aria-label": "Evaluation graph", "aria-valuemin": 0 }, picture);
  const element = el("section", { class: "an-graph", "aria-label": "Evaluation of the game", hidden: true }, surface, caption);

  /** @type {ReportMessage["graph"]} */
  let points = [];
  /** @type {GameTree | null} */
  let game = null;
  let current = -1;
  let slots = 1;
  let width = 300;

  const x = (/** @type {number} */ index) => PAD + (index * (width - 2 * PAD)) / Math.max(1, slots - 1);
  const y = (/** @type {number} */ expectation) => PAD + (1 - expectation) * (HEIGHT - 2 * PAD);

  function draw() {
    setAttribute(picture, "viewBox", `0 0 ${width} ${HEIGHT}`);
    const curve = points.map((point, index) => `${x(index).toFixed(1)} ${y(point.expectation).toFixed(1)}`).join("L");
    // The areas reach the edges; of an unfinished analysis they end with it.
    const last = (points.length < slots ? x(points.length - 1) : width).toFixed(1);
    const [left, right] = [y(points[0]?.expectation ?? 0.5).toFixed(1), y(points.at(-1)?.expectation ?? 0.5).toFixed(1)];
    const area = `L0 ${left}L${curve}L${last} ${right}L${last}`;
    plot.replaceChildren(
      ...(points.length > 1 ? [
        svg("path", { class: "an-graph-black", d: `M0 0${area} 0z` }),
        svg("path", { class: "an-graph-white", d: `M0 ${HEIGHT}${area} ${HEIGHT}z` }),
      ] : []),
      svg("line", { class: "an-graph-line", "stroke-dasharray": "2 4", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      ...(points.length > 1 ? [svg("path", { class: "an-graph-line", d: `M${curve}` })] : []),
      ...points.flatMap((point, index) => (point.mark ? [markShape(point.mark, x(index), y(point.expectation))] : [])),
    );
    place();
  }

  /** @param {number} index */
  function describe(index) {
    const point = points[index];
    if (!point) return "";
    const node = game?.get(point.node);
    const move = node?.san ? `${moveNumber(node.ply)} ${node.san}${point.mark ?? ""}` : "Start";
    const info = markInfo(point.mark);
    return `${move} · White ${percent(point.expectation)} · ${scoreText(point.score)}${info ? ` · ${info.name.toLowerCase()}` : ""}`;
  }

  function place() {
    const index = points.findIndex((point) => point.node === current);
    setAttribute(cursor, "visibility", index < 0 ? "hidden" : "visible");
    setAttribute(cursor, "transform", `translate(${x(Math.max(0, index)).toFixed(1)} 0)`);
    setAttribute(surface, "aria-valuemax", Math.max(0, points.length - 1));
    setAttribute(surface, "aria-valuenow", Math.max(0, index));
    setAttribute(surface, "aria-valuetext", describe(index) || "Outside of the main line");
    setText(caption, describe(index));
  }

  /** @param {PointerEvent | MouseEvent} event */
  function nearest(event) {
    const box = picture.getBoundingClientRect();
    const share = (event.clientX - box.left - PAD) / Math.max(1, box.width - 2 * PAD);
    return Math.max(0, Math.min(points.length - 1, Math.round(share * (slots - 1))));
  }
  surface.addEventListener("pointermove", (event) => {
    const index = nearest(event);
    setAttribute(pointer, "visibility", "visible");
    setAttribute(pointer, "transform", `translate(${x(index).toFixed(1)} 0)`);
    setText(caption, describe(index));
    if (event.buttons & 1) go(index);
  });
  surface.addEventListener("pointerleave", () => {
    setAttribute(pointer, "visibility", "hidden");
    place();
  });
  surface.addEventListener("click", (event) => go(nearest(event)));
  surface.addEventListener("keydown", (event) => {
    const step = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    for (let at = points.findIndex((point) => point.node === current) + step; points[at]; at += step) {
      if (points[at]?.mark) return go(at);
    }
  });
  /** @param {number} index */
  function go(index) {
    const point = points[index];
    if (point && point.node !== current) onGo(point.node);
  }

  new ResizeObserver(() => {
    const measured = Math.round(surface.clientWidth);
    if (!measured || measured === width) return;
    width = measured;
    draw();
  }).observe(surface);

  return {
    element,
    set(graph, tree) {
      points = graph;
      game = tree;
      slots = Math.max(graph.length, tree.mainLine.length);
      element.hidden = graph.length === 0;
      draw();
    },
    setCurrent(node) {
      current = node;
      place();
    },
    expectation: (node) => points.find((point) => point.node === node)?.expectation ?? null,
  };
}
