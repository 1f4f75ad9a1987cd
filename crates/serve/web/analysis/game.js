/**
 * The tree of a game message, indexed for walking.
 */

/** @import { GameMessage, TreeNode } from "./types" */

export class GameTree {
  /** @param {GameMessage} message */
  constructor(message) {
    this.message = message;
    /** @type {Map<number, TreeNode>} */
    this.nodes = new Map(message.nodes.map((node) => [node.id, node]));
    const root = message.nodes.find((node) => node.parent === null);
    if (!root) throw new Error("a game without a root");
    this.root = root;
    /** The nodes of the main line, the root included. */
    this.mainLine = this.lineFrom(root);
    this.onMainLine = new Set(this.mainLine.map((node) => node.id));
  }

  /** @param {number | null | undefined} id */
  get(id) {
    return id == null ? null : this.nodes.get(id) ?? null;
  }

  /** @param {TreeNode} node */
  parent(node) {
    return this.get(node.parent);
  }

  /** @param {TreeNode} node */
  next(node) {
    return this.get(node.children[0]);
  }

  /**
   * `node` and what follows it by first children.
   * @param {TreeNode} node
   */
  lineFrom(node) {
    const line = [node];
    for (let next = this.next(node); next; next = this.next(next)) line.push(next);
    return line;
  }

  /** The first node of the variation that `node` is in: a node whose parent prefers another, or the root.
   * @param {TreeNode} node */
  lineStart(node) {
    let at = node;
    for (let up = this.parent(at); up && up.children[0] === at.id; up = this.parent(at)) at = up;
    return at;
  }

  /**
   * The next or the previous branch: first the siblings of `node`, then the next fork along its line.
   * @param {TreeNode} node
   * @param {1 | -1} step
   * @returns {TreeNode | null}
   */
  branch(node, step) {
    const siblings = this.parent(node)?.children ?? [];
    const sibling = this.get(siblings[siblings.indexOf(node.id) + step]);
    if (sibling && siblings.length > 1) return sibling;
    const walk = (/** @type {TreeNode} */ at) => (step > 0 ? this.next(at) : this.parent(at));
    for (let at = walk(node); at; at = walk(at)) {
      if ((this.parent(at)?.children.length ?? 0) > 1) return at;
    }
    return null;
  }

  /** @param {string} name */
  tag(name) {
    const value = this.message.tags.find((tag) => tag[0] === name)?.[1] ?? "";
    return value === "?" || value === "????.??.??" ? "" : value;
  }
}
