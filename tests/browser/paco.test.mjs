// Paco Ŝako: unions, chains, promotions, undoing, replay, hints, text in and out, rules.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

/** Starts a game for two people, from a text if there is one. */
async function twoPeople(tab, text) {
  await tab.button("New game").click();
  const form = tab.page.locator("dialog form");
  await form.locator("input[name=opponent][value=person]").check({ force: true });
  if (text) {
    await form.locator("input[name=from][value=text]").check({ force: true });
    await form.locator("textarea").fill(text);
  }
  await form.getByRole("button", { name: "Start the game" }).click();
  await form.waitFor({ state: "detached" });
  await tab.status(/to move/);
}

/** Presses squares one after the other, each after the answer to the one before. */
async function press(tab, ...squares) {
  for (const square of squares) await tab.click(square);
}

test("a game of Paco Ŝako to its end, with a chain by clicks and by drags", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await twoPeople(tab);
  await press(tab, "e2", "e4");
  await tab.status("Black to move");
  await tab.drag("d7", "d5");
  await tab.status("White to move");
  await press(tab, "e4", "d5");
  await tab.sees({ d5: "white pawn with black pawn", e4: "empty" });
  // The queen takes the place of the pawn, which goes on: a chain.
  await tab.drag("d8", "d5");
  await tab.sees({ d5: "white pawn with black queen, black pawn in hand", d4: "empty, legal move" });
  await tab.status("Place the black pawn");
  await press(tab, "d4");
  await tab.status("White to move");
  await tab.sees({ d5: "white pawn with black queen", d4: "black pawn" });
  await tab.drag("f1", "b5");
  await tab.status("Black to move");
  await tab.button("Show Ŝako").click();
  await tab.reads("main .play-detail", "Ŝako: White can unite with the enemy king in one turn.");
  await tab.sees({ e8: "black king, sako" });
  await press(tab, "a7", "a6");
  await tab.status("White to move");
  await tab.button("Find Paco in 1 turn").click();
  await tab.reads("main .paco-hint", /b5/);
  await tab.page.locator("main .board .shape.blue").waitFor({ state: "attached" });
  await tab.drag("b5", "e8");
  await tab.status("White wins");
  await tab.sees({ e8: "white bishop with black king" });
  assert.equal(await tab.page.locator("main .paco-list .play-moves button").count(), 7);
  assert.match(await tab.said(), /Paco|wins/);
});

test("a chain with a promotion in it, chosen on the board, and Paco at the end", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await twoPeople(tab, "2s1k3/1P6/8/8/8/8/8/4K3 w 0 - - -");
  await tab.sees({ c8: "white bishop with black knight" });
  await press(tab, "b7", "c8");
  const choice = tab.page.getByRole("dialog", { name: "Promote to" });
  await choice.waitFor();
  // Cancelled, the pawn is in hand again.
  await tab.page.keyboard.press("Escape");
  await tab.status("Place the white pawn");
  await press(tab, "c8");
  await choice.getByRole("button", { name: "queen" }).click();
  await tab.sees({ c8: "white queen with black knight, white bishop in hand" });
  await press(tab, "h3");
  await tab.status("Black to move");
  await press(tab, "e8", "d7");
  await tab.status("White to move");
  await tab.drag("h3", "d7");
  await tab.status("White wins");
  const shared = await tab.shared();
  assert.match(shared.Notation, /^2s1k3\/1P6.*\n1\. b7>Bc8=Q>h3 Ke8>d7 2\. Bh3xd7/);
});

test("an unfinished turn is undone, a piece is put back or exchanged, a turn taken back", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await twoPeople(tab);
  await press(tab, "e2");
  await tab.sees({ e2: "white pawn in hand" });
  // Another piece instead.
  await press(tab, "g1");
  await tab.sees({ e2: "white pawn", g1: "white knight in hand" });
  await press(tab, "g1");
  await tab.sees({ g1: "white knight" });
  await press(tab, "d2");
  await tab.status("Place the white pawn");
  await tab.button("Undo the turn").click();
  await tab.sees({ d2: "white pawn" });
  await press(tab, "d2", "d4");
  await tab.status("Black to move");
  await tab.button("Take back").click();
  await tab.status("White to move");
  await tab.sees({ d2: "white pawn", d4: "empty" });
});

test("a game is replayed by whole turns and by single actions, and played on from there", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await tab.paste("1. e2>e4 d7>d5 2. e4xd5 Qd8>Pd5>d4");
  await tab.reads("main .paco-list .play-moves", /e2>e4/);
  await tab.sees({ d4: "black pawn" });
  const { keyboard } = tab.page;
  await keyboard.press("ArrowUp");
  await tab.sees({ d5: "white pawn with black queen, black pawn in hand", d4: "empty" });
  await keyboard.press("ArrowUp");
  await tab.sees({ d5: "white pawn with black pawn", d8: "black queen in hand" });
  await keyboard.press("ArrowLeft");
  await tab.sees({ d5: "white pawn with black pawn", d8: "black queen" });
  await keyboard.press("Home");
  await tab.sees({ e2: "white pawn", d7: "black pawn" });
  await keyboard.press("ArrowRight");
  await tab.sees({ e4: "white pawn", d7: "black pawn" });
  await keyboard.press("ArrowDown");
  await tab.sees({ d7: "black pawn in hand" });
  await keyboard.press("End");
  await tab.sees({ d4: "black pawn" });
  await keyboard.press("Home");
  await keyboard.press("ArrowRight");
  await tab.sees({ e4: "white pawn", d5: "empty" });
  await tab.button("Play on from here").click();
  await tab.until(() => document.querySelectorAll("main .paco-list .play-moves button").length <= 2, null, "the turns after it to be gone");
});

test("against the computer: it answers, takes back, and a game can be resigned and repeated", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await tab.button("New game").click();
  const form = tab.page.locator("dialog form");
  const levels = await form.locator("select[name=level] option").allTextContents();
  assert.ok(levels.length >= 4, `${levels}`);
  await form.locator("select[name=level]").selectOption("1");
  await form.getByRole("button", { name: "Start the game" }).click();
  await tab.status("Your turn");
  await press(tab, "e2", "e4");
  await tab.until(() => document.querySelectorAll("main .paco-list .play-moves button").length === 2, null, "the answer");
  await tab.status("Your turn");
  await tab.button("Take back").click();
  await tab.sees({ e2: "white pawn" });
  await tab.button("Find Paco in 1 turn").click();
  await tab.reads("main .paco-hint", /\S/);
  await tab.button("Resign").click();
  await tab.page.locator("dialog").getByRole("button", { name: "Resign" }).click();
  await tab.status("Black wins");
  await tab.button("Rematch").click();
  // Sides change: the computer begins.
  await tab.until(() => document.querySelectorAll("main .paco-list .play-moves button").length === 1, null, "the computer's first turn");
  await tab.status("Your turn");
});

test("FEN, notation and addresses go out and come in again", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await tab.paste("1. e2>e4 d7>d5 2. e4xd5 Qd8>Pd5>d4");
  await tab.sees({ d4: "black pawn", d5: "white pawn with black queen" });
  const shared = await tab.shared();
  assert.match(shared.Notation, /1\. e2>e4 d7>d5 2\. e4xd5 Qd8>Pd5>d4/);
  for (const kind of ["Address of the game", "Address of the position"]) {
    const other = await open({ url: shared[kind] });
    await other.sees({ d4: "black pawn", d5: "white pawn with black queen", d8: "empty" });
  }
  await tab.button("New game").click();
  await tab.page.keyboard.press("Escape");
  await tab.paste("rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -");
  await tab.sees({ d5: "white pawn with black pawn", d4: "empty" });
});

test("by keyboard and in words: lift, place, unions by name", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await twoPeople(tab, "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w 0 AHah d6 -");
  await tab.page.locator("main .board-grid [tabindex='0']").focus();
  await tab.pressSquare("e4");
  await tab.reads("#announcer", /Place the white pawn/);
  await tab.pressSquare("d5");
  await tab.sees({ d5: "white pawn with black pawn" });
  await tab.reads("#announcer", /d5/);
  await tab.status("Black to move");
});

test("by touch: a union is formed by a drag, a chain by taps", async ({ open }) => {
  const tab = await open({ path: "#paco", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await twoPeople(tab, "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w 0 AHah d6 -");
  await tab.swipe("e4", "d5");
  await tab.sees({ d5: "white pawn with black pawn" });
  for (const square of ["d8", "d5", "d4"]) await tab.tap(square);
  await tab.sees({ d5: "white pawn with black queen", d4: "black pawn" });
});

test("the rules are one click away, with boards that move", async ({ open }) => {
  const tab = await open({ path: "#paco", reducedMotion: "no-preference" });
  await tab.button("Rules").click();
  const dialog = tab.page.locator("dialog.rules");
  await dialog.waitFor();
  await tab.reads("dialog .rules-caption", /Step 1 of/);
  // It plays by itself.
  await tab.reads("dialog .rules-caption", /Step 2 of/);
  assert.ok(await dialog.locator(".rules-topics button").count() >= 8);
  await dialog.getByRole("button", { name: "Chain", exact: true }).click();
  await tab.reads("dialog .rules-text", /released/);
  await dialog.getByRole("button", { name: "Next step" }).click();
  await tab.reads("dialog .rules-caption", /Step 2 of/);
  await tab.page.keyboard.press("Escape");
});
