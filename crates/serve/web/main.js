/**
 * The shell: connects to the server, keeps the state, shows one view at a time and gives all of them their
 * context. Views are loaded when they are first shown.
 */

import { createBoard } from "./board/board.js";
import { loadPieces } from "./board/pieces.js";
import { setAnimations } from "./board/animate.js";
import { addResizeHandle } from "./board/resize.js";
import { createPreferences } from "./preferences.js";
import { createSocket } from "./socket.js";
import { createStore } from "./store.js";
import { openHelp, openPreferences, openShare } from "./dialogs.js";
import { addressToLoad, listenForText, loadText, upload } from "./text.js";
import { middleLevel, openNewGame } from "./play/new-game.js";
import { createSounds } from "./sound.js";
import { createNotices } from "./notices.js";
import { button, el, inTextField } from "./ui.js";

/** @import { Context, ServerMessage, View, ViewName, Welcome } from "./types" */

/** @type {Record<ViewName, { title: string, load(): Promise<(context: Context) => View> }>} */
const VIEWS = {
  play: { title: "Play", load: async () => (await import("./play/play.js")).createPlayView },
  analysis: { title: "Analyse", load: async () => (await import("./analysis/analysis.js")).createAnalysisView },
  paco: { title: "Paco Ŝako", load: async () => (await import("./paco/paco.js")).createPacoView },
};

const preferences = createPreferences();
const store = createStore((message) => socket.send(message));
const sounds = createSounds(preferences);
/** @type {Map<ViewName, View>} */
const views = new Map();
/** @type {ViewName} */
let shown = "play";
/** @type {Welcome | null} */
let welcome = null;
/** A saved state that is too long for a message, until the server has it. @type {string | null} */
let pending = null;
/** Messages about the session without it. @type {ServerMessage[]} */
let held = [];
let saved = false;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const announcer = /** @type {HTMLElement} */ (document.getElementById("announcer"));
const connection = /** @type {HTMLElement} */ (document.querySelector(".connection"));

// ---- context

/** @param {string} text */
function announce(text) {
  // Each text is an element of its own, so that texts that come together are all said.
  announcer.append(el("p", {}, text));
  while (announcer.children.length > 5) announcer.firstChild?.remove();
}

const notices = createNotices(announce);
const notice = notices.show;

/** @type {Context} */
const context = {
  send(message) {
    if (!socket.send(message)) notice("Not connected to the server.", "error");
  },
  get welcome() {
    if (!welcome) throw new Error("views are created after the welcome");
    return welcome;
  },
  state: store.state,
  preferences,
  announce,
  notice,
  createBoard(options) {
    const board = createBoard({ announce, ...options });
    if (options.interactive !== false) addResizeHandle(board.element, preferences);
    return board;
  },
  navigate(view) {
    location.hash = view;
  },
  loadText: (text) => loadText(text, context),
  playFromHere() {
    openNewGame(context, (message) => {
      context.send(message);
      context.navigate("play");
    }, true);
  },
  share: () => openShare(context, views.get(shown)),
};

// ---- views

/** @param {ViewName} name */
async function show(name) {
  shown = name;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link instanceof HTMLElement && link.dataset.view === name;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = name === "play" ? "Tabiya" : `${VIEWS[name].title} · Tabiya`;
  if (!welcome) return;
  let view = views.get(name);
  if (!view) {
    try {
      const create = await VIEWS[name].load();
      view = views.get(name) ?? create(context);
    } catch (error) {
      console.error(error);
      notice(`The view ${VIEWS[name].title} could not be loaded.`, "error");
      return;
    }
    if (!views.has(name)) {
      views.set(name, view);
      const { game, report, position, play, paco } = store.state;
      for (const message of [game, report, position, play, paco]) if (message) view.onMessage(message);
    }
  }
  if (shown !== name || main.firstElementChild === view.element) return;
  for (const [other, { element, hide }] of views) {
    if (other !== name && element.isConnected) hide();
  }
  main.replaceChildren(view.element);
  scrollTo(0, 0);
  view.show();
  if (name === "play") startFirstGame();
}

function followAddress() {
  const name = location.hash.slice(1);
  const toLoad = addressToLoad();
  if (!toLoad) {
    void show(name in VIEWS ? /** @type {ViewName} */ (name) : "play");
    return;
  }
  fromAddress = toLoad.then(({ view, open }) => {
    history.replaceState(null, "", `${location.search}#${view}`);
    shown = view;
    return open;
  }).catch(() => {
    notice("The address holds no game that can be read.", "error");
    return null;
  });
  if (welcome) void openFromAddress();
}

/** Called with the next answer of the server. @type {(message: unknown) => void} */
let answered = () => {};
/** What the address contains, until it is opened. @type {Promise<((context: Context) => void) | null> | null} */
let fromAddress = null;

async function openFromAddress() {
  const open = await fromAddress;
  fromAddress = null;
  if (open) {
    // A view that finds no game starts one: it is shown after the answer.
    const answer = new Promise((resolve) => (answered = resolve));
    open(context);
    await answer;
  }
  void show(shown);
}

// ---- server

/** @param {ServerMessage} message */
function receive(message) {
  if (message.type === "welcome") {
    welcome = message;
    if (pending === null) followWelcome();
    else void restore(pending);
    return;
  }
  if (pending !== null) {
    held.push(message);
    return;
  }
  const before = store.state.position?.node;
  sounds.onMessage(message, store.state);
  store.receive(message);
  if (message.type === "notice") notice(message.text, message.level, message.about);
  if (message.type === "position" && message.node !== before) {
    notices.moved();
    announce(message.spoken);
  } else if (message.type === "paco") notices.moved();
  for (const view of views.values()) view.onMessage(message);
  if (message.type === "notice" || message.type === (shown === "paco" ? "paco" : "game")) answered(message);
}

/** The session is there: opens what waits for it. */
function followWelcome() {
  void (fromAddress ? openFromAddress() : show(shown));
}

/** Gives the new session the saved state by an upload; the second welcome follows. @param {string} text */
async function restore(text) {
  const session = welcome;
  const answer = await upload(text, context, true);
  if (session !== welcome) return;
  const missed = held;
  [pending, held] = [null, []];
  if (answer && socket.send({ type: "hello", protocol: 1, upload: answer.upload })) return;
  saved = false;
  followWelcome();
  missed.forEach(receive);
}

/** Where nothing has happened yet, a game is started when it is looked for, so that a person can move at once. */
function startFirstGame() {
  const { game, play } = store.state;
  const isKept = saved && !game; // its messages are on their way
  if (isKept || (play && play.status !== "none") || (game && (game.nodes.length > 1 || game.document > 1))) return;
  const level = middleLevel(context.welcome.levels);
  context.send({ type: "new_game", variant: "chess", white: { kind: "person" }, black: { kind: "engine", level }, clock: null });
}

const socket = createSocket({
  hello() {
    const kept = store.saved();
    [pending, held] = [kept.long ?? null, []];
    saved = pending !== null || kept.saved !== undefined;
    return { type: "hello", protocol: 1, ...(kept.saved && { saved: kept.saved }) };
  },
  onMessage: receive,
  onState(connected) {
    connection.hidden = connected;
  },
});

// ---- keys and tools

document.addEventListener("keydown", (event) => {
  if (inTextField(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onControl = event.target instanceof Element && event.target.closest("button, a, summary, input");
  if (onControl && (event.key === " " || event.key === "Enter")) return;
  const view = views.get(shown);
  if (view?.onKey(event)) event.preventDefault();
  else if (event.key === "?") openHelp(view);
  else if (event.key === "Escape") notices.dismiss();
});

document.querySelector(".page-tools")?.append(
  button({ icon: "share", label: "Share", class: "quiet", onclick: () => context.share() }),
  button({ icon: "settings", label: "Preferences", class: "quiet", onclick: () => openPreferences(preferences) }),
  button({ icon: "help", label: "Keys and help", class: "quiet", onclick: () => openHelp(views.get(shown)) }));

preferences.subscribe((values) => {
  document.documentElement.dataset.board = values.boardColors;
  document.documentElement.classList.toggle("no-coordinates", !values.coordinates);
  document.documentElement.style.setProperty("--board-size", String(values.boardSize));
  setAnimations(values.animation);
});
listenForText((text) => {
  if (!views.get(shown)?.onText?.(text)) loadText(text, context);
}, notice);
document.querySelector(".skip-link")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", followAddress);
followAddress();
loadPieces().catch(() => notice("The pieces could not be loaded.", "error"));
