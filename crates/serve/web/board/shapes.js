/** Arrows and circles: what a person has drawn over what the program shows. */

import { svg } from "../ui.js";
import { cornerOf } from "./geometry.js";

/** @import { AutoShape, Color, Shape } from "../types" */

/**
 * Adds a shape; the same shape again erases it, in another color it changes the color.
 * @param {Shape[]} shapes
 * @param {Shape} shape
 * @returns {Shape[]}
 */
export function toggleShape(shapes, shape) {
  const rest = shapes.filter(({ from, to }) => from !== shape.from || to !== shape.to);
  const old = shapes.find(({ from, to }) => from === shape.from && to === shape.to);
  return old?.color === shape.color ? rest : [...rest, shape];
}

/**
 * @param {SVGGElement} layer
 * @param {AutoShape[]} auto
 * @param {AutoShape[]} user
 * @param {Color} orientation
 */
export function drawShapes(layer, auto, user, orientation) {
  layer.replaceChildren();
  for (const shape of [...auto, ...user]) {
    const [x, y] = cornerOf(shape.from, orientation).map((value) => value + 50);
    if (x === undefined || y === undefined || Number.isNaN(x)) continue;
    const attributes = { class: `shape ${shape.color}`, opacity: shape.opacity ?? 0.8 };
    if (shape.to === null || shape.to === shape.from) {
      layer.append(svg("circle", { ...attributes, cx: x, cy: y, r: 45, fill: "none", "stroke-width": 2 + 6 * (shape.width ?? 0.75) }));
      label(layer, shape, x, y - 32);
      continue;
    }
    const [toX = 0, toY = 0] = cornerOf(shape.to, orientation).map((value) => value + 50);
    const path = arrow(x, y, toX, toY, 5 + 16 * (shape.width ?? 0.75));
    layer.append(svg("path", shape.dashed
      ? { ...attributes, d: path, "stroke-width": 4, "stroke-dasharray": "12 8", "fill-opacity": 0.25 }
      : { ...attributes, d: path, stroke: "none" }));
    label(layer, shape, toX, toY);
  }
}

/**
 * @param {SVGGElement} layer
 * @param {AutoShape} shape
 * @param {number} x
 * @param {number} y
 */
function label(layer, shape, x, y) {
  if (!shape.label) return;
  const text = svg("text", { x, y: y + 8, class: "shape-label", "text-anchor": "middle" });
  text.textContent = shape.label;
  layer.append(text);
}

/**
 * The outline of an arrow from center to center: it starts beside the piece and its head ends in the target.
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 * @param {number} width
 */
function arrow(x, y, toX, toY, width) {
  const length = Math.hypot(toX - x, toY - y);
  const [dx, dy] = [(toX - x) / length, (toY - y) / length];
  const head = 18 + 1.4 * width;
  const wing = 9 + 0.85 * width;
  const half = width / 2;
  /** @param {number} along @param {number} aside */
  const point = (along, aside) => `${(x + dx * along - dy * aside).toFixed(1)} ${(y + dy * along + dx * aside).toFixed(1)}`;
  const end = length - 8;
  const neck = end - head;
  return `M${point(32, half)}L${point(neck, half)}L${point(neck, wing)}L${point(end, 0)}L${point(neck, -wing)}L${point(neck, -half)}L${point(32, -half)}z`;
}
