/** The Play view: a game against the engine, the human-like model, or between two people at one board. */

import { createTools } from "../board/tools.js";
import { createMoveInput, stepByKey } from "../move-input.js";
import { boardFlipper, button, confirmDialog, el, oncePerFrame } from "../ui.js";
import { COLORS, resultText, titleOf, winnerOf } from "../words.js";
import { createClocks } from "./clock.js";
import { materialOf } from "./material.js";
import { createMoveList, lineOf } from "./moves.js";
import { openNewGame } from "./new-game.js";
import { createStrips } from "./strip.js";

/** @import { AutoShape, ClientMessage, Color, Context, PlayMessage, Player, Shape, View } from "../types" */

/**
 * @param {Context} context
 * @returns {View}
 */
export function createPlayView(context) {
  const { state } = context;
  /** @type {AutoShape[]} */
  let hint = [];
  let hintText = "";
  /** What the person has drawn on the position `shapesOf`. @type {Shape[]} */
  let shapes = [];
  let shapesOf = "";
  /** The state of the game in the message before. */
  let status = "none";

  // ---- elements
  const board = context.createBoard({
    label: "Board of the game",
    onShapes: (drawn) => {
      shapes = drawn;
    },
    onMove: (_from, _to, _promotion, move) => context.send({ type: "move", uci: move.uci }),
  });
  const clocks = createClocks();
  const strips = createStrips(board, clocks.faces);
  const moves = createMoveList((node) => context.send({ type: "go_to", node }));
  const statusLine = el("p", { class: "play-status" });
  const detail = el("p", { class: "muted play-detail" });

  const tools = createTools(board, {
    first: () => step(0), previous: () => step(shownIndex() - 1), next: () => step(shownIndex() + 1), last: () => step(Infinity), flip: () => flip(),
  });
  const actions = {
    takeback: button({ text: "Take back", icon: "undo", onclick: takeBack }),
    hint: button({ text: "Hint", icon: "hint", onclick: () => context.send({ type: "hint" }) }),
    claim: button({ text: "Claim draw", icon: "half", onclick: () => context.send({ type: "claim_draw" }) }),
    resign: button({ text: "Resign", icon: "flag", onclick: () => void resign() }),
    rematch: button({ text: "Rematch", icon: "again", class: "primary", onclick: rematch }),
    playOn: button({ text: "Play from here", icon: "next", onclick: playOn }),
    analyse: button({ text: "Analyse", label: "Analyse this game", icon: "chart", onclick: () => context.navigate("analysis") }),
  };
  const newGame = button({ text: "New game", label: "New game", icon: "plus", onclick: () => openNewGame(context, startGame) });
  const head = el("div", { class: "card play-head" }, el("div", { class: "grow" }, statusLine, detail), newGame);
  const element = el("div", { class: "layout play-view" },
    el("section", { class: "board-area", "aria-label": "Game" }, strips.top, board.element, strips.bottom),
    el("section", { class: "panel", "aria-label": "Moves and actions" },
      head,
      moves.element,
      el("div", { class: "play-tools" }, ...Object.values(tools)),
      createMoveInput(context),
      el("div", { class: "play-actions" }, ...Object.values(actions))));

  // ---- the game
  const playing = () => state.play?.status === "playing";
  const isLive = () => state.position?.node === state.play?.node;
  /** @param {Color} color */
  const isPerson = (color) => state.play?.[color].kind === "person";
  const line = () => lineOf(state.game, state.play);
  const shownIndex = () => line().findIndex((node) => node.id === state.position?.node);

  /** @param {ClientMessage} message */
  function startGame(message) {
    flipBoard("");
    board.cancel();
    context.send(message);
  }

  const isStandard = () => state.game?.start_fen.startsWith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w");

  function rematch() {
    const { game, play } = state;
    if (!game || !play) return;
    const full = /^[nbrqk]{8}\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\//.test(game.start_fen);
    startGame({
      type: "new_game", variant: game.variant, white: play.black, black: play.white, clock: play.clock,
      ...(game.variant === "chess960" && full ? { position: null } : !isStandard() && { fen: game.start_fen }),
    });
  }

  function playOn() {
    const { play } = state;
    if (!play || play.status === "none") context.playFromHere();
    else startGame({ type: "play_from", white: play.white, black: play.black, clock: play.clock });
  }

  function takeBack() {
    board.cancel();
    context.send({ type: "takeback" });
  }

  async function resign() {
    if (await confirmDialog("Resign?", "The game ends and counts as lost.", "Resign")) context.send({ type: "resign" });
  }

  /** @param {number} index */
  function step(index) {
    const nodes = line();
    const node = nodes[Math.min(Math.max(0, index), nodes.length - 1)];
    if (!node || node.id === state.position?.node) return;
    board.cancel();
    context.send({ type: "go_to", node: node.id });
  }

  /** @param {Color} [color] */
  function flip(color) {
    board.flip(color);
    strips.arrange();
  }
  const flipBoard = boardFlipper(flip);

  // ---- drawing
  function drawBoard() {
    const { position } = state;
    if (!position) return;
    const person = isPerson("white") ? (isPerson("black") ? "both" : "white") : isPerson("black") ? "black" : null;
    const movable = playing() && isLive() ? person : null;
    if (!playing()) board.cancel();
    board.set({
      fen: position.fen, turn: position.turn, legal: position.legal, last: position.last, check: position.check,
      movable, premove: movable !== null && movable !== "both",
    });
    const place = `${position.document} ${position.node}`;
    if (place !== shapesOf) shapes = [];
    shapesOf = place;
    board.setShapes(shapes, hint);
  }

  function drawPanel() {
    const { play, position } = state;
    if (!play || !position) return;
    for (const color of COLORS) {
      const toMove = position.turn === color && playing();
      strips[color].update({ text: nameOf(play[color], color), pieces: materialOf(position.fen, color), busy: play.thinking && toMove && isLive(), toMove });
    }
    const nodes = line();
    const at = shownIndex();
    const entries = nodes.slice(1).map(({ id, san, ply }) => ({ id, text: san ?? "", number: Math.ceil(ply / 2), isWhite: ply % 2 === 1 }));
    moves.update(entries, position.node, play.status === "over" ? resultText(play.result) : "");
    head.classList.toggle("over", play.status === "over");
    newGame.classList.toggle("primary", play.status === "none");
    statusLine.textContent = statusOf(play);
    detail.textContent = hint.length ? hintText : position.opening ? `${position.opening.eco} ${position.opening.name}` : startName();
    tools.first.disabled = tools.previous.disabled = at <= 0;
    tools.next.disabled = at < 0 || at === nodes.length - 1;
    tools.last.disabled = at === nodes.length - 1;
    actions.takeback.disabled = !play.can_take_back;
    actions.hint.disabled = !playing() || !isLive() || !isPerson(position.turn);
    actions.claim.disabled = !play.claimable;
    actions.claim.title = play.claimable ? `Draw: ${play.claimable}` : "No draw to claim";
    actions.resign.hidden = !playing();
    actions.rematch.hidden = playing();
    actions.rematch.disabled = play.status === "none";
    actions.playOn.disabled = (playing() && isLive()) || position.outcome !== null;
    actions.resign.disabled = !playing();
    clocks.update(play);
  }

  /** A position that was waited for, see `redraw`. */
  let waitedFor = "";
  /**
   * A move of the game comes as a position and then the game's state. Between the two the position would look
   * like an earlier one, and a drag or premove would end: the drawing waits for the second message.
   */
  const redraw = oncePerFrame(() => {
    const { game, play, position } = state;
    const parent = game?.nodes.find(({ id }) => id === position?.node)?.parent;
    const place = `${position?.document} ${position?.node}`;
    if (playing() && parent === play?.node && waitedFor !== place) {
      waitedFor = place;
      setTimeout(redraw, 150);
      return;
    }
    drawBoard();
    drawPanel();
  });

  /** @param {Player} player @param {Color} color */
  function nameOf(player, color) {
    if (player.kind === "engine") return `Engine · ${context.welcome.levels[player.level]?.name ?? player.level}`;
    if (player.kind === "model") return `Human-like · ${player.rating}`;
    return isPerson("white") && isPerson("black") ? titleOf(color) : "You";
  }

  /** @param {PlayMessage} play */
  function statusOf(play) {
    const { position } = state;
    if (play.status === "none") return "No game is being played.";
    if (play.status === "over") return endingOf(play);
    if (!isLive()) return "An earlier position";
    const turn = position?.turn ?? "white";
    const side = titleOf(turn);
    const check = position?.check ? " Check!" : "";
    if (play.thinking) return `${side} is thinking…${check}`;
    return isPerson(turn) && !COLORS.every(isPerson) ? `Your move.${check}` : `${side} to move.${check}`;
  }

  function startName() {
    if (state.game?.variant === "chess960") return "Chess960";
    return isStandard() === false ? "From a position" : "Starting position";
  }

  // ---- messages
  return {
    element,
    keys: [["↑ ↓", "First and last position"], ["Escape", "Cancel a selection or premove"], ["n", "New game"], ["t", "Take back"], ["h", "Hint"]],
    show() {
      // After an excursion in the analysis the game resumes.
      if (playing() && shownIndex() < 0) step(Infinity);
      drawBoard();
      drawPanel();
    },
    hide() {
      board.cancel();
    },
    onMessage(message) {
      if (message.type === "hint") {
        if (message.node !== state.position?.node) return;
        hint = [{ color: "blue", from: message.uci.slice(0, 2), to: message.uci.slice(2, 4) }];
        hintText = `Hint: ${message.san}`;
        context.announce(hintText);
        redraw();
      } else if (message.type === "notice") {
        // A refused move: the piece goes back.
        if (message.level === "error") drawBoard();
      } else if (message.type === "game" || message.type === "position" || message.type === "play") {
        if (message.type === "position") hint = [];
        if (message.type === "play") {
          flipBoard(`${state.game?.document} ${message.white.kind} ${message.black.kind}`, message);
          if (message.status === "over" && status === "playing") context.announce(`The game is over. ${endingOf(message)}`);
          status = message.status;
        }
        redraw();
      }
    },
    onKey(event) {
      const index = stepByKey(event, shownIndex(), line().length);
      if (index !== null) step(index);
      else if (event.key === "f") flip();
      else if (event.key === "Escape") return board.cancel();
      else if (event.key === "n") openNewGame(context, startGame);
      else if (event.key === "t") actions.takeback.click();
      else if (event.key === "h") actions.hint.click();
      else return false;
      return true;
    },
  };
}

/** @param {PlayMessage} play */
function endingOf(play) {
  return [winnerOf(play), play.reason].filter(Boolean).join(": ");
}
