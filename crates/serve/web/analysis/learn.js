/**
 * "Learn from your mistakes": the position before each mistake, and a better move to be found on the board.
 */
import { button, el } from "../ui.js";
import { titleOf } from "../words.js";

/** @import { CreateLearn, LearnMessage } from "./types" */

/** @type {CreateLearn} */
export function createLearn(send) {
  const title = el("h2", {});
  const dots = el("div", { class: "an-learn-dots", "aria-hidden": "true" });
  const text = el("p", { class: "an-learn-text" });
  const why = el("div", { class: "an-learn-why" });
  const actions = el("div", { class: "row" });
  const element = el("section", { class: "an-learn card", "aria-label": "Learn from your mistakes", hidden: true },
    el("div", { class: "an-learn-head" }, title, button({ icon: "close", label: "Leave", class: "quiet", onclick: () => send({ type: "learn_end" }) })),
    dots, text, why, actions);
  const show = () => button({ text: "Show the move", onclick: () => send({ type: "learn_show" }) });
  /** @param {boolean} last @param {string} [name] */
  const next = (last, name) => button({ text: last ? "Finish" : name ?? "Next", class: name ? "" : "primary", onclick: () => send({ type: "learn_next" }) });

  return {
    element,
    set(learn, explanation) {
      const player = titleOf(learn.color);
      const last = learn.index + 1 >= learn.total;
      title.textContent = `${player}’s mistakes${learn.state === "done" ? "" : `: ${learn.index + 1} of ${learn.total}`}`;
      dots.replaceChildren(...Array.from({ length: Math.min(learn.total, 40) }, (_, index) =>
        el("span", { class: index < learn.index ? "an-past" : index === learn.index ? "an-now" : "" })));
      /** @type {Record<LearnMessage["state"], [string, HTMLElement[]]>} */
      const states = {
        find: [`${player} played ${learn.played}. Find a better move on the board.`, [show(), next(last, "Skip")]],
        thinking: [`Looking at ${learn.tried} …`, [show(), next(last, "Skip")]],
        right: [`✓ ${learn.tried ?? learn.best} is right.${learn.best && learn.best !== learn.tried ? ` The engine would play ${learn.best}.` : ""}`, [next(last)]],
        wrong: [`✗ ${learn.tried} is not better. Try again.`, [show(), next(last, "Skip")]],
        shown: [`The move was ${learn.best}.`, [next(last)]],
        done: [learn.total ? `You found ${learn.right} of ${learn.total}.` : `There is nothing to learn from here: no mistakes of ${player}.`,
          [...(learn.total ? [button({ text: "Again", onclick: () => send({ type: "learn", color: learn.color }) })] : []),
            button({ text: "Back to the analysis", class: "primary", onclick: () => send({ type: "learn_end" }) })]],
      };
      const [words, buttons] = states[learn.state];
      const had = actions.contains(document.activeElement);
      text.textContent = words;
      element.dataset["state"] = learn.state;
      why.replaceChildren(...(learn.state === "right" || learn.state === "shown" ? explanation : []));
      actions.replaceChildren(...buttons);
      if (had) buttons[0]?.focus();
      return words;
    },
  };
}
