/** Win/draw/loss as a bar in three tones, from White's point of view: lying in lists, standing beside the board. */
import { el, setAttribute } from "../ui.js";
import { setText } from "./dom.js";
import { scoreText, scoreWords, wdlWords } from "./format.js";

/** @import { CreateEvaluationBar, CreateWdlBar, Wdl } from "./types" */

/** A bar without text; what it shows is its name.
 * @type {CreateWdlBar} */
export function createWdlBar() {
  const parts = ["white", "draw", "black"].map((name) => el("span", { class: `an-wdl-${name}` }));
  const element = el("div", { class: "an-wdl", role: "img" }, ...parts);
  let shown = "";
  /** @param {Wdl | null} wdl */
  function set(wdl) {
    if (shown === String(wdl)) return;
    shown = String(wdl);
    element.classList.toggle("an-empty", !wdl);
    parts.forEach((part, index) => { part.style.flexGrow = String(wdl ? wdl[index] : 1); });
    element.title = wdl ? wdlWords(wdl) : "No evaluation";
    setAttribute(element, "aria-label", element.title);
  }
  set(null);
  return { element, parts, set };
}

/** The evaluation bar beside the board.
 * @type {CreateEvaluationBar} */
export function createEvaluationBar() {
  const { element, parts, set } = createWdlBar();
  const score = el("span", { "aria-hidden": "true" });
  element.classList.add("an-bar");
  element.append(score);
  return {
    element,
    set(wdl, value, orientation, words) {
      set(wdl);
      const flipped = orientation === "black";
      const black = value !== null && ("mate" in value ? value.mate : value.cp) < 0;
      element.classList.toggle("an-flipped", flipped);
      score.className = `an-bar-score an-wdl-${black ? "black" : "white"}${black === flipped ? "" : " an-top"}`;
      score.hidden = !value;
      if (value) setText(score, scoreText(value).replace(/^[+−]/, "").replace(/(\d\.\d)\d$/, "$1"));
      parts.forEach((part, index) => {
        const share = (wdl?.[index] ?? 0) / 10;
        setText(part, share >= 12 && share < 100 ? String(Math.round(share)) : "");
      });
      if (!wdl) return;
      element.title = words ?? wdlWords(wdl);
      setAttribute(element, "aria-label", `${value ? `${scoreWords(value)}. ` : ""}${element.title}`);
    },
  };
}
