/** Colors and results in words. */

/** @import { Color, Result } from "./types" */

/** @type {Color[]} */
export const COLORS = ["white", "black"];

/** @param {Color} color */
export const titleOf = (color) => (color === "white" ? "White" : "Black");

/** @param {Result} result */
export const resultText = (result) => result.replaceAll("1/2", "½").replace("-", "–");

/** @param {{ result: Result }} game */
export const winnerOf = ({ result }) => ({ "1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw", "*": "No result" })[result];
