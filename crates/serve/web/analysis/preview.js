/**
 * The small board that shows the position after some moves of a line, beside what is pointed at.
 */
import { el } from "../ui.js";

/** @import { Board, CreatePreview, PreviewMessage } from "./types" */

/** @type {CreatePreview} */
export function createPreview(context, orientation) {
  const element = el("div", { class: "an-preview", "aria-hidden": "true", hidden: true });
  /** @type {Board | null} */
  let board = null;
  /** @type {Element | null} */
  let anchor = null;
  let wanted = "";
  /** @type {Map<string, PreviewMessage>} */
  const known = new Map();

  const key = (/** @type {{ node: number, moves: string[] }} */ { node, moves }) => `${node} ${moves.join(" ")}`;

  /** @param {PreviewMessage} message */
  function draw(message) {
    if (!anchor?.isConnected) return;
    if (!board) {
      board = context.createBoard({ interactive: false, label: "The position after the line" });
      element.append(board.element);
    }
    board.flip(orientation());
    board.set({ fen: message.fen, last: message.last, check: message.check });
    element.hidden = false;
    const place = anchor.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    const below = place.bottom + 8;
    const top = below + box.height < innerHeight - 4 ? below : place.top - box.height - 8;
    element.style.left = `${Math.max(4, Math.min(place.left, document.documentElement.clientWidth - box.width - 4))}px`;
    element.style.top = `${Math.max(4, top)}px`;
  }

  return {
    element,
    show(node, moves, from) {
      anchor = from;
      wanted = key({ node, moves });
      const message = known.get(wanted);
      if (message) draw(message);
      else context.send({ type: "preview", node, moves });
    },
    hide() {
      wanted = "";
      anchor = null;
      element.hidden = true;
    },
    onMessage(message) {
      if (known.size > 200) known.clear();
      known.set(key(message), message);
      if (key(message) === wanted) draw(message);
    },
    clear() {
      known.clear();
      this.hide();
    },
  };
}
