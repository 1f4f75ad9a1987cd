/**
 * The page's state of its session: the last message of each kind, and from them the state that survives a
 * reload or a new connection. It is kept in sessionStorage, so that every tab has a game of its own.
 */

/** @import { ClientMessage, Saved, ServerMessage, SessionState } from "./types" */

const KEY = "tabiya-session";
const LONGEST_MESSAGE = 48 * 1024;

/**
 * @param {(message: ClientMessage) => void} send
 */
export function createStore(send) {
  /** @type {SessionState} */
  const state = { game: null, report: null, position: null, play: null, paco: null, pgn: null };
  /** @type {number | undefined} */
  let timer;

  /** Moves from the root to the node shown. */
  function path() {
    const nodes = new Map(state.game?.nodes.map((node) => [node.id, node]));
    const moves = [];
    for (let node = nodes.get(state.position?.node ?? -1); node?.uci; node = nodes.get(node.parent ?? -1)) moves.push(node.uci);
    return moves.reverse();
  }

  /** @returns {Saved | null} */
  function current() {
    if (!state.position || state.pgn === null) return null;
    const { game, report, play, paco } = state;
    return {
      pgn: state.pgn,
      path: path(),
      play: play && play.status !== "none" ? {
        white: play.white, black: play.black, clock: play.clock, white_ms: play.white_ms, black_ms: play.black_ms,
        line: play.line, result: play.result, reason: play.reason,
      } : null,
      ...(report && report.document === game?.document && { report: report.saved }),
      paco: paco && {
        start: paco.start, white: paco.white, black: paco.black, actions: paco.turns.flatMap((turn) => turn.actions),
      },
    };
  }

  function save() {
    const saved = current();
    if (!saved) return;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(saved));
    } catch {
      // Too large or forbidden: the game then lasts as long as the page.
    }
  }

  return {
    state,
    /** @param {ServerMessage} message */
    receive(message) {
      if (message.type === "game") {
        state.game = message;
        clearTimeout(timer);
        timer = setTimeout(() => send({ type: "get_pgn" }), 100);
      } else if (message.type === "position") state.position = message;
      else if (message.type === "report") state.report = message;
      else if (message.type === "play") state.play = message;
      else if (message.type === "paco") state.paco = message;
      else if (message.type === "pgn") state.pgn = message.text;
      else return;
      save();
    },
    /**
     * The saved state, if the server can take it as part of a message; a long one is uploaded instead, as text.
     * @returns {{ saved?: Saved, long?: string }}
     */
    saved() {
      try {
        const saved = current() ?? JSON.parse(sessionStorage.getItem(KEY) ?? "null");
        if (!saved) return {};
        const long = JSON.stringify(saved);
        return new Blob([long]).size <= LONGEST_MESSAGE ? { saved } : { long };
      } catch {
        return {};
      }
    },
  };
}
