// The keyboard alone: a whole game without a pointer, the keys of the help, the board as an ARIA grid.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

/** Presses Tab until the focused element matches. */
async function tabTo(tab, selector, most = 60) {
  for (let i = 0; i < most; i++) {
    await tab.page.keyboard.press("Tab");
    if (await tab.page.evaluate((query) => document.activeElement?.matches(query), selector)) return;
  }
  assert.fail(`Tab never reaches ${selector}`);
}

test("a whole game by keyboard alone, from the dialog to the rematch", async ({ open }) => {
  const tab = await open();
  const { keyboard } = tab.page;
  await keyboard.press("n");
  await tab.page.locator("dialog").waitFor();
  // The focus is on the chosen opponent; "Two people" is the last of the three.
  await tab.until(() => document.activeElement?.matches("input[name=opponent]"), null, "the focus on the opponent");
  await keyboard.press("ArrowLeft");
  assert.equal(await tab.page.evaluate(() => /** @type {any} */ (document.activeElement).value), "person");
  await keyboard.press("Enter");
  await tab.status("White to move");
  await tabTo(tab, ".board-grid [data-square]");
  const moves = [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]];
  for (const [from, to] of moves) {
    await tab.pressSquare(from);
    await tab.until(([square]) => document.querySelector(`main .board-grid [data-square=${square}]`)?.getAttribute("aria-selected") === "true", [from], `${from} to be selected`);
    await tab.pressSquare(to);
    await tab.sees({ [from]: "empty" });
  }
  await tab.status("Black wins: checkmate");
  assert.match(await tab.said(), /Black queen to h4, checkmate/i);
  await tabTo(tab, "button");
  await keyboard.press("n");
  await tab.page.locator("dialog").waitFor();
  await keyboard.press("Escape");
  await tab.page.locator("dialog").waitFor({ state: "detached" });
});

test("the board is a grid with one tab stop, named squares and spoken choices", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  const grid = tab.page.getByRole("grid", { name: "Board of the game" });
  assert.equal(await grid.getByRole("row").count(), 8);
  assert.equal(await grid.getByRole("gridcell").count(), 64);
  assert.equal(await tab.page.locator("main .board-grid [tabindex='0']").count(), 1);
  assert.equal(await tab.label("g1"), "g1, white knight");
  assert.equal(await tab.label("e4"), "e4, empty");
  await tab.page.locator("main .board-grid [tabindex='0']").focus();
  await tab.pressSquare("g1");
  await tab.reads("#announcer", /white knight on g1 picked up; moves to [fh]3, [fh]3/);
  await tab.sees({ f3: "empty, legal move" });
  await tab.page.keyboard.press("Escape");
  await tab.sees({ f3: "empty" });
  await tab.pressSquare("g1");
  await tab.pressSquare("h3");
  await tab.reads("#announcer", /White knight to h3/);
  // Home and End go to the ends of a rank, Page Up and Page Down of a file.
  for (const [key, square] of [["Home", "a3"], ["End", "h3"], ["PageUp", "h8"], ["PageDown", "h1"], ["ArrowRight", "h1"]]) {
    await tab.page.keyboard.press(key);
    assert.equal(await tab.page.evaluate(() => document.activeElement?.getAttribute("data-square")), square);
  }
  assert.equal(await tab.page.locator("main .board-grid [tabindex='0']").count(), 1);
});

test("the keys of Lichess walk through a game, flip the board and open the help", async ({ open }) => {
  const tab = await open({ path: "" });
  await tab.paste("1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bb5 a6 *");
  await tab.page.locator("main .an-tree").waitFor();
  await tab.reads("main .an-tree", "Bb5");
  const { keyboard } = tab.page;
  const shows = async (key, squares) => {
    await keyboard.press(key);
    await tab.sees(squares);
  };
  await shows("ArrowUp", { e2: "white pawn", e7: "black pawn" });
  await shows("ArrowRight", { e4: "white pawn" });
  await shows("j", { e5: "black pawn" });
  await shows("k", { e7: "black pawn" });
  await shows("ArrowRight", { e5: "black pawn" });
  await shows("Shift+ArrowRight", { c5: "black pawn", e7: "black pawn" });
  await shows("Shift+ArrowLeft", { e5: "black pawn", c7: "black pawn" });
  await shows("End", { b5: "white bishop", a6: "black pawn" });
  await shows("Home", { e2: "white pawn", a7: "black pawn" });
  await shows("$", { b5: "white bishop" });
  await shows("0", { f1: "white bishop" });
  await keyboard.press("f");
  const [a1, h8] = [await tab.center("a1"), await tab.center("h8")];
  assert.ok(h8.x < a1.x && a1.y < h8.y);
  const pressed = (name) => tab.page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");
  const arrows = await pressed("Arrows");
  await keyboard.press("a");
  assert.notEqual(await pressed("Arrows"), arrows);
  await keyboard.press("a");
  await keyboard.press("x");
  assert.equal(await pressed("Threat"), "true");
  await keyboard.press("x");
  const engine = tab.page.getByRole("switch", { name: "Engine" });
  if (await engine.getAttribute("aria-checked") === "false") await keyboard.press("l");
  assert.equal(await engine.getAttribute("aria-checked"), "true");
  await tab.reads("main .an-stats", /depth \d+/);
  await keyboard.press(" ");
  await tab.until(() => document.querySelector("main .an-tree [aria-current]"), null, "the best move to be played");
  await keyboard.press("l");
  assert.equal(await engine.getAttribute("aria-checked"), "false");
  await keyboard.press("?");
  await tab.reads("dialog", /Flip the board[^]*Play the engine’s best move/);
});
