/** The Paco Ŝako view: a game against our player or between two people, with unions, chains and promotions. */

import { choosePromotion } from "../board/promotion.js";
import { createTools } from "../board/tools.js";
import { createStrips } from "../play/strip.js";
import { boardFlipper, button, confirmDialog, el } from "../ui.js";
import { COLORS, titleOf, winnerOf } from "../words.js";
import { createHand, isChain, mayAct, occupantsOf, squaresFor } from "./hand.js";
import { createTurnList, stepFrom } from "./moves.js";
import { firstGame, openNewPacoGame } from "./new-game.js";
import { handName, looksLikePaco, shareEntries } from "./notation.js";
import { openRules } from "./rules.js";

/**
 * @import { Color, Context, PacoHintMessage, PacoMessage, View } from "../types"
 * @import { NewGame } from "./new-game.js"
 */

/**
 * @param {Context} context
 * @returns {View}
 */
export function createPacoView(context) {
  const { state } = context;
  let visible = false;
  let threats = false;
  let spoken = "";
  /** Whose turn is unfinished. @type {Color | null} */
  let begun = null;
  /** @type {PacoHintMessage | null} */
  let hint = null;
  /** The position that the hint is for. */
  let hintFen = "";
  /** Ends an open choice of a promotion. @type {(() => void) | null} */
  let closeChoice = null;

  // ------------------------------------------------------------------------------------------- elements
  const hand = createHand(context, openChoice, (paco) => board.set({ pieces: occupantsOf(paco), turn: paco.turn, last: paco.last, still: true }));
  const board = context.createBoard({ label: "Board of Paco Ŝako", onSquare: hand.onSquare });
  const strips = createStrips(board);
  const turns = createTurnList((place) => context.send({ type: "paco_go_to", ...place }));
  const status = el("p", { class: "play-status" });
  const detail = el("p", { class: "muted play-detail" });

  const tools = createTools(board, {
    first: () => step("end", -1), previous: () => step("turn", -1), next: () => step("turn", 1), last: () => step("end", 1), flip: () => flip(),
  }, "turn");
  const actions = {
    undo: button({ text: "Undo the turn", icon: "undo", onclick: () => context.send({ type: "paco_undo", all: true }) }),
    takeback: button({ text: "Take back", icon: "undo", onclick: () => context.send({ type: "paco_takeback" }) }),
    threats: button({ text: "Show Ŝako", icon: "hint", "aria-pressed": "false", onclick: toggleThreats }),
    playOn: button({ text: "Play on", label: "Play on from here", title: "Play on from the position shown", icon: "next", onclick: () => context.send({ type: "paco_play_from" }) }),
    resign: button({ text: "Resign", icon: "flag", onclick: () => void resign() }),
    rematch: button({ text: "Rematch", icon: "again", class: "primary", onclick: rematch }),
    rules: button({ text: "Rules", icon: "help", onclick: () => void openRules(context) }),
  };
  const hints = ([1, 2, 3]).map((count) => button({
    text: String(count), label: `Find Paco in ${count} ${count === 1 ? "turn" : "turns"}`,
    onclick: () => context.send({ type: "paco_hint", paco_in: /** @type {1 | 2 | 3} */ (count) }),
  }));
  const hintText = el("p", { class: "paco-hint muted", role: "status" });
  const head = el("div", { class: "card play-head" }, el("div", { class: "grow" }, status, detail),
    button({ text: "New game", label: "New game", icon: "plus", onclick: () => openNewPacoGame(context, start) }));
  const element = el("div", { class: "layout play-view paco-view" },
    el("section", { class: "board-area", "aria-label": "Game" }, strips.top, board.element, strips.bottom),
    el("section", { class: "panel", "aria-label": "Turns and actions" },
      head,
      turns.element,
      el("div", { class: "play-tools" }, ...Object.values(tools)),
      el("div", { class: "play-actions" }, ...Object.values(actions)),
      el("div", { class: "paco-hints", role: "group", "aria-label": "Hint" }, el("span", {}, "Paco in"), ...hints, hintText)));

  // ------------------------------------------------------------------------------------------- the game
  /** @param {NewGame} message */
  function start(message) {
    flipBoard("");
    context.send(message);
  }

  function rematch() {
    const { paco } = state;
    if (paco) start({ type: "paco_load", text: paco.start, white: paco.black, black: paco.white });
  }

  async function resign() {
    if (await confirmDialog("Resign?", "The game ends and counts as lost.", "Resign")) context.send({ type: "paco_resign" });
  }

  /** @param {"turn" | "action" | "end"} unit @param {1 | -1} direction */
  function step(unit, direction) {
    const place = state.paco && stepFrom(state.paco, unit, direction);
    if (place) context.send({ type: "paco_go_to", ...place });
  }

  function toggleThreats() {
    threats = !threats;
    actions.threats.setAttribute("aria-pressed", String(threats));
    context.send({ type: "paco_threats", on: threats });
  }

  /** @param {Color} [color] */
  function flip(color) {
    closeChoice?.();
    board.flip(color);
    strips.arrange();
    if (visible) openChoice();
  }
  const flipBoard = boardFlipper(flip);

  /** Asks for the promotion, on the board. */
  function openChoice() {
    const { paco } = state;
    if (closeChoice || !visible || !mayAct(paco) || paco.required !== "promote" || !paco.promotion) return;
    let answered = true;
    const close = choosePromotion(board.element, paco.promotion, paco.turn, board.orientation, (piece) => {
      closeChoice = null;
      if (piece) context.send({ type: "paco_act", action: { promote: /** @type {"r" | "n" | "b" | "q"} */ (piece) } });
      else if (answered && paco.unfinished) context.send({ type: "paco_undo", all: false });
    });
    // Closed by the program, it answers nothing.
    closeChoice = () => {
      answered = false;
      close();
    };
  }

  // ------------------------------------------------------------------------------------------- drawing
  /** @param {PacoMessage} paco */
  function drawBoard(paco) {
    board.set({
      pieces: occupantsOf(paco), turn: paco.turn, last: paco.last, movable: null,
      targets: mayAct(paco) && paco.required === "place" ? squaresFor(paco, "place") : [],
    });
    /** @type {Record<string, string>} */
    const marks = {};
    for (const color of COLORS) {
      const king = paco.board.find((occupant) => occupant[color] === "k");
      if (king && paco.sako?.[color === "white" ? "black" : "white"]) marks[king.square] = "sako";
    }
    if (paco.required === "promote" && paco.promotion) marks[paco.promotion] = "promotion";
    board.setHighlights(marks);
    const squares = hint?.actions.filter((action) => action.length === 2) ?? [];
    board.setShapes([], squares.slice(1).map((to, index) => ({ color: "blue", from: squares[index] ?? to, to })));
  }

  /** @param {PacoMessage} paco */
  function drawPanel(paco) {
    for (const color of COLORS) {
      const toMove = paco.turn === color && !paco.ending;
      strips[color].update({ text: nameOf(paco, color), busy: paco.thinking && toMove, toMove });
    }
    turns.update(paco);
    [status.textContent, detail.textContent] = describe(paco);
    head.classList.toggle("over", paco.ending !== null && paco.live);
    const mine = mayAct(paco);
    tools.first.disabled = tools.previous.disabled = stepFrom(paco, "action", -1) === null;
    tools.last.disabled = tools.next.disabled = stepFrom(paco, "action", 1) === null;
    actions.undo.disabled = !(mine && paco.unfinished);
    actions.undo.classList.toggle("primary", paco.stuck);
    actions.takeback.disabled = paco.turns.length === 0 || !COLORS.some((color) => paco[color].kind === "person");
    actions.playOn.disabled = paco.live && paco.ending === null;
    actions.resign.hidden = paco.ending !== null;
    actions.rematch.hidden = paco.ending === null;
    for (const find of hints) find.disabled = !mine;
    hintText.textContent = hint?.text ?? "";
  }

  /** @param {PacoMessage} paco @param {Color} color */
  function nameOf(paco, color) {
    const player = paco[color];
    if (player.kind === "player") return `Computer · ${context.welcome.paco_levels[player.level]?.name ?? player.level}`;
    return COLORS.every((each) => paco[each].kind === "person") ? titleOf(color) : "You";
  }

  /** The state of the game in two lines. @param {PacoMessage} paco @returns {[string, string]} */
  function describe(paco) {
    const { turn } = paco;
    const side = titleOf(turn);
    if (paco.ending && paco.live) return [winnerOf(paco.ending), paco.ending.reason];
    if (!paco.live) return ["An earlier position", "→ whole turns, ↓ single actions"];
    if (paco.thinking) return [`${side} is thinking…`, sakoText(paco)];
    const inHand = paco.hand ? handName(paco.hand, turn) : "";
    if (paco.stuck) return ["This chain cannot go on", `The ${inHand} has nowhere to go: undo the turn.`];
    if (paco.required === "promote") {
      return paco.unfinished ? ["Choose the promotion", `Your pawn has reached ${paco.promotion}.`]
        : [`First promote the ${turn} pawn`, `The other player moved it to ${paco.promotion}, its last row. Then take your turn.`];
    }
    if (paco.required === "place") {
      return [`Place the ${inHand}`, isChain(paco) ? "Released from the union, it must go on." : "Press it again to put it back."];
    }
    const bothPeople = COLORS.every((color) => paco[color].kind === "person");
    if (paco.legal.length === 0 && paco[turn].kind === "person") return [`${side} cannot move`, "No piece can be lifted; there is no stalemate."];
    const idle = Number(paco.fen.split(" ")[2]);
    const news = paco.turns.length === 0 ? "Nothing is captured: unite with the enemy king to win."
      : idle >= 80 ? `${idle} of 100 turns without a union or promotion.` : paco.spoken;
    return [!bothPeople && mayAct(paco) ? "Your turn" : `${side} to move`, sakoText(paco) || news];
  }

  /** What is said: the last turn, and what is to be done within a turn. @param {PacoMessage} paco */
  function wordsFor(paco) {
    if (!mayAct(paco) || (!paco.unfinished && paco.required === "lift")) return paco.spoken;
    return [!paco.unfinished && paco.spoken, ...describe(paco)].filter(Boolean).join(". ");
  }

  /** Draws what the server has sent. */
  function refresh() {
    const { paco } = state;
    if (!paco) return;
    if (hint && paco.fen !== hintFen) hint = null;
    if (closeChoice && !(mayAct(paco) && paco.required === "promote")) closeChoice();
    flipBoard(`${paco.start} ${JSON.stringify([paco.white, paco.black])}`, paco);
    drawBoard(paco);
    drawPanel(paco);
    openChoice();
  }

  return {
    element,
    keys: [["↑ ↓", "Previous and next action"], ["Escape", "Put back, undo the turn"], ["n", "New game"], ["t", "Take back"], ["s", "Show Ŝako"], ["r", "Rules"]],
    show() {
      visible = true;
      if (state.paco) refresh();
      else {
        flipBoard("");
        context.send(firstGame(context));
      }
    },
    hide() {
      visible = false;
      closeChoice?.();
      board.cancel();
    },
    onMessage(message) {
      if (message.type === "paco") {
        refresh();
        const undone = begun === message.turn && !message.unfinished && message.live && !message.ending;
        const text = undone ? "Undone" : wordsFor(message);
        begun = message.unfinished ? message.turn : null;
        if (visible && text && text !== spoken) context.announce(text);
        spoken = text;
        hand.answered();
      } else if (message.type === "paco_hint") {
        hint = message;
        hintFen = state.paco?.fen ?? "";
        refresh();
      } else if (message.type === "notice" && message.about?.startsWith("paco")) {
        refresh();
        hand.answered();
      }
    },
    onKey(event) {
      /** @type {Record<string, () => void>} */
      const keys = {
        ArrowLeft: () => step("turn", -1), ArrowRight: () => step("turn", 1), k: () => step("turn", -1), j: () => step("turn", 1),
        ArrowUp: () => step("action", -1), ArrowDown: () => step("action", 1),
        Home: () => step("end", -1), End: () => step("end", 1), 0: () => step("end", -1), $: () => step("end", 1),
        Escape: () => actions.undo.click(), f: () => flip(), n: () => openNewPacoGame(context, start),
        t: () => actions.takeback.click(), s: toggleThreats, r: () => void openRules(context),
      };
      const run = event.shiftKey && event.key !== "$" ? undefined : keys[event.key];
      run?.();
      return run !== undefined;
    },
    onText(text) {
      if (!looksLikePaco(text)) return false;
      const { white, black } = state.paco ?? firstGame(context);
      start({ type: "paco_load", text, white, black });
      return true;
    },
    share: () => (state.paco ? shareEntries(state.paco) : []),
  };
}

/** Who could unite with the enemy king, in words. @param {PacoMessage} paco */
function sakoText({ sako }) {
  if (!sako) return "";
  const sides = COLORS.filter((color) => sako[color]).map(titleOf);
  if (sides.length === 0) return "No Ŝako: neither king can be reached in one turn.";
  return sides.length === 2 ? "Ŝako for both: each can unite with the enemy king in one turn."
    : `Ŝako: ${sides[0]} can unite with the enemy king in one turn.`;
}
