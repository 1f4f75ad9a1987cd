/**
 * What people would play: the odds of the human-like model beside the engine's judgement. Where the two differ it
 * gets interesting: good moves that are hard to find, and traps.
 */
import { el, select } from "../ui.js";
import { createWdlBar } from "./bar.js";
import { setText } from "./dom.js";
import { percent } from "./format.js";

/** @import { CreatePeople, ModelMessage } from "./types" */

const ROWS = 8;
/** Where people and the engine differ. */
export const KINDS = {
  hard: { icon: "◆", word: "hard to find", text: "nearly the best move, but few people would play it" },
  trap: { icon: "▲", word: "trap", text: "many people would play it, and it is bad" },
};

/** @type {CreatePeople} */
export function createPeople({ ratings, rating, onRating, actions }) {
  const rows = Array.from({ length: ROWS }, () => createRow());
  const wdl = createWdlBar();
  const result = el("span", { class: "an-muted" });
  const list = el("ol", { class: "an-odds" }, ...rows.map((row) => row.element));
  const over = el("p", { class: "an-hint", hidden: true }, "The game is over: there is no move to choose.");
  const people = select({ title: "By a model trained on their games", onchange() {
    list.classList.add("an-stale");
    onRating(Number(people.value));
  } }, [["0", "of any rating"], ...ratings.map((one) => /** @type {[number, string]} */ ([one, `rated ${one}`]))], rating, 0);
  const parts = [
    el("label", { class: "row" }, "What do people", people, "play?"),
    el("div", { class: "an-odds-head an-muted", "aria-hidden": "true" }, ...["Move", "Odds", "", "Lost"].map((name) => el("span", {}, name))),
    list,
    el("div", { class: "an-odds-result" }, el("span", {}, "How people’s games end"), wdl.element, result),
    el("dl", { class: "an-pairs" }, ...Object.entries(KINDS).flatMap(([kind, { icon, word, text }]) => [
      el("dt", { class: `an-kind an-kind-${kind}` }, el("span", { "aria-hidden": "true" }, icon), ` ${word}`), el("dd", {}, text)]))];
  const element = el("div", {}, over, ...parts);
  /** @type {ModelMessage | null} */
  let model = null;

  /** @param {Event} event */
  function moveAt(event) {
    const index = rows.findIndex((row) => row.element.contains(/** @type {Node} */ (event.target)));
    return model?.moves[index] ?? null;
  }
  /** @param {Event} event */
  function look(event) {
    const move = moveAt(event);
    if (model && move && event.target instanceof Element) actions.preview(model.node, [move.uci], event.target.closest("li") ?? list);
  }
  list.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") look(event); });
  list.addEventListener("focusin", (event) => { if (event.target instanceof Element && event.target.matches(":focus-visible")) look(event); });
  list.addEventListener("pointerleave", actions.endPreview);
  list.addEventListener("focusout", actions.endPreview);
  list.addEventListener("click", (event) => {
    const move = moveAt(event);
    if (model && move) actions.play(model.node, [move.uci]);
  });

  return {
    element,
    rating: () => Number(people.value) || null,
    moved(isOver) {
      model = null;
      list.classList.add("an-stale");
      over.hidden = !isOver;
      for (const part of parts) part.hidden = isOver;
    },
    set(message) {
      model = message;
      list.classList.remove("an-stale");
      const most = Math.max(0.4, ...message.moves.map((move) => move.probability));
      rows.forEach((row, index) => row.set(message.moves[index] ?? null, most));
      wdl.set(message.wdl);
      setText(result, message.wdl.map((share) => percent(share / 1000).replace(" %", "")).join(" / ") + " %");
    },
  };
}

function createRow() {
  const san = el("span", { class: "an-san" });
  const bar = el("span", { class: "an-odds-bar" }, el("span", {}));
  const odds = el("span", { class: "an-odds-number" });
  const loss = el("span", { class: "an-odds-number an-muted" });
  const [icon, word] = [el("span", { "aria-hidden": "true" }), el("span", { class: "an-kind-word" })];
  const kind = el("span", { class: "an-kind" }, icon, word);
  const button = el("button", { type: "button", class: "an-plain" }, san, bar, odds, loss, kind);
  const element = el("li", {}, button);
  return {
    element,
    /** @param {ModelMessage["moves"][number] | null} move @param {number} most */
    set(move, most) {
      button.hidden = !move;
      if (!move) return;
      const info = move.kind && KINDS[move.kind];
      setText(san, move.san);
      /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${(100 * move.probability) / most}%`;
      setText(odds, percent(move.probability));
      setText(loss, move.loss === null ? "" : move.loss < 0.005 ? "best" : `−${move.loss.toFixed(2)}`);
      loss.title = move.loss === null ? "" : `${move.loss.toFixed(2)} expected points lost, by the engine`;
      kind.className = `an-kind an-kind-${move.kind ?? "none"}`;
      setText(icon, info ? info.icon : "");
      setText(word, info ? ` ${info.word}` : "");
      kind.title = info?.text ?? "";
    },
  };
}
