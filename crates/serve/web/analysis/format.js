/**
 * Numbers and marks as text.
 */

/** @import { Score, Wdl } from "./types" */

/** @typedef {"?!" | "?" | "??"} Mark */

/** The marks of the analysis: name, plural, NAG and the expected points from which they are given. */
export const MARKS = /** @type {const} */ ([
  { mark: "?!", name: "Inaccuracy", names: "Inaccuracies", nag: 6, from: 0.05 },
  { mark: "?", name: "Mistake", names: "Mistakes", nag: 2, from: 0.1 },
  { mark: "??", name: "Blunder", names: "Blunders", nag: 4, from: 0.2 },
]);

/** @param {Mark | null} mark */
export const markInfo = (mark) => MARKS.find((info) => info.mark === mark) ?? null;

/** NAGs that can be set in the menu: number, symbol, meaning. */
export const NAGS = /** @type {const} */ ([
  [1, "!", "Good move"], [2, "?", "Mistake"], [3, "!!", "Brilliant move"], [4, "??", "Blunder"],
  [5, "!?", "Interesting move"], [6, "?!", "Dubious move"], [7, "□", "Only move"], [146, "N", "Novelty"],
  [10, "=", "Equal"], [13, "∞", "Unclear"], [14, "+=", "White is slightly better"], [15, "=+", "Black is slightly better"],
  [16, "±", "White is better"], [17, "∓", "Black is better"], [18, "+−", "White is winning"], [19, "−+", "Black is winning"],
]);
/** @type {Map<number, string>} */
const SYMBOLS = new Map(NAGS.map(([nag, symbol]) => [nag, symbol]));

/** @param {number} nag */
export const nagText = (nag) => SYMBOLS.get(nag) ?? `$${nag}`;

/**
 * A score from White's view: "+0.35", "−1.20", "#3", "#−2".
 * @param {Score} score
 */
export function scoreText(score) {
  if ("mate" in score) return score.mate === 0 ? "#" : score.mate < 0 ? `#−${-score.mate}` : `#${score.mate}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(2);
  return pawns === "0.00" ? "0.00" : (score.cp < 0 ? "−" : "+") + pawns;
}

/** @param {Score} score */
export function scoreWords(score) {
  if ("mate" in score) {
    const winner = score.mate < 0 ? "Black" : "White";
    return score.mate === 0 ? "Checkmate" : `${winner} mates in ${Math.abs(score.mate)}`;
  }
  if (Math.abs(score.cp) < 0.5) return "Equal";
  return `${score.cp < 0 ? "Black" : "White"} is ahead by ${(Math.abs(score.cp) / 100).toFixed(2)}`;
}

/** @param {number} share from 0 to 1 */
export function percent(share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return `${Math.round(share * 100)} %`;
}

/** @param {Wdl} wdl */
export const wdlWords = (wdl) =>
  `White wins ${percent(wdl[0] / 1000)}, draw ${percent(wdl[1] / 1000)}, Black wins ${percent(wdl[2] / 1000)}`;

/** @param {number} count */
export function compact(count) {
  if (count < 1000) return String(Math.round(count));
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)} k`;
  if (count < 1e9) return `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} M`;
  return `${(count / 1e9).toFixed(1)} G`;
}

/**
 * The number before a move, given the ply after it: "12." or "12…".
 * @param {number} ply
 */
export const moveNumber = (ply) => `${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"}`;

/** @param {number} seconds */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
