/**
 * The tabs of the panels (WAI-ARIA tabs: one tab stop, arrow keys). Where the window is wide the first panel, the
 * moves, stands beside the others and has no tab.
 */
import { chooseByArrow, el, setAttribute, uniqueId } from "../ui.js";

/** @import { CreateTabs } from "./types" */

/** Also in analysis.css. */
const WIDE = "(min-width: 1500px)";

/** @type {CreateTabs} */
export function createTabs(parts, onChange) {
  const wide = matchMedia(WIDE);
  let current = parts[0]?.id ?? "";
  const buttons = parts.map(({ id, name, panel }) => {
    panel.id ||= uniqueId();
    const button = el("button", { type: "button", class: "an-plain", role: "tab", id: uniqueId(), "aria-controls": panel.id, onclick: () => open(id) }, name);
    panel.classList.add("an-panel", "card");
    setAttribute(panel, "aria-labelledby", button.id);
    return button;
  });
  const list = el("div", { class: "an-tabs", role: "tablist", "aria-label": "Panels", onkeydown: chooseByArrow }, ...buttons);

  /** @param {string} id */
  function open(id) {
    if (wide.matches && id === parts[0]?.id) return;
    current = id;
    layout();
    onChange();
  }

  function layout() {
    if (wide.matches && current === parts[0]?.id) current = parts[1]?.id ?? current;
    parts.forEach(({ id, name, panel }, index) => {
      const beside = wide.matches && index === 0;
      const shown = beside || id === current;
      panel.hidden = !shown;
      panel.classList.toggle("an-beside", beside);
      setAttribute(panel, "role", beside ? "region" : "tabpanel");
      setAttribute(panel, "aria-label", beside ? name : null);
      const button = buttons[index];
      if (!button) return;
      button.hidden = beside;
      setAttribute(button, "aria-selected", String(shown));
      setAttribute(button, "tabindex", shown ? 0 : -1);
    });
  }
  wide.addEventListener("change", () => {
    layout();
    onChange();
  });
  layout();

  return {
    list,
    panels: parts.map(({ panel }) => panel),
    open,
    layout,
    get current() {
      return current;
    },
  };
}
