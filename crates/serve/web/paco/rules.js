/** The rules of Paco Ŝako: short texts beside a board that plays each rule. */

import { animationsOn } from "../board/animate.js";
import { button, el, openDialog, setAttribute } from "../ui.js";
import { occupantsOfPaco } from "./fen.js";

/** @import { Context } from "../types" */

/**
 * A topic plays its steps: the actions that lead to a position, and what there is to see in it.
 * @typedef {{ title: string, text: string, steps: { actions: string[], fen: string, caption: string }[] }} Topic
 */

const SECONDS_PER_STEP = 2.6;

/** @type {Promise<{ topics: Topic[] }> | null} */
let loading = null;

/** @param {Context} context */
export async function openRules(context) {
  if (document.querySelector("dialog[open]")) return;
  try {
    loading ??= fetch("paco/rules.json").then((response) => response.json());
    show(context, (await loading).topics);
  } catch {
    loading = null;
    context.notice("The rules could not be loaded.", "error");
  }
}

/**
 * @param {Context} context
 * @param {Topic[]} topics
 */
function show(context, topics) {
  let topic = 0;
  let step = 0;
  let playing = animationsOn();
  /** @type {number | undefined} */
  let timer;
  const steps = () => topics[topic]?.steps ?? [];

  const board = context.createBoard({ interactive: false });
  const title = el("h3", {});
  const text = el("p", {});
  const count = el("span", { class: "count" });
  const caption = el("span", {});
  const play = el("button", { type: "button", class: "button", onclick: () => setPlaying(!playing) });
  const previous = button({ icon: "previous", label: "Previous step", onclick: () => goTo(step - 1) });
  const next = button({ icon: "next", label: "Next step", onclick: () => goTo(step + 1) });
  const nextTopic = button({ text: "Next rule", onclick: () => choose((topic + 1) % topics.length) });
  const tabs = topics.map((each, index) => el("button", { type: "button", onclick: () => choose(index) }, each.title));
  const dialog = openDialog("Rules of Paco Ŝako", [el("div", { class: "rules-body" },
    el("nav", { class: "rules-topics", "aria-label": "Rules" }, ...tabs),
    el("div", { class: "rules-board" }, board.element),
    el("div", { class: "rules-text" }, title, text,
      el("p", { class: "rules-caption", role: "status" }, count, caption),
      el("div", { class: "rules-controls" }, previous, play, next, el("span", { class: "grow" }, nextTopic))))],
  { class: "rules", onclose: () => {
    clearTimeout(timer);
    board.destroy();
  } });

  /** @param {boolean} on */
  function setPlaying(on) {
    playing = on;
    if (on && step >= steps().length - 1) step = -1;
    if (on) advance();
    else draw();
  }

  function advance() {
    step += 1;
    draw();
  }

  /** A step chosen by the person; the board then waits. @param {number} index */
  function goTo(index) {
    playing = false;
    step = index;
    draw();
  }

  /** @param {number} index */
  function choose(index) {
    topic = index;
    step = 0;
    playing = animationsOn();
    draw();
  }

  function draw() {
    clearTimeout(timer);
    const { length } = steps();
    step = Math.min(Math.max(0, step), length - 1);
    const current = steps()[step];
    if (!current) return;
    const done = step === length - 1;
    if (done) playing = false;
    tabs.forEach((tab, index) => setAttribute(tab, "aria-current", index === topic ? "true" : null));
    tabs[topic]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    title.textContent = topics[topic]?.title ?? "";
    text.textContent = topics[topic]?.text ?? "";
    count.textContent = `Step ${step + 1} of ${length}`;
    caption.textContent = current.caption;
    previous.disabled = step === 0;
    next.disabled = done;
    play.textContent = playing ? "Pause" : done ? "Play again" : "Play";
    const squares = current.actions.filter((action) => action.length === 2);
    board.set({ pieces: occupantsOfPaco(current.fen), last: squares });
    if (playing) timer = setTimeout(() => dialog.open && advance(), 1000 * SECONDS_PER_STEP);
  }
  draw();
}
