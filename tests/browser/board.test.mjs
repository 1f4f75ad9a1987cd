// The board: arrows, drawing, flipping, resizing, preferences.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

/** The shapes on the board: "green arrow", "red circle". */
const shapes = (tab) => tab.page.locator("main .board .shape").evaluateAll((list) => list.map((one) =>
  `${[...one.classList].filter((name) => name !== "shape").join(" ")} ${one.tagName === "circle" ? "circle" : "arrow"}`));

test("the right button draws arrows and circles, with keys in other colors, and erases them", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  await tab.drag("e2", "e4", "right");
  await tab.click("d4", "right");
  for (const key of ["Shift", "Alt"]) {
    await tab.page.keyboard.down(key);
    await tab.drag("g1", key === "Shift" ? "f3" : "h3", "right");
    await tab.page.keyboard.up(key);
  }
  assert.deepEqual((await shapes(tab)).sort(), ["blue arrow", "green arrow", "green circle", "red arrow"]);
  // The same again erases it.
  await tab.drag("e2", "e4", "right");
  assert.equal((await shapes(tab)).length, 3);
  // A press on an empty square erases all.
  await tab.click("e5");
  assert.deepEqual(await shapes(tab), []);
  await tab.sees({ e2: "white pawn" });
});

test("arrows of an analysis are kept with the position, and exported in the PGN", async ({ open }) => {
  const tab = await open({ path: "#analysis" });
  await tab.drag("e2", "e4", "right");
  await tab.button("Draw arrows and circles").click();
  await tab.drag("d2", "d4");
  await tab.click("e5");
  await tab.button("Draw arrows and circles").click();
  await tab.move("g1", "f3", "drag");
  await tab.until(() => document.querySelectorAll("main .board .shape.green").length === 0, null, "no arrows in the next position");
  await tab.page.keyboard.press("ArrowLeft");
  await tab.until(() => document.querySelectorAll("main .board .shape.green").length === 3, null, "the arrows again");
  await tab.exports(/%csl Ge5/, /%cal Ge2e4,Gd2d4/);
});

test("the board is resized at its corner and by keys, and the size is kept", async ({ open }) => {
  const tab = await open();
  const width = () => tab.page.locator("main .board").evaluate((board) => board.getBoundingClientRect().width);
  const before = await width();
  const handle = tab.page.getByRole("button", { name: /Size of the board/ });
  const box = await handle.boundingBox();
  assert.ok(box);
  await tab.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await tab.page.mouse.down();
  await tab.page.mouse.move(box.x - 120, box.y - 120, { steps: 4 });
  await tab.page.mouse.up();
  const smaller = await width();
  assert.ok(smaller < before - 60, `${before} → ${smaller}`);
  await tab.page.reload();
  await tab.ready();
  assert.equal(await width(), smaller);
  await handle.focus();
  await tab.page.keyboard.press("ArrowUp");
  assert.ok(await width() > smaller);
});

test("preferences: colors, coordinates; sounds are off by default", async ({ open }) => {
  const tab = await open();
  await tab.button("Preferences").click();
  const dialog = tab.page.locator("dialog");
  assert.equal(await dialog.getByRole("checkbox", { name: "Sounds" }).isChecked(), false);
  await dialog.locator("label", { hasText: "Wood" }).click();
  await dialog.getByRole("checkbox", { name: "Coordinates" }).uncheck();
  await dialog.getByRole("checkbox", { name: "Sounds" }).check();
  await tab.page.keyboard.press("Escape");
  await tab.page.reload();
  await tab.ready();
  assert.equal(await tab.page.evaluate(() => document.documentElement.dataset.board), "wood");
  assert.ok(await tab.page.evaluate(() => document.documentElement.classList.contains("no-coordinates")));
  // With sounds a move is made as without.
  await tab.newGame();
  await tab.status("White to move");
  await tab.move("e2", "e4");
});

test("dark and light follow the system", async ({ open }) => {
  const colors = [];
  for (const colorScheme of ["light", "dark"]) {
    const tab = await open({ colorScheme });
    colors.push(await tab.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
  }
  assert.notEqual(colors[0], colors[1]);
});

test("a drag that is dropped outside or cancelled with the right button puts the piece back", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  const { x, y } = await tab.center("e2");
  await tab.page.mouse.move(x, y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(x, y - 100, { steps: 3 });
  await tab.page.mouse.move(5, 5, { steps: 3 });
  await tab.page.mouse.up();
  await tab.sees({ e2: "white pawn" });
  await tab.page.mouse.move(x, y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(x, y - 100, { steps: 3 });
  await tab.page.mouse.down({ button: "right" });
  await tab.page.mouse.move(x, y - 120);
  await tab.page.mouse.up({ button: "right" });
  await tab.page.mouse.up();
  await tab.sees({ e2: "white pawn", e4: "empty" });
  assert.deepEqual(await tab.moves(), []);
  // And afterwards it moves.
  await tab.move("e2", "e4", "drag");
});
