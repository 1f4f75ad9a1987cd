/** Small helpers for building the page: elements, buttons, dialogs. Text from outside always becomes text nodes. */

/**
 * @typedef {string | number | Node | null | undefined | false} Child
 */

/**
 * Creates an element. Properties that start with "on" are listeners, others are attributes;
 * true sets an empty attribute, false, null and undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  append(element, children.flat());
  return element;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * A select of values with their names. If the `chosen` value is not among them, it is `otherwise`.
 * @param {Record<string, any>} properties
 * @param {[string | number, string][]} options
 * @param {string | number | undefined} chosen
 * @param {string | number} otherwise
 */
export function select(properties, options, chosen, otherwise) {
  const element = el("select", properties, ...options.map(([value, name]) => el("option", { value }, name)));
  element.value = String(chosen);
  if (element.selectedIndex < 0) element.value = String(otherwise);
  return element;
}

/**
 * Icons of 24 by 24 as path data, drawn with a stroke.
 * @type {Record<string, string>}
 */
const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  previous: "M16 5l-9 7 9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  flip: "M7 20V5M3 9l4-4 4 4M17 4v15M13 15l4 4 4-4",
  draw: "M4 20l4-1L19 8l-3-3L5 16zM14 7l3 3",
  close: "M6 6l12 12M18 6L6 18",
  hint: "M9 18h6M10 21h4M8 14a6 6 0 1 1 8 0c-.7.7-1 1.3-1 2H9c0-.7-.3-1.3-1-2z",
  undo: "M9 7l-5 5 5 5M4 12h10a6 6 0 0 1 6 6",
  flag: "M6 21V4h12l-3 4 3 4H6",
  share: "M12 15V4M8 7l4-4 4 4M5 12v8h14v-8",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  more: "M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0z",
  plus: "M12 5v14M5 12h14",
  chart: "M4 20V4M4 20h16M7 15l4-5 3 3 5-7",
  half: "M4 12h16M8 7l-4 5 4 5M16 7l4 5-4 5",
  again: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
};

/**
 * @param {string} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] ?? "" }));
}

/**
 * A button with a text, an icon, or both; an icon alone needs `label` as its name.
 * @param {{ text?: string, icon?: string, label?: string, class?: string, disabled?: boolean, type?: string,
 *           onclick?: (event: MouseEvent) => void, [attribute: string]: any }} options
 * @returns {HTMLButtonElement}
 */
export function button({ text, icon: name, label, onclick, class: extra, ...attributes }) {
  const classes = ["button", !text && "icon-button", extra].filter(Boolean).join(" ");
  const element = el("button", { type: "button", class: classes, "aria-label": label, title: text ? undefined : label, ...attributes });
  if (name) element.append(icon(name));
  if (text) element.append(el("span", {}, text));
  if (onclick) element.addEventListener("click", onclick);
  return element;
}

let ids = 0;
/** An `id` that is unique in the document. */
export function uniqueId() {
  return `id-${++ids}`;
}

/**
 * A modal dialog that removes itself when it closes. The first element with `autofocus` gets the focus;
 * afterwards the focus returns to where it was, as `<dialog>` does.
 * @param {string} title
 * @param {Child[]} content
 * @param {{ class?: string, onclose?: (value: string) => void }} [options]
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, options = {}) {
  const id = uniqueId();
  const dialog = el("dialog", { class: options.class ?? "", "aria-labelledby": id },
    el("header", { class: "dialog-head" },
      el("h2", { id }, title),
      button({ icon: "close", label: "Close", class: "quiet", onclick: () => dialog.close() })),
    ...content);
  dialog.addEventListener("close", () => {
    dialog.remove();
    options.onclose?.(dialog.returnValue);
  });
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog && outside(dialog, event)) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * @param {Element} element
 * @param {PointerEvent} event
 */
function outside(element, event) {
  const box = element.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

/**
 * Asks a question with two answers.
 * @param {string} title
 * @param {string} text
 * @param {string} yes the name of the confirming button
 * @returns {Promise<boolean>}
 */
export function confirmDialog(title, text, yes) {
  return new Promise((resolve) => {
    const dialog = openDialog(title, [
      el("p", {}, text),
      el("form", { method: "dialog", class: "dialog-actions" },
        el("button", { class: "button", value: "no", autofocus: true }, "Cancel"),
        el("button", { class: "button primary", value: "yes" }, yes)),
    ], { class: "small", onclose: (value) => resolve(value === "yes") });
    dialog.returnValue = "no";
  });
}

/**
 * Copies a text, with a notice.
 * @param {string} text
 * @param {(text: string, level?: "info" | "error") => void} notice
 */
export async function copyText(text, notice) {
  try {
    await navigator.clipboard.writeText(text);
    notice("Copied.");
  } catch {
    notice("The browser does not allow copying; select the text instead.", "error");
  }
}

/**
 * Runs a function at most once per frame, however often it is called; hidden pages, which have no frames,
 * wait 40 ms instead. Several messages of the server then make one change of the page.
 * @param {() => void} work
 * @returns {() => void}
 */
export function oncePerFrame(work) {
  let frame = 0;
  /** @type {number | undefined} */
  let timer;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    work();
  };
  return () => {
    if (frame) return;
    frame = requestAnimationFrame(run);
    timer = setTimeout(run, 40);
  };
}

/** True if the event happens in a text field, where keys and pasted text belong to the field. */
export function inTextField(/** @type {Event} */ event) {
  const target = event.target;
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=button])"));
}

/**
 * Arrow keys within a group of buttons of which one is chosen: chooses and focuses the next one.
 * @param {KeyboardEvent} event
 */
export function chooseByArrow(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const buttons = [.../** @type {HTMLElement} */ (event.currentTarget).querySelectorAll("button")].filter((button) => !button.hidden);
  const next = buttons[(buttons.findIndex((button) => button === document.activeElement) + step + buttons.length) % buttons.length];
  next?.click();
  next?.focus();
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Shows each new game, identified by `key`, from the side of the person. Without a game, only sets the key.
 * @param {(color: "white" | "black") => void} flip
 */
export function boardFlipper(flip) {
  let flippedFor = "";
  /** @param {string} key @param {{ white: { kind: string }, black: { kind: string } }} [game] */
  return (key, game) => {
    if (game && key !== flippedFor) flip(game.white.kind !== "person" && game.black.kind === "person" ? "black" : "white");
    flippedFor = key;
  };
}

/** @type {Map<HTMLElement, HTMLElement>} what each container shows, also after a rotation of the screen */
const revealed = new Map();
matchMedia("(orientation: portrait)").addEventListener("change", () => revealed.forEach((element, container) => {
  if (element.isConnected) reveal(container, element);
}));

/**
 * Scrolls `container`, a column or a row, and only it, as little as possible to show `element` and a bit around it.
 * @param {HTMLElement} container
 * @param {HTMLElement} element
 */
export function reveal(container, element) {
  revealed.set(container, element);
  const outer = container.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  const [above, aside] = [Math.min(48, outer.height / 4), Math.min(48, outer.width / 4)];
  if (inner.top < outer.top + above) container.scrollTop -= outer.top + above - inner.top;
  else if (inner.bottom > outer.bottom - above) container.scrollTop += inner.bottom - outer.bottom + above;
  if (inner.left < outer.left + aside) container.scrollLeft -= outer.left + aside - inner.left;
  else if (inner.right > outer.right - aside) container.scrollLeft += inner.right - outer.right + aside;
}
