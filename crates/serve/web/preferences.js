/** Preferences of the person, the same in all tabs and kept in the browser. */

/** @import { PreferenceValues, Preferences } from "./types" */

const KEY = "tabiya-preferences";

/** @type {PreferenceValues} */
const DEFAULTS = {
  boardColors: "slate", sound: false, animation: true, coordinates: true, boardSize: 1,
  engine: true, multipv: 3, arrows: true, seconds: 0.3, rating: 0,
};

/**
 * What is kept in the browser under a key; empty if there is nothing, or the storage is unreadable or forbidden.
 * @param {string} key
 * @returns {Record<string, any>}
 */
export function readStored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * Keeps a value in the browser; where that is forbidden, it lasts as long as the page.
 * @param {string} key
 * @param {object} value
 */
export function writeStored(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The defaults do.
  }
}

/** @returns {Preferences} */
export function createPreferences() {
  const values = { ...DEFAULTS };
  /** @type {Set<(values: PreferenceValues) => void>} */
  const listeners = new Set();

  function read() {
    const stored = readStored(KEY);
    for (const name of /** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS))) {
      if (typeof stored[name] === typeof DEFAULTS[name]) Object.assign(values, { [name]: stored[name] });
    }
  }
  const notify = () => listeners.forEach((listener) => listener(values));

  read();
  addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    read();
    notify();
  });
  return {
    values,
    set(name, value) {
      values[name] = value;
      writeStored(KEY, values);
      notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      listener(values);
      return () => listeners.delete(listener);
    },
  };
}
