/** Preferences of the person, the same in all tabs and kept in the browser. */

const KEY = "tabiya-preferences";

/** @type {import("./types").PreferenceValues} */
const DEFAULTS = {
  boardColors: "slate", sound: false, animation: true, coordinates: true, boardSize: 1,
  engine: true, multipv: 3, arrows: true, seconds: 0.3,
};

/** @returns {import("./types").Preferences} */
export function createPreferences() {
  const values = { ...DEFAULTS };
  /** @type {Set<(values: import("./types").PreferenceValues) => void>} */
  const listeners = new Set();

  function read() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      for (const name of /** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS))) {
        if (typeof stored[name] === typeof DEFAULTS[name]) Object.assign(values, { [name]: stored[name] });
      }
    } catch {
      // Unreadable or forbidden storage: the defaults do.
    }
  }
  const tell = () => listeners.forEach((listener) => listener(values));

  read();
  addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    read();
    tell();
  });
  return {
    values,
    set(name, value) {
      values[name] = value;
      try {
        localStorage.setItem(KEY, JSON.stringify(values));
      } catch {
        // The preference then lasts as long as the page.
      }
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      listener(values);
      return () => listeners.delete(listener);
    },
  };
}
