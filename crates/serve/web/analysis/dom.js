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

/**
 * Scrolls `container`, and only it, as little as possible to show `element`.
 * @param {HTMLElement} container
 * @param {HTMLElement} element
 */
export function reveal(container, element) {
  const outer = container.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  const margin = Math.min(48, outer.height / 4);
  if (inner.top < outer.top + margin) container.scrollTop -= outer.top + margin - inner.top;
  else if (inner.bottom > outer.bottom - margin) container.scrollTop += inner.bottom - outer.bottom + margin;
}
