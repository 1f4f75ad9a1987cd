/**
 * The move tree: the main line in two columns, variations and comments between its rows. Elements are kept by
 * node and reused while what they show stays the same, so that a move in a tree of thousands touches only a few.
 * One move is a tab stop: the current one.
 */
import { el, reveal } from "../ui.js";
import { resultText } from "../words.js";
import { reconcile } from "./dom.js";
import { markInfo, moveNumber, nagText, scoreText, scoreWords } from "./format.js";

/** @import { CreateTree, GameTree, TreeNode } from "./types" */

/** Variations nested deeper than this stand inline, deeper than `DEEPEST` they are left out. */
const DEEPEST_BLOCK = 8;
const DEEPEST = 100;

/** @type {CreateTree} */
export function createTree({ onGo, onMenu, onBest, onComment }) {
  const element = el("div", { class: "an-tree", role: "group", "aria-label": "Moves" });
  /** @type {GameTree | null} */
  let game = null;
  let current = -1;
  /** @type {number | null} */
  let editing = null;
  let document = -1;
  /** Elements by key ("m12" is the move of node 12) with a signature of what they show.
   * @type {Map<string, { signature: string, element: HTMLElement, generation: number }>} */
  const kept = new Map();
  let generation = 0;

  /**
   * @param {string} key
   * @param {string} signature
   * @param {() => HTMLElement} build
   */
  function keep(key, signature, build) {
    let entry = kept.get(key);
    if (!entry || entry.signature !== signature) {
      entry = { signature, element: build(), generation };
      kept.set(key, entry);
    }
    entry.generation = generation;
    return entry.element;
  }

  /** @param {TreeNode} node @param {boolean} [numbered] */
  function move(node, numbered) {
    const nags = node.nags.filter((nag) => nag !== markInfo(node.mark)?.nag);
    const signature = [node.san, node.mark, nags, node.score && scoreText(node.score), numbered].join("|");
    return keep(`m${node.id}`, signature, () => {
      const glyphs = [...(node.mark ? [node.mark] : []), ...nags.map(nagText)].join(" ");
      const info = markInfo(node.mark);
      const button = el("button", { type: "button", class: "an-move an-plain", "data-node": node.id, tabindex: -1, "data-number": numbered && `${moveNumber(node.ply)} ` },
        el("span", { class: "an-san" }, node.san));
      if (glyphs) button.append(el("span", { class: `an-glyph${info ? ` an-mark-${info.nag}` : ""}` }, glyphs));
      if (node.score) {
        const title = scoreWords(node.score);
        button.append(el("span", { class: "an-score", title }, scoreText(node.score)));
      }
      if (info) button.title = `${info.name}${node.loss == null ? "" : `: ${node.loss.toFixed(2)} expected points lost`}`;
      return button;
    });
  }

  /** @param {TreeNode} node */
  const number = (node) =>
    keep(`n${node.id}`, moveNumber(node.ply), () => el("span", { class: "an-number" }, moveNumber(node.ply)));

  /** @param {TreeNode} node */
  function comment(node) {
    if (editing === node.id) return keep(`e${node.id}`, "", () => editor(node));
    if (!node.comment) return null;
    return keep(`c${node.id}`, node.comment, () =>
      el("span", { class: "an-comment", "data-comment": node.id, title: "Double-click to edit" }, node.comment));
  }

  /** @param {TreeNode} node */
  function editor(node) {
    const where = node.san ? `${moveNumber(node.ply)} ${node.san}` : "the start";
    const area = el("textarea", { class: "an-editor", rows: 2, "aria-label": `Comment on ${where}`, maxlength: 4000,
      placeholder: "Comment. Ctrl+Enter saves, Escape cancels." });
    area.value = node.comment;
    let open = true;
    const close = (/** @type {boolean} */ save) => {
      if (!open) return;
      open = false;
      editing = null;
      if (save && area.value.trim() !== node.comment) onComment(node.id, area.value.trim());
      render();
      focusCurrent();
    };
    area.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close(false);
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) close(true);
    });
    area.addEventListener("blur", () => close(true));
    return area;
  }

  /**
   * What stands between a move and the next: its comment and the alternatives to it.
   * @param {TreeNode} node
   * @param {boolean} withSiblings
   * @param {Node[]} out
   * @param {number} depth
   */
  function afterMove(node, withSiblings, out, depth) {
    const tree = /** @type {GameTree} */ (game);
    const note = comment(node);
    if (note) out.push(note);
    if (!withSiblings) return;
    const siblings = tree.parent(node)?.children ?? [];
    for (const id of siblings) {
      const first = tree.get(id);
      if (first && id !== siblings[0]) variation(first, out, depth + 1);
    }
  }

  /**
   * A variation: a block of its own, or in parentheses where it is short or nested deeply.
   * @param {TreeNode} first
   * @param {Node[]} out
   * @param {number} depth
   */
  function variation(first, out, depth) {
    if (depth > DEEPEST) return;
    const inline = depth > DEEPEST_BLOCK || (depth > 1 && isShort(first));
    /** @type {Node[]} */
    const moves = [];
    let numbered = true;
    for (const node of /** @type {GameTree} */ (game).lineFrom(first)) {
      moves.push(move(node, numbered || node.ply % 2 === 1));
      const before = moves.length;
      afterMove(node, node !== first, moves, depth);
      numbered = moves.length > before;
    }
    const container = keep(`${inline ? "p" : "v"}${first.id}`, "", () =>
      el(inline ? "span" : "div", { class: inline ? "an-inline" : "an-variation" }));
    reconcile(container, moves);
    out.push(container);
  }

  /** @param {TreeNode} first */
  const isShort = (first) =>
    /** @type {GameTree} */ (game).lineFrom(first).every((node, at) => at < 6 && node.children.length < 2 && !node.comment);

  function render() {
    if (!game) return;
    generation += 1;
    /** @type {Node[]} */
    const out = [];
    const opening = comment(game.root);
    if (opening) out.push(keep("o", "", () => el("div", { class: "an-between" })));
    if (opening) reconcile(/** @type {Element} */ (out[0]), [opening]);
    let numbered = true;
    for (const node of game.mainLine.slice(1)) {
      if (numbered || node.ply % 2) out.push(number(node));
      const cell = move(node);
      cell.classList.add("an-main", node.ply % 2 ? "an-white" : "an-black");
      out.push(cell);
      /** @type {Node[]} */
      const between = [];
      afterMove(node, true, between, 0);
      numbered = between.length > 0;
      if (numbered) {
        const block = keep(`b${node.id}`, "", () => el("div", { class: "an-between" }));
        reconcile(block, between);
        out.push(block);
      }
    }
    if (game.message.result !== "*") {
      const { result } = game.message;
      out.push(keep("r", result, () => el("div", { class: "an-result" }, resultText(result))));
    }
    if (out.length === 0) {
      out.push(keep("empty", "", () => el("p", { class: "an-hint" },
        "Play a move on the board, or paste a game or a position anywhere.")));
    }
    reconcile(element, out);
    for (const [key, entry] of kept) if (entry.generation !== generation) kept.delete(key);
    highlight();
  }

  /** @param {number} node */
  const moveElement = (node) => kept.get(`m${node}`)?.element ?? null;

  function highlight() {
    for (const old of element.querySelectorAll("[aria-current]")) {
      old.removeAttribute("aria-current");
      old.setAttribute("tabindex", "-1");
    }
    const button = moveElement(current);
    button?.setAttribute("aria-current", "true");
    // At the start the first move is the tab stop.
    (button ?? element.querySelector(".an-move"))?.setAttribute("tabindex", "0");
  }

  function focusCurrent() {
    (moveElement(current) ?? element.querySelector(".an-move"))?.focus({ preventScroll: true });
  }

  /** @param {Event} event @param {string} name */
  function target(event, name) {
    const found = event.target instanceof Element ? event.target.closest(`[data-${name}]`) : null;
    return found instanceof HTMLElement ? Number(found.dataset[name]) : null;
  }

  element.addEventListener("click", (event) => {
    const node = target(event, "node");
    if (node !== null) onGo(node);
  });
  element.addEventListener("contextmenu", (event) => {
    const node = target(event, "node") ?? target(event, "comment");
    if (node === null) return;
    event.preventDefault();
    const box = /** @type {Element} */ (event.target).getBoundingClientRect();
    // The menu key gives no place of its own.
    const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left, box.bottom];
    onMenu(node, x, y);
  });
  // On a move, space plays the best one as everywhere; Enter goes to it.
  element.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    onBest();
  });
  element.addEventListener("dblclick", (event) => {
    const node = target(event, "comment");
    if (node !== null) edit(node);
  });

  /** @param {number} node */
  function edit(node) {
    editing = node;
    render();
    const area = kept.get(`e${node}`)?.element;
    if (!area) return;
    reveal(element, area);
    area.focus({ preventScroll: true });
  }

  return {
    element,
    edit,
    setGame(tree) {
      if (tree.message.document !== document) {
        kept.clear();
        editing = null;
        element.scrollTop = 0;
        document = tree.message.document;
      }
      game = tree;
      render();
    },
    setCurrent(node) {
      const focused = element.contains(window.document.activeElement) && editing === null;
      current = node;
      highlight();
      const button = moveElement(node);
      if (button) reveal(element, button);
      else element.scrollTop = 0;
      if (focused) focusCurrent();
    },
  };
}
