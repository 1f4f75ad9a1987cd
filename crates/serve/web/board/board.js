/**
 * The board: an SVG picture under an ARIA grid of 64 buttons with one tab stop. It has no rules: `set` takes
 * the legal moves, and it reports which of them a person has chosen by dragging, clicking or by keyboard. See
 * types.d.ts for its interface.
 */

import { el } from "../ui.js";
import { SQUARES, occupantsOf, squareAt } from "./geometry.js";
import { createGrid } from "./grid.js";
import { createPicture } from "./picture.js";
import { occupantName } from "./pieces.js";
import { createPointer } from "./pointer.js";
import { premoveTargets } from "./premove.js";
import { choosePromotion } from "./promotion.js";
import { toggleShape } from "./shapes.js";

/** @import { AutoShape, Board, BoardOptions, BoardState, LegalMove, Shape } from "../types" */

/** @typedef {Required<Omit<BoardState, "fen" | "pieces" | "still">>} State */

/** @type {State} */
const EMPTY = { turn: "white", legal: [], last: null, check: null, movable: null, premove: false, targets: [] };

/**
 * @param {BoardOptions} options
 * @returns {Board}
 */
export function createBoard(options) {
  const interactive = options.interactive !== false;
  let orientation = options.orientation ?? "white";
  let state = EMPTY;
  /** @type {string | null} */
  let selected = null;
  /** @type {[string, string] | null} */
  let premove = null;
  /** The square under a dragged piece. @type {string | null} */
  let over = null;
  /** @type {Shape[]} */
  let userShapes = [];
  /** @type {AutoShape[]} */
  let autoShapes = [];
  /** @type {Record<string, string>} */
  let highlights = {};
  /** Ends an open promotion chooser. @type {(() => void) | null} */
  let closePromotion = null;

  const picture = createPicture(orientation);
  const grid = interactive ? createGrid({ label: options.label ?? "Board", orientation, activate: pressByKey, cancel }) : null;
  const element = el("div", { class: interactive ? "board" : "board still" }, picture.element, grid?.element);

  // ---- drawing
  function refresh() {
    /** @type {[string, string][]} */
    const marks = (state.last ?? []).map((square) => [square, "last"]);
    for (const [square, kind] of Object.entries(highlights)) marks.push([square, `mark-${kind}`]);
    if (state.check) marks.push([state.check, "check"]);
    for (const square of premove ?? []) marks.push([square, "premove"]);
    if (selected) marks.push([selected, "selected"]);
    const aims = targets();
    picture.setMarks({ marks, targets: aims, ahead: mayPremove() });
    markOver(over);
    grid?.update(new Map(SQUARES.map((square) => [square, labelOf(square, aims.includes(square))])), selected);
  }

  /**
   * "e4, white knight, legal move".
   * @param {string} square
   * @param {boolean} target
   */
  function labelOf(square, target) {
    const [standing, raised] = [picture.at(square), picture.raisedAt(square)];
    const content = [standing && occupantName(standing), raised && `${occupantName(raised)} in hand`].filter(Boolean);
    return [
      square, content.join(", ") || "empty", target && (mayPremove() ? "premove target" : "legal move"),
      state.check === square && "in check", premove?.includes(square) && "premove", highlights[square],
    ].filter(Boolean).join(", ");
  }

  /** @param {string | null} square */
  function markOver(square) {
    over = square;
    picture.markOver(square && targets().includes(square) ? square : null);
  }

  /** @param {Shape[]} shapes */
  function changeShapes(shapes) {
    userShapes = shapes;
    picture.setShapes(autoShapes, userShapes);
    options.onShapes?.(userShapes);
  }

  // ---- choosing moves
  function mayMove() {
    return state.movable === "both" || state.movable === state.turn;
  }

  function mayPremove() {
    return state.premove && state.movable !== null && state.movable !== "both" && state.movable !== state.turn;
  }

  /** The person's color. */
  function ownColor() {
    return state.movable === "both" ? state.turn : state.movable;
  }

  /** True if the piece on the square belongs to the person, who may move it or premove. @param {string} square */
  function isOwn(square) {
    const color = ownColor();
    return !options.onSquare && color !== null && picture.at(square)?.[color] != null && (mayMove() || mayPremove());
  }

  /**
   * The legal moves from one square to another; of several the one that is named so comes first.
   * @param {string} from
   * @param {string} to
   */
  function movesBetween(from, to) {
    const moves = mayMove() ? state.legal.filter((move) => move.from === from && move.to.includes(to)) : [];
    return moves.sort((a, b) => Number(b.uci.slice(2, 4) === to) - Number(a.uci.slice(2, 4) === to));
  }

  /** The targets of a premove. @param {string} from */
  function aheadFrom(from) {
    const color = ownColor();
    return color ? premoveTargets(from, picture.at(from)?.[color] ?? "", color) : [];
  }

  function targets() {
    if (options.onSquare) return state.targets;
    if (!selected) return [];
    if (mayPremove()) return aheadFrom(selected);
    return mayMove() ? [...new Set(state.legal.filter(({ from }) => from === selected).flatMap(({ to }) => to))] : [];
  }

  /** @param {string | null} square */
  function select(square) {
    selected = square;
    refresh();
  }

  /**
   * Plays a move, enters a premove, or opens the choice of promotion.
   * @param {string} from
   * @param {string} to
   * @param {boolean} dragged the piece already stands on its target
   * @returns {boolean}
   */
  function tryMove(from, to, dragged) {
    if (mayPremove()) {
      // A click on another piece of one's own selects it; a drag to it expects a recapture.
      if (!aheadFrom(from).includes(to) || (!dragged && isOwn(to))) return false;
      premove = [from, to];
      select(null);
      options.announce?.(`Premove ${from} to ${to}`);
      return true;
    }
    const moves = movesBetween(from, to);
    const [first] = moves;
    if (!first) return false;
    select(null);
    if (first.promotion === null) {
      play(first, to, dragged);
    } else {
      closePromotion?.();
      closePromotion = choosePromotion(element, to, state.turn, orientation, (piece) => {
        closePromotion = null;
        pointer?.release();
        const move = moves.find(({ promotion }) => promotion === piece);
        if (piece && move) play(move, to, dragged);
        else refresh();
      });
    }
    return true;
  }

  /**
   * @param {LegalMove} move
   * @param {string} to
   * @param {boolean} dragged
   */
  function play(move, to, dragged) {
    const castling = picture.at(to)?.[state.turn] != null;
    if (dragged && !castling) picture.movePiece(move.from, to);
    state = { ...state, legal: [] };
    options.onMove?.(move.from, to, move.promotion, move);
  }

  /**
   * It is the person's turn: the move entered ahead is played, if it is legal; a pawn becomes a queen.
   * @param {[string, string]} squares
   */
  function playPremove([from, to]) {
    const move = movesBetween(from, to).find(({ promotion }) => promotion === null || promotion === "q");
    if (move) play(move, to, false);
    else options.announce?.("The premove is not possible.");
  }

  /** A square pressed by a click or key. @param {string} square */
  function press(square) {
    if (options.onSquare) {
      options.onSquare(square, "press");
      options.onSquare(square, "release");
    } else if (selected && selected !== square && tryMove(selected, square, false)) return;
    else if (selected === square) select(null);
    else if (isOwn(square)) select(square);
    else if (premove) cancel();
    else if (selected) select(null);
  }

  /** The same by key or assistive technology, with words. @param {string} square */
  function pressByKey(square) {
    const before = selected;
    press(square);
    const occupant = selected && selected !== before ? picture.at(selected) : null;
    if (occupant) options.announce?.(`${occupantName(occupant)} on ${selected} picked up; moves to ${targets().join(", ") || "no square"}`);
  }

  /** Cancels what is begun; true if there was something. */
  function cancel() {
    const active = selected !== null || premove !== null || closePromotion !== null;
    closePromotion?.();
    closePromotion = null;
    premove = null;
    selected = null;
    pointer?.release();
    if (active) refresh();
    return active;
  }

  // ---- pointer
  /**
   * A point of the window in the coordinates of the picture.
   * @param {number} x
   * @param {number} y
   * @returns {[number, number]}
   */
  function toBoard(x, y) {
    const box = picture.element.getBoundingClientRect();
    return [(800 * (x - box.left)) / box.width, (800 * (y - box.top)) / box.height];
  }

  const pointer = interactive ? createPointer(element, {
    toBoard,
    squareAt: (x, y) => {
      const [column, row] = toBoard(x, y).map((value) => Math.floor(value / 100));
      return squareAt(column ?? -1, row ?? -1, orientation);
    },
    blocked: () => closePromotion !== null,
    isOwn,
    selected: () => selected,
    select,
    press,
    cancel,
    tryMove,
    over: (square) => {
      if (square !== over) markOver(square);
    },
    onSquare: options.onSquare ?? null,
    onHover: options.onHover ?? null,
    nodeToDrag: picture.nodeToDrag,
    dragLayer: picture.raisedLayer,
    returnNode: picture.returnNode,
    place: picture.place,
    drawing: (shape) => picture.setShapes(autoShapes, shape ? toggleShape(userShapes, shape) : userShapes),
    drawn: (shape) => changeShapes(toggleShape(userShapes, shape)),
    clearShapes: () => {
      if (userShapes.length) changeShapes([]);
    },
  }) : null;

  refresh();

  return {
    element,
    get orientation() {
      return orientation;
    },
    set({ fen, pieces, still = false, ...rest }) {
      const same = state.turn === (rest.turn ?? EMPTY.turn) && state.last?.join() === rest.last?.join();
      state = { ...EMPTY, ...rest };
      if (!same) {
        closePromotion?.();
        closePromotion = null;
      }
      picture.setPieces(pieces ?? (fen ? occupantsOf(fen) : []), !still);
      pointer?.piecesChanged();
      if (selected && !isOwn(selected)) selected = null;
      const ahead = mayMove() ? premove : null;
      if (ahead) premove = null;
      refresh();
      if (ahead) playPremove(ahead);
    },
    setShapes(user, auto = []) {
      userShapes = user;
      autoShapes = auto;
      picture.setShapes(autoShapes, userShapes);
    },
    setHeat: picture.setHeat,
    setHighlights(marks) {
      highlights = marks;
      refresh();
    },
    flip(color = orientation === "white" ? "black" : "white") {
      if (color === orientation) return;
      cancel();
      orientation = color;
      picture.flip(orientation);
      grid?.flip(orientation);
      refresh();
    },
    setDraw(color) {
      pointer?.setDraw(color);
      element.classList.toggle("drawing", color !== null);
    },
    cancel,
    focus() {
      grid?.focus();
    },
    destroy() {
      cancel();
      pointer?.destroy();
      element.remove();
    },
  };
}
