// A finger: taps, drags, promotion, drawing.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

test("a whole game by touch, by taps and drags", async ({ open }) => {
  const tab = await open(PHONE);
  await tab.button("New game").tap();
  const form = tab.page.locator("dialog form");
  await form.getByRole("radio", { name: "Two people" }).tap();
  await form.getByRole("button", { name: "Start the game" }).tap();
  await tab.status("White to move");
  for (const [ply, move] of "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7".split(" ").entries()) {
    const [from, to] = [move.slice(0, 2), move.slice(2)];
    if (ply % 2) {
      await tab.tap(from);
      await tab.tap(to);
    } else await tab.swipe(from, to);
    await tab.sees({ [from]: "empty" });
  }
  await tab.status("White wins: checkmate");
  assert.deepEqual(await tab.moves(), ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]);
});

test("by touch a promotion is chosen, and the draw mode draws arrows and circles", async ({ open }) => {
  const tab = await open(PHONE);
  await tab.newGame({ fen: "4k3/P7/8/8/8/8/8/4K3 w - - 0 1" });
  await tab.status("White to move");
  await tab.swipe("a7", "a8");
  await tab.page.getByRole("dialog", { name: "Promote to" }).getByRole("button", { name: "rook" }).tap();
  await tab.sees({ a8: "white rook" });
  await tab.button("Draw arrows and circles").tap();
  await tab.swipe("a8", "e8");
  await tab.tap("e1");
  const shapes = tab.page.locator("main .board .shape.green");
  await tab.until(() => document.querySelectorAll("main .board .shape.green").length === 2, null, "an arrow and a circle");
  assert.deepEqual((await shapes.evaluateAll((list) => list.map((one) => one.tagName))).sort(), ["circle", "path"]);
  await tab.button("Draw arrows and circles").tap();
  await tab.tap("e8");
  await tab.tap("d7");
  await tab.sees({ d7: "black king" });
});

test("a phone shows the whole board without scrolling sideways", async ({ open }) => {
  const tab = await open({ ...PHONE, viewport: { width: 360, height: 740 } });
  for (const view of ["play", "analysis", "paco"]) {
    await tab.view(view);
    const { wide, board } = await tab.page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      board: document.querySelector("main .board")?.getBoundingClientRect().toJSON(),
    }));
    assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
    assert.ok(board.left >= 0 && board.right <= 360 && board.width > 280, `${view}: ${JSON.stringify(board)}`);
  }
});
