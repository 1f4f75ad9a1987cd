/** The clocks: the server sends the times with each message, the page counts down between them. */

import { el } from "../ui.js";
import { COLORS } from "../words.js";

/** @import { PlayMessage } from "../types" */

export function createClocks() {
  const faces = { white: face("White"), black: face("Black") };
  /** @type {PlayMessage | null} */
  let play = null;
  let received = 0;
  /** @type {number | undefined} */
  let timer;

  function draw() {
    for (const color of COLORS) {
      const element = faces[color];
      element.hidden = !play?.clock;
      if (!play) continue;
      const running = play.running === color;
      const passed = running ? performance.now() - received : 0;
      const left = Math.max(0, (color === "white" ? play.white_ms : play.black_ms) - passed);
      const text = format(left);
      const value = /** @type {HTMLElement} */ (element.lastElementChild);
      if (value.textContent !== text) value.textContent = text;
      element.classList.toggle("running", running);
      element.classList.toggle("low", left < 20_000);
    }
  }

  return {
    faces,
    /** @param {PlayMessage} message */
    update(message) {
      play = message;
      received = performance.now();
      clearInterval(timer);
      if (message.clock && message.running) timer = setInterval(draw, 100);
      draw();
    },
  };
}

/** @param {string} name */
function face(name) {
  return el("div", { class: "clock", role: "timer", hidden: true },
    el("span", { class: "visually-hidden" }, `${name}'s clock: `), el("span", {}, "0:00"));
}

/**
 * "1:05:09", "5:09", and with tenths below ten seconds "0:09.4".
 * @param {number} milliseconds
 */
export function format(milliseconds) {
  const tenths = Math.ceil(milliseconds / 100);
  if (tenths < 100) return `0:0${(tenths / 10).toFixed(1)}`;
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
