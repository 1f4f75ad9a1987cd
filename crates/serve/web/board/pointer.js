/**
 * Mouse, touch and pen on the board, by Pointer Events: click-click and drag with the left button or a finger,
 * arrows and circles with the right button or in draw mode. A dragged piece is moved in the handler itself, so
 * that it follows the pointer within one frame.
 */

/** @import { Shape } from "../types" */

/**
 * @typedef {{
 *   squareAt(x: number, y: number): string | null,
 *   toBoard(x: number, y: number): [number, number],
 *   blocked(): boolean,
 *   isOwn(square: string): boolean,
 *   selected(): string | null,
 *   select(square: string | null): void,
 *   press(square: string): void,
 *   cancel(): boolean,
 *   tryMove(from: string, to: string, dragged: boolean): boolean,
 *   over(square: string | null): void,
 *   onSquare: ((square: string, phase: "press" | "release") => void) | null,
 *   onHover: ((square: string | null) => void) | null,
 *   nodeToDrag(square: string): SVGGElement | null,
 *   dragLayer: SVGGElement,
 *   returnNode(node: SVGGElement): void,
 *   place(node: SVGGElement, square: string): void,
 *   drawing(shape: Shape | null): void,
 *   drawn(shape: Shape): void,
 *   clearShapes(): void,
 * }} Host
 */

/**
 * @param {HTMLElement} element
 * @param {Host} host
 */
export function createPointer(element, host) {
  /**
   * The press in progress. `wasSelected`: releasing it on its own square ends the selection.
   * @type {{ id: number, from: string, x: number, y: number, touch: boolean, wasSelected: boolean,
   *          dragging: boolean, node: SVGGElement | null } | null}
   */
  let drag = null;
  /**
   * The shape being drawn. `cancelled`: the press has cancelled a premove or selection, so that it circles nothing.
   * @type {{ id: number, from: string, color: Shape["color"], cancelled: boolean } | null}
   */
  let sketch = null;
  /** @type {Shape["color"] | null} */
  let drawColor = null;
  /** @type {string | null} */
  let hovered = null;

  /** @param {PointerEvent} event */
  function down(event) {
    if (host.blocked() || drag || sketch) return;
    if (event.target instanceof Element && event.target.closest(".resize-handle")) return;
    const square = host.squareAt(event.clientX, event.clientY);
    if (!square) return;
    if (event.button === 2 || (event.button === 0 && drawColor)) {
      const cancelled = event.button === 2 && host.cancel();
      sketch = { id: event.pointerId, from: square, color: event.button === 2 ? colorOf(event) : (drawColor ?? "green"), cancelled };
      element.setPointerCapture(event.pointerId);
      if (!cancelled) host.drawing({ color: sketch.color, from: square, to: null });
      return;
    }
    if (event.button !== 0) return;
    const selected = host.selected();
    if (host.onSquare) {
      host.onSquare(square, "press");
      begin(event, square, false);
    } else if (selected && selected !== square && host.tryMove(selected, square, false)) {
      return;
    } else if (host.isOwn(square)) {
      if (selected !== square) host.select(square);
      begin(event, square, selected === square);
    } else {
      host.clearShapes();
      host.press(square);
    }
  }

  /**
   * @param {PointerEvent} event
   * @param {string} from
   * @param {boolean} wasSelected
   */
  function begin(event, from, wasSelected) {
    const touch = event.pointerType === "touch";
    drag = { id: event.pointerId, from, x: event.clientX, y: event.clientY, touch, wasSelected, dragging: false, node: null };
    element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (host.onHover && !drag && !sketch) hover(host.squareAt(event.clientX, event.clientY));
    if (sketch?.id === event.pointerId) {
      const to = host.squareAt(event.clientX, event.clientY);
      if (to && (to !== sketch.from || !sketch.cancelled)) host.drawing({ color: sketch.color, from: sketch.from, to: to === sketch.from ? null : to });
      return;
    }
    if (!drag || drag.id !== event.pointerId) return;
    if (event.pointerType === "mouse" && event.buttons & 2) {
      // The right button cancels the drag.
      release();
      host.select(null);
      return;
    }
    if (!drag.dragging) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < (drag.touch ? 8 : 3)) return;
      drag.dragging = true;
      element.classList.add("dragging");
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
    follow();
  }

  /** Puts the dragged piece under the pointer. */
  function follow() {
    if (!drag?.dragging) return;
    if (!drag.node) {
      drag.node = host.nodeToDrag(drag.from);
      if (!drag.node) return;
      for (const animation of drag.node.getAnimations({ subtree: true })) animation.finish();
      host.dragLayer.append(drag.node);
    }
    const [x, y] = host.toBoard(drag.x, drag.y);
    // Under a finger the piece is larger and stands above it.
    const place = drag.touch ? `translate(${(x - 75).toFixed(1)} ${(y - 150).toFixed(1)}) scale(1.5)` : `translate(${(x - 50).toFixed(1)} ${(y - 55).toFixed(1)})`;
    drag.node.setAttribute("transform", place);
    host.over(host.squareAt(drag.x, drag.y));
  }

  /** @param {PointerEvent} event */
  function up(event) {
    const square = host.squareAt(event.clientX, event.clientY);
    if (sketch?.id === event.pointerId) {
      const { from, color, cancelled } = sketch;
      sketch = null;
      if (square && (square !== from || !cancelled)) host.drawn({ color, from, to: square === from ? null : square });
      else host.drawing(null);
      return;
    }
    if (!drag || drag.id !== event.pointerId) return;
    const { from, dragging, node, wasSelected } = drag;
    endDrag();
    if (host.onSquare) {
      if (square && (square !== from || !dragging)) host.onSquare(square, "release");
      if (node) host.returnNode(node);
      return;
    }
    if (!dragging) {
      if (wasSelected) host.select(null);
      return;
    }
    const played = square !== null && square !== from && host.tryMove(from, square, true);
    // While the promotion is being chosen, the pawn waits on its target.
    if (played && host.blocked() && node) {
      held = node;
      host.place(node, square);
    } else if (node) host.returnNode(node);
    if (!played && square !== from) host.select(null);
  }

  /** A piece that waits for the choice of its promotion. @type {SVGGElement | null} */
  let held = null;

  /** @param {PointerEvent} event */
  function abort(event) {
    if (sketch?.id === event.pointerId) {
      sketch = null;
      host.drawing(null);
    }
    if (drag?.id === event.pointerId) release();
  }

  /** Ends a drag without a move. */
  function release() {
    if (held) host.returnNode(held);
    held = null;
    if (!drag) return;
    const { node } = drag;
    endDrag();
    if (node) host.returnNode(node);
  }

  function endDrag() {
    drag = null;
    element.classList.remove("dragging");
    host.over(null);
  }

  /** @param {string | null} square */
  function hover(square) {
    if (square === hovered) return;
    hovered = square;
    host.onHover?.(square);
  }

  /** @param {Event} event */
  const prevent = (event) => event.preventDefault();
  // Without focus on the pressed square, the arrow keys keep stepping through the moves, and the choice of a
  // promotion that a press has opened keeps the focus.
  /** @type {[string, (event: any) => void][]} */
  const listeners = [
    ["pointerdown", down], ["pointermove", move], ["pointerup", up], ["pointercancel", abort],
    ["pointerleave", () => hover(null)], ["contextmenu", prevent],
    ["mousedown", prevent],
  ];
  for (const [name, listener] of listeners) element.addEventListener(name, listener);

  return {
    release,
    /** The pieces were drawn anew: the dragged one may be another element now. */
    piecesChanged() {
      if (drag && !host.onSquare && !host.isOwn(drag.from)) release(); // it was captured
      if (!drag?.dragging) return;
      if (drag.node && !drag.node.isConnected) drag.node = null;
      if (host.onSquare || !drag.node) {
        const node = host.nodeToDrag(drag.from);
        if (node !== drag.node && drag.node) host.returnNode(drag.node);
        drag.node = null;
        if (!node) return;
      }
      follow();
    },
    /** @param {Shape["color"] | null} color */
    setDraw(color) {
      drawColor = color;
    },
    destroy() {
      for (const [name, listener] of listeners) element.removeEventListener(name, listener);
    },
  };
}

/**
 * The colors of Lichess: green, with Shift or Ctrl red, with Alt blue, with both yellow.
 * @param {PointerEvent} event
 * @returns {Shape["color"]}
 */
function colorOf(event) {
  const red = event.shiftKey || event.ctrlKey;
  const blue = event.altKey || event.metaKey;
  if (red && blue) return "yellow";
  if (red) return "red";
  return blue ? "blue" : "green";
}
