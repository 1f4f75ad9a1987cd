/**
 * Changing the document by as little as possible, for what is updated many times a second.
 */

/**
 * Makes `children` the children of `parent`, moving and removing as little as possible.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function reconcile(parent, children) {
  let at = parent.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(child, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/**
 * Sets a text where it differs.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
