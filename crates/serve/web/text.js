/** Games and positions that come in and go out as text: pasted, dropped, uploaded, or in the page's address. */

import { confirmDialog, el, inTextField, openDialog } from "./ui.js";
import { resultText } from "./words.js";

/** @import { Context, Upload, ViewName } from "./types" */

const LONGEST_MESSAGE = 48 * 1024;
const LONGEST_UPLOAD = 16 * 1024 * 1024;

// ---- in

/**
 * Opens a FEN or PGN in the analysis view; a long text is uploaded and its games are listed.
 * @param {string} text
 * @param {Context} context
 */
export async function loadText(text, context) {
  if (text.trim() === "") return;
  const { play } = context.state;
  if (play?.status === "playing" && play.line.length > 1
    && !(await confirmDialog("Leave the game?", "A game is being played. Opening another one ends it.", "Open"))) return;
  const size = new Blob([text]).size;
  if (size > LONGEST_UPLOAD) {
    context.notice("The text is longer than 16 MiB.", "error");
  } else if (size > LONGEST_MESSAGE) {
    const answer = await upload(text, context);
    if (answer) openUpload(answer, context);
  } else {
    context.send({ type: "load", text });
    context.navigate("analysis");
  }
}

/**
 * @param {string} text
 * @param {Context} context
 * @param {boolean} [saved] the text is a saved state
 * @returns {Promise<Upload | null>}
 */
export async function upload(text, context, saved) {
  const query = new URLSearchParams(location.search);
  query.set("session", String(context.welcome.session));
  if (saved) query.set("saved", "1");
  try {
    const response = await fetch(`upload?${query}`, { method: "POST", body: text, headers: { "content-type": "text/plain" } });
    if (!response.ok) throw new Error(await response.text() || response.statusText);
    return await response.json();
  } catch (error) {
    context.notice(`The upload failed: ${error instanceof Error ? error.message : error}`, "error");
    return null;
  }
}

/**
 * Opens the game of an upload, or lets the person choose one of several.
 * @param {Upload} answer
 * @param {Context} context
 */
function openUpload(answer, context) {
  /** @param {number} game */
  const open = (game) => {
    context.send({ type: "open", upload: answer.upload, game });
    context.navigate("analysis");
  };
  if (answer.games.length === 1) open(0);
  else if (answer.games.length === 0) context.notice("The text holds no game.", "error");
  else chooseGame(answer.games, open);
}

/**
 * @param {Upload["games"]} games
 * @param {(game: number) => void} open
 */
function chooseGame(games, open) {
  const list = el("ol", { class: "game-list" });
  const count = el("p", { class: "muted game-count", role: "status" });
  const search = el("input", { type: "search", "aria-label": "Search the games", placeholder: "Search", autofocus: true });
  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    const found = games.map((game, index) => ({ game, index }))
      .filter(({ game }) => words.every((word) => game.title.toLowerCase().includes(word)));
    count.textContent = found.length > 200 ? `${found.length} games, the first 200` : `${found.length} games`;
    list.replaceChildren(...found.slice(0, 200).map(({ game, index }) => el("li", {}, el("button", {
      type: "button", class: "button quiet",
      onclick: () => {
        dialog.close();
        open(index);
      },
    }, el("span", { class: "grow" }, game.title), game.problem && el("span", { class: "muted" }, `up to an error: ${game.problem}`),
    el("span", { class: "muted" }, `${resultText(game.result)}, ${Math.ceil(game.plies / 2)} moves`)))));
  };
  search.addEventListener("input", fill);
  fill();
  const dialog = openDialog("Choose a game", [search, count, list], { class: "wide" });
}

/**
 * Listens for text that is pasted or dropped anywhere outside of text fields.
 * @param {(text: string) => void} receive
 * @param {Context["notice"]} notice
 */
export function listenForText(receive, notice) {
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!text || inTextField(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    receive(text);
  });
  document.addEventListener("dragover", (event) => {
    const types = event.dataTransfer?.types ?? [];
    if (types.includes("Files") || types.includes("text/plain")) event.preventDefault();
  });
  document.addEventListener("drop", async (event) => {
    if (inTextField(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData("text/plain");
    if (file && file.size > LONGEST_UPLOAD) notice("The file is larger than 16 MiB.", "error");
    else if (file) receive(await file.text());
    else if (text) receive(text);
  });
}

// ---- addresses

/**
 * The content of the page's address, if any: a position, a game, or a Paco Ŝako game.
 * @returns {Promise<{ view: ViewName, open(context: Context): void }> | null}
 */
export function addressToLoad() {
  /** @type {(text: string) => { view: "analysis", open(context: Context): void }} */
  const chess = (text) => ({ view: "analysis", open: (context) => context.send({ type: "load", text }) });
  const match = /^#(fen|pgn|paco)=(.+)$/.exec(location.hash);
  if (!match) return null;
  const [, kind, value = ""] = match;
  if (kind === "pgn") return inflate(value).then(chess);
  return Promise.resolve().then(() => {
    const text = decodeURIComponent(value).replaceAll("_", " ");
    if (kind === "fen") return chess(text);
    const person = /** @type {const} */ ({ kind: "person" });
    return { view: "paco", open: (context) => context.send({ type: "paco_load", text, white: person, black: person }) };
  });
}

/** The address of a position. @param {string} fen */
export function positionAddress(fen) {
  return addressWith(`fen=${encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/")}`);
}

/** The address of a game. @param {string} pgn */
export async function gameAddress(pgn) {
  const stream = new Blob([pgn]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return addressWith(`pgn=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`);
}

/** @param {string} text base64url of a raw deflate stream */
async function inflate(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let result = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return result + decoder.decode();
    result += decoder.decode(value, { stream: true });
    // A short address must not unfold into gigabytes.
    if (result.length > LONGEST_MESSAGE) throw new Error("the game is too long");
  }
}

/**
 * The page's address with a fragment, without the query string, which may hold a token.
 * @param {string} fragment
 */
export function addressWith(fragment) {
  return `${location.origin}${location.pathname}#${fragment}`;
}
