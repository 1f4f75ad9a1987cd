/**
 * The arrows that the analysis draws on the board: the engine's best moves by rank, people's moves by
 * probability, the threat, and the move to be learned.
 */

/** @import { AutoShape, AutoShapes } from "./types" */

const RANK_WIDTHS = [0.9, 0.6, 0.42, 0.28, 0.18];
const PEOPLE = 5;
/** Expected points, in per mille. */
const FAR_WORSE = 150;

/** @type {AutoShapes} */
export function autoShapes({ position, settings, lines, threat, learn, model }) {
  /** @param {string} uci @returns {{ from: string, to: string }} where the piece ends, also in castling */
  const ends = (uci) => ({ from: uci.slice(0, 2), to: position?.legal.find((move) => move.uci === uci)?.to[0] ?? uci.slice(2, 4) });
  if (learn) {
    const best = position?.legal.find((move) => move.san === learn.best);
    return best && (learn.state === "shown" || learn.state === "right") ? [{ color: "engine", ...ends(best.uci), width: 0.9 }] : [];
  }
  /** @type {AutoShape[]} */
  const shapes = [];
  if (model) {
    for (const { uci, probability } of model.moves.slice(0, PEOPLE)) {
      if (probability >= 0.02) shapes.push({ color: "people", ...ends(uci), width: Math.sqrt(probability), opacity: 0.3 + 0.5 * Math.sqrt(probability) });
    }
  }
  if (settings.on && settings.arrows && lines) {
    const expected = lines.lines.map(({ wdl }) => wdl[0] + wdl[1] / 2);
    lines.lines.forEach(({ uci: [uci] }, rank) => {
      // A move that gives much away is no suggestion; beside people's moves the best one is enough.
      const close = Math.abs((expected[rank] ?? 0) - (expected[0] ?? 0)) < FAR_WORSE;
      if (uci && (rank === 0 || (close && !model))) shapes.push({ color: "engine", ...ends(uci), width: RANK_WIDTHS[rank] ?? 0.1, opacity: 0.75 - 0.1 * rank });
    });
    // The best move lies on top.
    shapes.reverse();
  }
  if (settings.threat && threat) shapes.push({ color: "red", ...ends(threat.uci), width: 0.5, opacity: 0.85, dashed: true });
  return shapes;
}
