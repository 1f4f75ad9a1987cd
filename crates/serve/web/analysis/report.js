/**
 * The analysis of the whole game: started here, with progress, then accuracy, marks, and each mistake with a
 * better line and the line that refutes it.
 */
import { button, el, select, svg } from "../ui.js";
import { COLORS, titleOf } from "../words.js";
import { setText } from "./dom.js";
import { duration, MARKS, markInfo, moveNumber } from "./format.js";
import { markShape } from "./graph.js";
import { createMoveLine } from "./moveline.js";

/** @import { CreateReport, GameTree, LineActions, ReportMessage, TreeNode } from "./types" */

const SECONDS = [0.1, 0.3, 1, 3, 10];
const INTRO = "The engine looks at every position of the main line on this machine, marks the mistakes, and shows what was better and why.";

/** @type {CreateReport} */
export function createReport({ seconds, onStart, onStop, onLearn, onGo, actions }) {
  const time = select({ "aria-label": "Seconds per position", title: "Seconds per position" },
    SECONDS.map((value) => [value, `${value} s each`]), seconds, 0.3);
  const start = button({ text: "Analyse the game", icon: "chart", class: "primary", onclick: () => {
    started = performance.now();
    onStart(Number(time.value));
    setProgress(0, 0);
  } });
  const bar = el("progress", { "aria-label": "Analysis", max: 1, value: 0 });
  const eta = el("span", { class: "an-muted" });
  const controls = el("div", { class: "row" }, start, time);
  const running = el("div", { class: "row", hidden: true }, bar, eta,
    button({ text: "Cancel", onclick: () => { onStop(); finish(); } }));
  const intro = el("p", { class: "an-hint" }, INTRO);
  const summary = el("div", {});
  const learn = el("div", { class: "row an-learners" });
  const list = el("ol", { class: "an-mistakes" });
  const element = el("div", { class: "an-report" }, el("div", { class: "an-slot" }, controls, running), intro, summary, learn, list, help());
  let started = 0;
  let listed = "";

  /** @param {number} done @param {number} total */
  function setProgress(done, total) {
    controls.hidden = true;
    running.hidden = false;
    bar.max = Math.max(1, total);
    bar.value = done;
    const left = done ? (((performance.now() - started) / done) * (total - done)) / 1000 : 0;
    setText(eta, total ? `${done} of ${total} · ${done ? `${duration(left)} left` : "starting"}` : "starting");
  }
  function finish() {
    controls.hidden = false;
    running.hidden = true;
  }

  return {
    element,
    setProgress,
    finish,
    clear() {
      finish();
      intro.hidden = false;
      setText(intro, INTRO);
      listed = "";
      setText(/** @type {Element} */ (start.lastElementChild), "Analyse the game");
      start.classList.add("primary");
      for (const part of [summary, learn, list]) part.replaceChildren();
    },
    set(report, game) {
      intro.hidden = report.complete;
      setText(intro, `Stopped after ${Math.max(0, report.graph.length - 1)} of ${game.mainLine.length - 1} moves.`);
      setText(/** @type {Element} */ (start.lastElementChild), "Analyse again");
      start.classList.remove("primary");
      summary.replaceChildren(table(report, game, onGo));
      const learners = COLORS.filter((color) => report[color].marks.some((count) => count > 0));
      learn.replaceChildren(...learners.map((color) => button({ text: titleOf(color), onclick: () => onLearn(color) })));
      if (learners.length) learn.prepend(el("span", {}, "Learn from mistakes:"));
      const marked = game.mainLine.filter((node) => node.mark);
      const key = marked.map((node) => `${node.id}${node.mark}${node.loss}${node.better?.san.length}${node.refutation?.san.length}`).join();
      if (key === listed) return;
      listed = key;
      list.replaceChildren(...marked.map((node) => mistake(node, onGo, actions)));
    },
    setCurrent(node) {
      for (const item of list.children) item.classList.toggle("an-current", item instanceof HTMLElement && item.dataset["node"] === String(node));
    },
  };
}

/**
 * @param {ReportMessage} report
 * @param {GameTree} game
 * @param {(node: number) => void} onGo
 */
function table(report, game, onGo) {
  const players = [report.white, report.black];
  const names = players.map((player, index) => el("th", { scope: "col" },
    el("span", { class: `an-disc an-wdl-${index ? "black" : "white"}`, "aria-hidden": "true" }), player.name || (index ? "Black" : "White")));
  /** @param {string} name @param {(string | Node)[]} cells @param {Node} [shape] */
  const row = (name, cells, shape) => el("tr", {}, el("th", { scope: "row" }, shape, name), ...cells.map((cell) => el("td", {}, cell)));
  /** @param {number} player @param {string} mark @param {number} count */
  const jump = (player, mark, count) => {
    if (!count) return "0";
    const nodes = game.mainLine.filter((node) => node.mark === mark && node.ply % 2 === (player ? 0 : 1));
    let at = -1;
    return button({ text: String(count), class: "an-count", title: "Go to the next one", onclick: () => {
      at = (at + 1) % Math.max(1, nodes.length);
      const node = nodes[at];
      if (node) onGo(node.id);
    } });
  };
  return el("table", { class: "an-summary" },
    el("thead", {}, el("tr", {}, el("td", {}), ...names)),
    el("tbody", {},
      row("Accuracy", players.map((player) => el("strong", {}, player.moves ? `${player.accuracy.toFixed(1)} %` : "–"))),
      ...MARKS.map((info, index) => row(`${info.mark} ${info.names}`,
        players.map((player, at) => jump(at, info.mark, player.marks[index] ?? 0)), legend(info.mark))),
      row("Points lost per move", players.map((player) => (player.moves ? player.mean_loss.toFixed(3) : "–")))));
}

/** @param {string} mark */
const legend = (mark) => svg("svg", { class: "an-legend", viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, markShape(mark, 7, 7));

/**
 * @param {TreeNode} node
 * @param {(node: number) => void} onGo
 * @param {LineActions} actions
 */
function mistake(node, onGo, actions) {
  const info = markInfo(node.mark);
  const move = el("button", { type: "button", class: "an-move an-plain", onclick: () => onGo(node.id) },
    `${moveNumber(node.ply)} ${node.san}`, el("span", { class: `an-glyph an-mark-${info?.nag}` }, node.mark ?? ""));
  return el("li", { "data-node": node.id },
    el("div", {}, el("span", { class: `an-disc an-wdl-${node.ply % 2 ? "white" : "black"}`, "aria-hidden": "true" }), move,
      el("span", { class: "an-muted" }, `${info?.name}${node.loss == null ? "" : `, ${node.loss.toFixed(2)} points lost`}`)),
    ...explanation(node, actions));
}

/**
 * The better line and the refutation of a marked move, playable.
 * @param {TreeNode} node
 * @param {LineActions} actions
 */
export function explanation(node, actions) {
  /** @param {string} name @param {number | null} from @param {number} ply @param {TreeNode["better"]} line */
  const part = (name, from, ply, line) => {
    if (!line?.san.length || from === null) return null;
    const moves = createMoveLine(actions);
    moves.element.setAttribute("aria-label", name);
    moves.set({ node: from, ply, uci: line.uci.slice(0, 10), san: line.san.slice(0, 10) });
    return el("div", { class: "an-explain" }, el("span", { class: "an-muted" }, name), moves.element);
  };
  return [part("Better", node.parent, node.ply - 1, node.better), part("Refutation", node.id, node.ply, node.refutation)].filter((line) => line !== null);
}

const help = () => el("details", { class: "an-help" }, el("summary", {}, "How moves are judged"),
  el("p", {}, "A move is judged by the expected points it gives away: the expected result before it (1 for a win, ½ for a draw) minus the "
    + "one after it. A suspect is looked at again, 8 and 32 times as long, and the uncertainty of the search is subtracted."),
  el("dl", { class: "an-pairs" }, ...MARKS.flatMap((info) => [el("dt", {}, legend(info.mark), ` ${info.mark} ${info.name}`),
    el("dd", {}, `${info.from.toFixed(2)} points or more are lost`)])),
  el("p", {}, "Lichess marks from 0.05, 0.10 and 0.15, on a flatter curve: from an even score 28, 55 and 113 centipawns "
    + "earn a mark here, and 55, 110 and 170 there."),
  el("p", {}, "Accuracy is 100 % for a player who never gives anything away."));
