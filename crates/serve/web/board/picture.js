/** The picture of a board: one SVG of 800 by 800 with layers for marks, heat, targets, pieces and shapes. */

import { svg } from "../ui.js";
import { animateChange, animationsOn } from "./animate.js";
import { SIDE, SQUARES, cornerOf, indexOf, squareAt } from "./geometry.js";
import { drawSquare } from "./pieces.js";
import { drawShapes } from "./shapes.js";

/** @import { AutoShape, Color, Occupant, Shape } from "../types" */

/**
 * @typedef {{ occupant: Occupant, element: SVGGElement }} Drawn
 * @typedef {{ marks: [string, string][], targets: string[], ahead: boolean }} Marks squares with the classes of
 *   their marks, and the targets of the selected piece; `ahead`: of a premove
 */

/**
 * @param {Color} orientation
 */
export function createPicture(orientation) {
  /** What is drawn, by square; a raised piece has a key of its own. @type {Map<string, Drawn>} */
  let drawn = new Map();
  /** @type {Marks} */
  let marks = { marks: [], targets: [], ahead: false };
  /** @type {ArrayLike<number> | null} */
  let heat = null;
  /** @type {[AutoShape[], Shape[]]} */
  let shapes = [[], []];

  const layers = {
    heat: svg("g", { class: "heat" }),
    marks: svg("g"),
    coordinates: svg("g", { class: "coordinates" }),
    targets: svg("g"),
    pieces: svg("g"),
    shapes: svg("g"),
    /** Raised and dragged pieces, above all others. */
    raised: svg("g", { class: "dragged" }),
  };
  const element = svg("svg", { viewBox: "0 0 800 800", class: "board-picture", "aria-hidden": "true" },
    svg("rect", { class: "light", width: 800, height: 800 }), svg("path", { class: "dark", d: darkSquares() }), ...Object.values(layers));

  /**
   * @param {SVGGElement} node
   * @param {string} square
   */
  function place(node, square) {
    const [x, y] = cornerOf(square, orientation);
    node.setAttribute("transform", `translate(${x} ${y})`);
  }

  /**
   * @param {string} square
   * @param {string} name
   * @param {number} [inset]
   */
  function mark(square, name, inset = 0) {
    const [x, y] = cornerOf(square, orientation);
    layers.marks.append(svg("rect", { x: x + inset, y: y + inset, width: SIDE - 2 * inset, height: SIDE - 2 * inset, class: `mark ${name}` }));
  }

  /** @param {Marks} next */
  function setMarks(next) {
    marks = next;
    layers.marks.replaceChildren();
    for (const [square, name] of marks.marks) mark(square, name);
    layers.targets.replaceChildren(...marks.targets.map((square) => {
      const [x, y] = cornerOf(square, orientation);
      const occupied = drawn.has(square);
      const name = `target ${occupied ? "ring" : "dot"}${marks.ahead ? " ahead" : ""}`;
      return svg("circle", { cx: x + 50, cy: y + 50, r: occupied ? 44 : 15, class: name });
    }));
  }

  /** @param {ArrayLike<number> | null} values */
  function setHeat(values) {
    heat = values;
    layers.heat.replaceChildren();
    for (const square of SQUARES) {
      const value = Math.min(1, Math.max(0, heat?.[indexOf(square)] ?? 0));
      if (value < 0.004) continue;
      const [x, y] = cornerOf(square, orientation);
      layers.heat.append(svg("rect", { x, y, width: SIDE, height: SIDE, "fill-opacity": (0.92 * value).toFixed(3) }));
    }
  }

  /**
   * @param {AutoShape[]} auto
   * @param {Shape[]} user
   */
  function setShapes(auto, user) {
    shapes = [auto, user];
    drawShapes(layers.shapes, auto, user, orientation);
  }

  function drawCoordinates() {
    layers.coordinates.replaceChildren();
    for (let i = 0; i < 8; i++) {
      const file = squareAt(i, 7, orientation)?.[0] ?? "";
      const rank = squareAt(7, i, orientation)?.[1] ?? "";
      const color = i % 2 === 0 ? "on-dark" : "on-light";
      layers.coordinates.append(text(i * SIDE + 4, 794, file, color, "start"), text(795, i * SIDE + 20, rank, color, "end"));
    }
  }
  drawCoordinates();

  return {
    element,
    raisedLayer: layers.raised,
    place,
    setMarks,
    setHeat,
    setShapes,
    /** What stands on a square, without a raised piece. @param {string} square */
    at: (square) => drawn.get(square)?.occupant ?? null,
    /** What is raised above a square. @param {string} square */
    raisedAt: (square) => drawn.get(raisedKey(square))?.occupant ?? null,

    /** @param {Occupant[]} occupants @param {boolean} animate */
    setPieces(occupants, animate) {
      /** @type {Map<string, Drawn>} */
      const next = new Map();
      for (const occupant of occupants) {
        const key = occupant.raised ? raisedKey(occupant.square) : occupant.square;
        const old = drawn.get(key);
        if (old && old.occupant.white === occupant.white && old.occupant.black === occupant.black) {
          next.set(key, old);
        } else {
          const { square, white, black, raised = false } = occupant;
          const over = raised && occupants.some((other) => !other.raised && other.square === square);
          const node = drawSquare(square, white, black, raised, over);
          place(node, square);
          next.set(key, { occupant, element: node });
        }
      }
      const before = drawn;
      drawn = next;
      for (const [key, { element: node }] of before) if (next.get(key)?.element !== node) node.remove();
      for (const { occupant, element: node } of next.values()) {
        if (!node.isConnected) (occupant.raised ? layers.raised : layers.pieces).append(node);
      }
      if (animate && animationsOn() && element.getClientRects().length) animateChange(before, next, orientation, layers.pieces);
    },

    /**
     * The piece was dropped on its target: it stays there until the server's position.
     * @param {string} from
     * @param {string} to
     */
    movePiece(from, to) {
      const moved = drawn.get(from);
      if (!moved) return;
      drawn.get(to)?.element.remove();
      drawn.delete(from);
      drawn.set(to, { occupant: { ...moved.occupant, square: to }, element: moved.element });
      place(moved.element, to);
    },

    /** The piece that a drag from the square moves: the raised one, if there is one. @param {string} square */
    nodeToDrag(square) {
      const raised = [...drawn.values()].find(({ occupant }) => occupant.raised);
      return (raised ?? drawn.get(square))?.element ?? null;
    },

    /** Puts a dragged piece back to where it stands. @param {SVGGElement} node */
    returnNode(node) {
      const entry = [...drawn.values()].find((candidate) => candidate.element === node);
      if (!entry) {
        node.remove();
        return;
      }
      place(node, entry.occupant.square);
      if (!entry.occupant.raised) layers.pieces.append(node);
    },

    /** Frames the square under a dragged piece. @param {string | null} square */
    markOver(square) {
      layers.marks.querySelector(".over")?.remove();
      if (square) mark(square, "over", 4);
    },

    /** @param {Color} color */
    flip(color) {
      orientation = color;
      for (const { occupant, element: node } of drawn.values()) place(node, occupant.square);
      drawCoordinates();
      setMarks(marks);
      setHeat(heat);
      setShapes(...shapes);
    },
  };
}

/** @param {string} square */
function raisedKey(square) {
  return `${square}^`;
}

function darkSquares() {
  let path = "";
  for (let row = 0; row < 8; row++) {
    for (let column = (row + 1) % 2; column < 8; column += 2) path += `M${column * SIDE} ${row * SIDE}h100v100h-100z`;
  }
  return path;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {string} name
 * @param {string} anchor
 */
function text(x, y, content, name, anchor) {
  const node = svg("text", { x, y, "text-anchor": anchor, class: name });
  node.textContent = content;
  return node;
}
