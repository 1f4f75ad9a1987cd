/**
 * Turns presses and drags into actions: lift, place, put back, go on in a chain. The server answers every
 * action with the new state; presses that come before its answer wait for it.
 */

/** @import { ClientMessage, Context, Occupant, PacoAction, PacoMessage } from "../types" */

/** True if a person may act in the position shown. @param {PacoMessage | null} paco @returns {paco is PacoMessage} */
export function mayAct(paco) {
  return paco !== null && paco.live && !paco.thinking && paco.ending === null && paco[paco.turn].kind === "person";
}

/** The squares that a kind of action may name. @param {PacoMessage} paco @param {"lift" | "place"} kind @returns {string[]} */
export function squaresFor(paco, kind) {
  return paco.legal.flatMap((action) => {
    const square = /** @type {Record<string, string>} */ (action)[kind];
    return square ? [square] : [];
  });
}

/** True if a piece was placed in the unfinished turn: what is in hand was released. @param {PacoMessage} paco */
export function isChain(paco) {
  const squares = paco.turns[paco.shown.turns]?.actions.filter((action) => action.length === 2) ?? [];
  return squares.length > 1;
}

/**
 * What stands on the board and what is raised above it.
 * @param {Pick<PacoMessage, "board" | "hand" | "turn">} paco
 * @returns {Occupant[]}
 */
export function occupantsOf({ board, hand, turn }) {
  if (!hand) return board;
  const [white, black] = turn === "white" ? [hand.piece, hand.partner] : [hand.partner, hand.piece];
  return [...board, { square: hand.square, white, black, raised: true }];
}

/**
 * The board after a lift or a place, to be seen before the server's answer; en passant is left to the answer.
 * @param {PacoMessage} paco
 * @param {string} square
 * @returns {PacoMessage | null}
 */
function preview(paco, square) {
  const { hand, turn } = paco;
  const other = turn === "white" ? "black" : "white";
  const there = paco.board.find((occupant) => occupant.square === square) ?? { square, white: null, black: null };
  const rest = paco.board.filter((occupant) => occupant.square !== square);
  const own = there[turn];
  if (!hand) return own && { ...paco, board: rest, hand: { square, piece: own, partner: there[other] } };
  if (hand.piece === "k") return null; // it may castle
  const arrived = { ...there, [turn]: hand.piece, [other]: hand.partner ?? there[other] };
  return { ...paco, board: [...rest, arrived], hand: own && { square, piece: own, partner: null } };
}

/**
 * @param {Context} context
 * @param {() => void} choosePromotion
 * @param {(paco: PacoMessage) => void} show draws a preview, without animation
 */
export function createHand(context, choosePromotion, show) {
  const { state } = context;
  let awaiting = false;
  /** @type {["press" | "release", string][]} */
  let queue = [];
  /** The piece in hand was pressed: releasing it there puts it back. @type {string | null} */
  let armed = null;
  /** What could be lifted at the start of this turn. @type {string[]} */
  let lifts = [];

  /** @param {ClientMessage} message */
  function send(message) {
    awaiting = true;
    context.send(message);
  }
  const undo = () => send({ type: "paco_undo", all: false });

  /** @param {PacoMessage} paco @param {string} square */
  function showAfter(paco, square) {
    const after = preview(paco, square);
    if (after) show(after);
  }

  /** @param {PacoMessage} paco @param {string} square */
  function press(paco, square) {
    armed = null;
    if (paco.required === "promote") choosePromotion();
    else if (squaresFor(paco, paco.required).includes(square)) {
      send({ type: "paco_act", action: paco.required === "lift" ? { lift: square } : { place: square } });
      if (paco.required === "lift") showAfter(paco, square);
    } else if (paco.required === "lift") context.announce(`${square}: nothing to lift`);
    else if (square === paco.hand?.square) armed = square;
    else if (!isChain(paco) && lifts.includes(square)) {
      // Another piece instead.
      undo();
      queue.unshift(["press", square]);
    } else context.announce(`${square}: not possible`);
  }

  /** @param {PacoMessage} paco @param {string} square */
  function release(paco, square) {
    if (paco.required !== "place") return;
    if (squaresFor(paco, "place").includes(square)) {
      send({ type: "paco_act", action: { place: square } });
      showAfter(paco, square); // it was dragged there
    } else if (square === paco.hand?.square ? armed === square : !isChain(paco)) undo();
    armed = null;
  }

  return {
    /** @param {string} square @param {"press" | "release"} phase */
    onSquare(square, phase) {
      const { paco } = state;
      if (awaiting) queue.push([phase, square]);
      else if (mayAct(paco)) (phase === "press" ? press : release)(paco, square);
    },
    /** The server has answered. */
    answered() {
      const { paco } = state;
      awaiting = false;
      if (!paco) return;
      if (paco.required === "lift") lifts = squaresFor(paco, "lift");
      if (!mayAct(paco)) queue = [];
      while (!awaiting) {
        const next = queue.shift();
        if (!next) break;
        this.onSquare(next[1], next[0]);
      }
    },
  };
}
