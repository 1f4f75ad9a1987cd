/**
 * The Analyse view: board and evaluation bar, engine lines, move tree, what people play, attention, the report on
 * the whole game. This module holds the state and connects the parts; each part draws what it is given.
 */
import { createTools } from "../board/tools.js";
import { createMoveInput } from "../move-input.js";
import { gameAddress } from "../text.js";
import { button, confirmDialog, copyText, el, setAttribute } from "../ui.js";
import { resultText } from "../words.js";
import { createAttention } from "./attention.js";
import { createEvaluationBar } from "./bar.js";
import { createDetails } from "./details.js";
import { setText } from "./dom.js";
import { createEngine } from "./engine.js";
import { moveNumber, percent } from "./format.js";
import { GameTree } from "./game.js";
import { createGraph } from "./graph.js";
import { createLearn } from "./learn.js";
import { nagItems, openMenu } from "./menu.js";
import { createPeople } from "./people.js";
import { createPreview } from "./preview.js";
import { createReport, explanation } from "./report.js";
import { autoShapes } from "./shapes.js";
import { createTabs } from "./tabs.js";
import { createTree } from "./tree.js";

/** @import { Context, GameMessage, LearnMessage, LineActions, LinesMessage, ModelMessage, PositionMessage, ReportMessage, ServerMessage, TreeNode, View, Wdl } from "./types" */

/** @typedef {Extract<ServerMessage, { type: "threat" }>} ThreatMessage */

/**
 * @param {Context} context
 * @returns {View}
 */
export function createAnalysisView(context) {
  const { preferences, send } = context;
  const { values } = preferences;
  /** Settings of the engine. */
  const settings = { on: values.engine, multipv: values.multipv, arrows: values.arrows, threat: false };
  /** @type {GameTree | null} */
  let game = null;
  /** @type {PositionMessage | null} */
  let position = null;
  /** @type {LinesMessage | null} */
  let lines = null;
  /** @type {ThreatMessage | null} */
  let threat = null;
  /** @type {ModelMessage | null} */
  let model = null;
  /** @type {ReportMessage | null} */
  let report = null;
  /** @type {LearnMessage | null} */
  let learn = null;
  /** The node shown or requested: keys may be faster than answers. */
  let current = -1;
  /** @type {number | null} */
  let wanted = null;
  let visible = false;
  /** The report was requested here, not restored. */
  let requested = false;
  /** The session that has our settings. */
  let session = context.welcome;
  let shapesDrawn = "";

  // parts
  const board = context.createBoard({
    label: "Board",
    onMove: (_from, _to, _promotion, move) => send(learn ? { type: "learn_try", uci: move.uci } : { type: "move", uci: move.uci, explore: true }),
    onHover: (square) => attention.point(square),
    onShapes: (shapes) => send({ type: "set_shapes", node: current, shapes }),
  });
  board.element.addEventListener("focusin", (event) => {
    const square = event.target instanceof HTMLElement ? event.target.dataset["square"] : undefined;
    if (square) attention.point(square);
  });
  board.element.addEventListener("focusout", () => attention.point(null));
  // A finger cannot hover: the square it has tapped stays chosen.
  board.element.addEventListener("pointerup", (event) => {
    if (event.pointerType !== "touch") return;
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    if (cell instanceof HTMLElement) setTimeout(() => attention.point(cell.dataset["square"] ?? null));
  });

  const preview = createPreview(context, () => board.orientation);
  /** @type {LineActions} */
  const actions = {
    play(node, moves) {
      preview.hide();
      if (node !== current) send({ type: "go_to", node });
      for (const uci of moves) send({ type: "move", uci, explore: true });
    },
    preview: preview.show,
    endPreview: preview.hide,
  };
  const bar = createEvaluationBar();
  const engine = createEngine({ settings, onChange: configure, actions });
  const tree = createTree({ onGo: goTo, onMenu: openNodeMenu, onBest: playBest, onComment: (node, text) => send({ type: "set_comment", node, text }) });
  const graph = createGraph(goTo);
  const people = createPeople({ ratings: context.welcome.ratings, rating: values.rating, actions, onRating(rating) {
    preferences.set("rating", rating);
    ask();
  } });
  const attention = createAttention({ request: (layer, head) => send({ type: "get_attention", layer, head }), onHeat: (heat, from) => {
    board.setHeat(heat);
    board.setHighlights(from ? { [from]: "highlight" } : {});
  } });
  const reportPanel = createReport({
    seconds: values.seconds, actions, onGo: goTo,
    onStart(seconds) {
      requested = true;
      preferences.set("seconds", seconds);
      send({ type: "analyse_game", seconds });
    },
    onStop: () => send({ type: "stop_analysis" }),
    onLearn: (color) => send({ type: "learn", color }),
  });
  const learnPanel = createLearn((message) => {
    send(message);
    if (message.type === "learn_end") endLearning();
  });
  const details = createDetails({
    onTags: (tags) => send({ type: "set_tags", tags }),
    onPgn: exportPgn,
    onFen: () => void copyText(position?.fen ?? "", context.notice),
    onLink: async () => copyText(await gameAddress(context.state.pgn ?? ""), context.notice),
    onLoad: context.loadText,
  });

  // layout
  const opening = el("span", { class: "an-opening" });
  const outcome = el("span", { class: "an-outcome" });
  const title = el("div", { class: "an-title" });
  const problem = el("p", { class: "an-problem", role: "alert", hidden: true });
  const verdict = el("div", { class: "an-verdict", hidden: true });
  const more = button({ icon: "more", label: "Actions for the current move", class: "quiet", "aria-haspopup": "menu", onclick: () => {
    const box = more.getBoundingClientRect();
    openNodeMenu(current, box.left, box.top - 8);
  } });
  const tools = createTools(board, { first, previous, next, last, flip }, "move", "quiet");
  const nav = el("div", { class: "an-nav", role: "group", "aria-label": "Navigation" },
    tools.first, tools.previous, tools.next, tools.last, more, createMoveInput(context, true));
  const tabs = createTabs([
    { id: "moves", name: "Moves", panel: el("div", { class: "an-moves" }, title, problem, tree.element, verdict) },
    { id: "people", name: "People", panel: people.element },
    { id: "attention", name: "Attention", panel: attention.element },
    { id: "report", name: "Report", panel: reportPanel.element },
    { id: "game", name: "Game", panel: details.element },
  ], () => {
    attention.setActive(isOpen("attention"));
    drawBoard();
    drawShapes();
  });
  const element = el("div", { class: "an-view" },
    el("div", { class: "an-stage" }, bar.element, el("div", { class: "an-board" }, board.element),
      el("div", { class: "an-status" }, opening, outcome, tools.draw, tools.flip,
        button({ text: "Play from here", onclick: context.playFromHere }))),
    nav, engine.element, learnPanel.element, tabs.list, ...tabs.panels, graph.element, preview.element);

  // walking
  const node = () => game?.get(current) ?? null;
  /** @param {"people" | "attention"} tab */
  const isOpen = (tab) => visible && !learn && tabs.current === tab;

  /** @param {number} id */
  function goTo(id) {
    if (id === current || !game?.get(id)) return;
    wanted = id;
    moveTo(id);
    send({ type: "go_to", node: id });
  }
  /** @param {TreeNode | null | undefined} target */
  const go = (target) => { if (target) goTo(target.id); };
  function first() { go(game?.root); }
  function previous() { go(game?.get(node()?.parent)); }
  function next() { go(game?.get(node()?.children[0])); }
  function last() { const from = node(); go(from && game?.lineFrom(from).at(-1)); }
  function flip() {
    board.flip();
    attention.flip(board.orientation === "black");
    drawBar();
  }
  function playBest() {
    const best = lines?.lines[0]?.uci[0];
    if (best) send({ type: "move", uci: best, explore: true });
    else context.notice(settings.on ? "The engine has no move yet." : "Turn the engine on (l) for its best move.");
  }

  /** Shows another node as the current one, before its position arrives.
   * @param {number} id */
  function moveTo(id) {
    current = id;
    [lines, threat, model] = [null, null, null];
    tree.setCurrent(id);
    graph.setCurrent(id);
    reportPanel.setCurrent(id);
    drawVerdict();
  }

  // asking
  /** @param {Partial<typeof settings>} change */
  function configure(change) {
    Object.assign(settings, change);
    preferences.set("engine", settings.on);
    preferences.set("multipv", settings.multipv);
    preferences.set("arrows", settings.arrows);
    if (!settings.on) lines = null;
    if (!settings.threat) threat = null;
    engine.refresh();
    ask();
    drawBar();
    drawShapes();
  }

  /** Tells the server what this view wants of it now. */
  function ask() {
    const on = visible && !learn;
    send({ type: "set_engine", on: on && settings.on, multipv: settings.multipv, threat: on && settings.threat });
    send({ type: "set_model", on, rating: people.rating() });
  }

  /** @param {"copy" | "download"} action */
  function exportPgn(action) {
    const text = context.state.pgn ?? "";
    if (action === "copy") return void copyText(text, context.notice);
    const name = [game?.tag("White"), game?.tag("Black")].filter(Boolean).join("-").replace(/[^\p{L}\p{N}-]+/gu, "_") || "game";
    const address = URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" }));
    el("a", { href: address, download: `${name}.pgn` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  /** @param {number} id @param {number} x @param {number} y */
  function openNodeMenu(id, x, y) {
    const target = game?.get(id);
    if (!game || !target) return;
    const main = game.onMainLine.has(id);
    const start = game.lineStart(target);
    const name = target.san ? `${moveNumber(target.ply)} ${target.san}` : "Start of the game";
    const comment = { label: target.comment ? "Edit the comment" : "Comment", key: "c", action: () => edit(id) };
    openMenu(name, target.san === null ? [comment] : [
      comment,
      { label: "Promote the variation", disabled: main, action: () => send({ type: "promote_variation", node: start.id }) },
      { label: "Make it the main line", disabled: main, action: () => send({ type: "make_main_line", node: id }) },
      { label: "Delete from here", action: () => void remove(target, name) },
      ...nagItems(target.nags, (nags) => send({ type: "set_nags", node: id, nags })),
    ], x, y);
  }
  /** @param {number} id */
  function edit(id) {
    tabs.open("moves");
    tree.edit(id);
  }
  /** @param {TreeNode} target @param {string} name */
  async function remove(target, name) {
    const long = (game?.lineFrom(target).length ?? 0) > 3;
    if (long && !(await confirmDialog("Delete", `Delete ${name} and everything after it?`, "Delete"))) return;
    send({ type: "delete_node", node: target.id });
  }

  function endLearning() {
    learn = null;
    element.classList.remove("an-learning");
    learnPanel.element.hidden = true;
    ask();
    attention.setActive(isOpen("attention"));
    drawBar();
    drawShapes();
  }

  // drawing
  function drawBoard() {
    if (!position) return;
    const { fen, turn, legal, last, check } = position;
    const found = learn && ["right", "shown", "done"].includes(learn.state);
    // The colors of attention are read without that of the last move.
    board.set({ fen, turn, legal, last: isOpen("attention") ? null : last, check, movable: found ? null : "both" });
  }

  function drawBar() {
    const best = lines?.node === current ? lines.lines[0] : null;
    const expected = learn ? null : graph.expectation(current);
    const known = node()?.score ?? null;
    if (best && !learn) bar.set(best.wdl, best.score, board.orientation);
    else if (expected !== null) bar.set([expected * 1000, 0, 1000 - expected * 1000], known, board.orientation, `White’s expected points: ${percent(expected)}`);
    else if (position?.outcome && !learn) {
      const ends = ["1-0", "1/2-1/2", "0-1"].map((result) => (result === position?.outcome?.result ? 1000 : 0));
      bar.set(/** @type {Wdl} */ (ends), null, board.orientation);
    } else if (!settings.on || learn) bar.set(null, null, board.orientation);
  }

  function drawShapes() {
    const auto = isOpen("attention") ? [] : autoShapes({ position, settings, lines, threat, learn, model: isOpen("people") ? model : null });
    const user = node()?.shapes ?? [];
    const key = JSON.stringify([user, auto]);
    if (key === shapesDrawn) return;
    shapesDrawn = key;
    board.setShapes(user, auto);
  }

  function drawVerdict() {
    const marked = node()?.mark ? node() : null;
    verdict.hidden = !game?.mainLine.some((one) => one.mark);
    verdict.replaceChildren(...(marked ? explanation(marked, actions) : []));
  }

  function drawTitle() {
    if (!game) return;
    const [white, black] = ["White", "Black"].map((color) => {
      const elo = game?.tag(`${color}Elo`);
      return (game?.tag(color) || color) + (elo ? ` (${elo})` : "");
    });
    const event = [game.tag("Event"), game.tag("Date").replace(/\.\?\?/g, "")].filter(Boolean).join(", ");
    const known = game.tag("White") || game.tag("Black");
    const [names, detail] = known ? [`${white} – ${black}`, event] : [game.message.variant === "chess960" ? "Chess960" : "", ""];
    title.replaceChildren(el("div", { class: "an-names", title: names }, names), detail && el("div", { class: "an-muted", title: detail }, detail));
    title.hidden = !names;
  }

  // messages
  /** @param {GameMessage} message */
  function onGame(message) {
    const another = message.document !== game?.message.document;
    game = new GameTree(message);
    if (another) {
      report = null;
      reportPanel.clear();
      preview.clear();
      graph.set([], game);
      if (learn) endLearning();
    }
    tree.setGame(game);
    details.set(game);
    if (report) reportPanel.set(report, game);
    problem.hidden = !message.problem;
    setText(problem, message.problem ? `The rest cannot be read: ${message.problem}` : "");
    drawTitle();
    drawVerdict();
    drawShapes();
  }

  /** @param {PositionMessage} message */
  function onPosition(message) {
    const moved = message.node !== position?.node || message.document !== position.document;
    if (message.node === wanted || message.document !== position?.document) wanted = null;
    position = message;
    if (wanted === null && (message.node !== current || moved)) moveTo(message.node);
    drawBoard();
    setText(opening, message.opening ? `${message.opening.eco} ${message.opening.name}` : "");
    opening.title = opening.textContent ?? "";
    setText(outcome, message.outcome ? `${resultText(message.outcome.result)} · ${message.outcome.reason}` : "");
    if (moved) {
      engine.moved(message.outcome?.reason ?? null);
      people.moved(!!message.outcome);
      attention.moved();
    }
    drawBar();
    drawShapes();
  }

  /** @param {ReportMessage} message */
  function onReport(message) {
    if (!game || message.document !== game.message.document) return;
    report = message;
    graph.set(message.graph, game);
    graph.setCurrent(current);
    reportPanel.set(message, game);
    reportPanel.finish();
    drawBar();
    drawVerdict();
    if (visible && message.complete && requested) {
      context.announce(`Analysis complete. Accuracy: White ${message.white.accuracy.toFixed(0)} percent, Black ${message.black.accuracy.toFixed(0)} percent.`);
    }
  }

  /** @param {LearnMessage} message */
  function onLearn(message) {
    const started = !learn;
    learn = message;
    element.classList.add("an-learning");
    learnPanel.element.hidden = false;
    const mistake = game?.get(game.get(message.node)?.children[0]);
    const words = learnPanel.set(message, mistake ? explanation(mistake, actions) : []);
    if (started) {
      ask();
      if (board.orientation !== message.color) flip();
      attention.setActive(false);
    }
    if (message.state !== "thinking" && message.state !== "right") drawBoard();
    drawBar();
    drawShapes();
    if (visible && message.state !== "thinking") context.announce(words);
  }

  /** @param {ServerMessage} message */
  function onMessage(message) {
    if (session !== context.welcome) {
      session = context.welcome;
      attention.setModel(session.model);
      if (learn) endLearning();
      reportPanel.finish();
      if (visible) ask();
    }
    switch (message.type) {
      case "game": return onGame(message);
      case "position": return onPosition(message);
      case "report": return onReport(message);
      case "learn": return onLearn(message);
      case "progress": return reportPanel.setProgress(message.done, message.total);
      case "preview": return preview.onMessage(message);
      case "attention": return message.node === current ? attention.onMessage(message) : undefined;
      case "lines":
        if (message.node !== current || !settings.on || learn) return;
        lines = message;
        engine.set(message, node()?.ply ?? 0, model);
        drawBar();
        return drawShapes();
      case "threat":
        if (message.node === current) threat = message;
        return drawShapes();
      case "model":
        if (message.node !== current) return;
        model = message;
        people.set(message);
        engine.setModel(message);
        return drawShapes();
      case "notice":
        // A refused move: the board shows the position again.
        if (message.about === "go_to") wanted = null;
        if (message.about === "move" || message.about === "learn_try") drawBoard();
        if (message.about === "analyse_game") reportPanel.finish();
    }
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: previous, k: previous, ArrowRight: next, j: next, ArrowUp: first, Home: first, 0: first, ArrowDown: last, End: last, $: last,
    " ": playBest, f: flip, l: () => configure({ on: !settings.on }), a: () => configure({ arrows: !settings.arrows }),
    x: () => configure({ threat: !settings.threat, on: settings.on || !settings.threat }), c: () => edit(current),
  };
  /** Keys that walk through the game or show what is to be found; learning goes without them. */
  const allowedWhileLearning = new Set(["f"]);

  attention.setModel(context.welcome.model);
  engine.refresh();
  return {
    element,
    show() {
      visible = true;
      tabs.layout();
      attention.setActive(isOpen("attention"));
      ask();
      if (current >= 0) tree.setCurrent(current);
    },
    hide() {
      visible = false;
      preview.hide();
      attention.setActive(false);
      ask();
    },
    onMessage,
    onKey(event) {
      if (learn && !allowedWhileLearning.has(event.key)) return false;
      if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
        const from = node();
        if (from) go(game?.branch(from, event.key === "ArrowRight" ? 1 : -1));
        return true;
      }
      const action = keys[event.key];
      action?.();
      return action !== undefined;
    },
    keys: [
      ["↑ ↓", "First and last position"], ["Shift + ← →", "Previous and next variation"],
      ["Space", "Play the engine’s best move"], ["l", "Engine on or off"], ["a", "Arrows for the best moves"], ["x", "Show the threat"],
      ["c", "Comment on the move"],
    ],
  };
}
