// Games in the Play view: by mouse, against machines, special moves, and how games end.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

/** Morphy against the Duke of Brunswick and Count Isouard, Paris 1858: 33 plies, castling, mate. */
const OPERA = `e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5
  c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8`.trim().split(/\s+/);

test("a whole game by mouse, by clicks and drags, ends in mate", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ opponent: "person" });
  await tab.status("White to move");
  for (const [ply, move] of OPERA.entries()) {
    await tab.move(move.slice(0, 2), move.slice(2, 4), ply % 2 ? "click" : "drag");
  }
  await tab.status(/White wins: checkmate/);
  assert.deepEqual((await tab.moves()).slice(-3), ["Qb8+", "Nxb8", "Rd8#"]);
  assert.match(await tab.said(), /The game is over. White wins: checkmate/);
  await tab.exports(/12\. O-O-O Rd8.*17\. Rd8# 1-0/s);
});

/** The message after which the machine thinks. */
const THINKING = /"type":"play".*"thinking":true/;

test("a game against the engine, with a premove, a takeback, a hint and resignation", async ({ open }) => {
  const tab = await open({ stalls: true });
  await tab.newGame({ opponent: "engine", level: 0 });
  await tab.status("Your move");
  // While the engine thinks, the next move is entered ahead.
  tab.stallAfter(THINKING);
  await tab.move("e2", "e4");
  await tab.drag("g1", "f3");
  await tab.sees({ f3: "empty, premove" });
  tab.resume();
  await tab.until(() => document.querySelectorAll("main .play-moves button").length >= 4, null, "the premove and its answer");
  assert.equal((await tab.moves())[2], "Nf3");
  await tab.status("Your move");
  await tab.button("Take back").click();
  await tab.sees({ g1: "white knight", f3: "empty", e4: "white pawn" });
  assert.equal((await tab.moves()).length, 2);
  await tab.button("Hint").click();
  await tab.reads("main .play-detail", /^Hint: \S+/);
  await tab.page.locator("main .board .shape.blue").waitFor({ state: "attached" });
  await tab.button("Resign").click();
  await tab.page.locator("dialog").getByRole("button", { name: "Resign" }).click();
  await tab.status("Black wins: resignation");
  await tab.exports(/\[White "Person"\]\s+\[Black "Tabiya \(Beginner\)"\][^]*0-1/);
});

test("a premove is marked, can be cancelled, and is dropped when it is not legal", async ({ open }) => {
  const tab = await open({ stalls: true });
  await tab.newGame({ opponent: "engine", level: 7, fen: "r3k3/8/8/8/8/8/4P3/4K2R w K - 0 1" });
  await tab.status("Your move");
  tab.stallAfter(THINKING);
  await tab.move("e2", "e4");
  await tab.click("h1");
  await tab.click("h5");
  await tab.sees({ h5: "empty, premove", h1: "white rook, premove" });
  assert.match(await tab.said(), /Premove h1 to h5/);
  await tab.page.keyboard.press("Escape");
  await tab.sees({ h1: "white rook" });
  assert.ok(!(await tab.label("h1"))?.includes("premove"));
  // A pawn may hope for something to take.
  await tab.click("e4");
  await tab.click("d5");
  await tab.sees({ d5: "empty, premove" });
  tab.resume();
  await tab.status("Your move");
  await tab.sees({ e4: "white pawn", d5: "empty" });
  assert.match(await tab.said(), /The premove is not possible/);
});

test("the human-like model takes its time to move; a stalemate ends a game against it", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ opponent: "model", fen: "7k/5Q2/8/8/8/8/8/K5R1 w - - 0 1" });
  await tab.status("Your move");
  await tab.move("a1", "a2");
  // Black has no legal move: a draw by rule.
  await tab.status("Draw: stalemate");
  await tab.newGame({ opponent: "model", color: "black" });
  await tab.page.locator("main .thinking:not([hidden])").waitFor();
  await tab.status("Your move");
  // The board is seen from Black's side: h1 is at the top left.
  const [a8, h1] = [await tab.center("a8"), await tab.center("h1")];
  assert.ok(h1.x < a8.x && h1.y < a8.y);
  assert.equal((await tab.moves()).length, 1);
});

test("the human-like model plays like people of the chosen rating; the choice is kept, and older choices do no harm", async ({ open }) => {
  const tab = await open();
  const form = tab.page.locator("dialog form");
  const rating = form.getByRole("combobox", { name: "Strength" });
  await tab.page.evaluate(() => localStorage.setItem("tabiya-new-game", JSON.stringify({ opponent: "model", temperature: "0.5", rating: "77" })));
  await tab.button("New game").click();
  assert.deepEqual([await rating.inputValue(), await form.locator("select[name=temperature]").inputValue()], ["1600", ""]);
  const offered = await rating.getByRole("option").allTextContents();
  assert.deepEqual([offered.length, offered[0], offered.at(-1)], [9, "Plays like people rated 1000", "Plays like people rated 2600"]);
  await form.getByRole("radio", { name: "Engine" }).check({ force: true });
  assert.ok(!(await rating.isVisible()));
  await form.getByRole("radio", { name: "Human-like" }).check({ force: true });
  await rating.selectOption("2200");
  await form.getByRole("button", { name: "Start the game" }).click();
  await tab.status("Your move");
  await tab.reads("main .strip-name", "Human-like · 2200");
  await tab.move("e2", "e4");
  await tab.status("Your move");
  assert.equal((await tab.moves()).length, 2);
  await tab.exports(/\[Black "Tabiya \(like people rated 2200\)"\]/);
  await tab.button("New game").click();
  assert.equal(await rating.inputValue(), "2200");
  await tab.page.keyboard.press("Escape");
  // A game that an older page has saved has a temperature and no rating.
  await tab.saves('"rating":2200');
  await tab.page.evaluate(() => {
    const saved = JSON.parse(sessionStorage.getItem("tabiya-session") ?? "");
    saved.play.black = { kind: "model", temperature: 0.5 };
    sessionStorage.setItem("tabiya-session", JSON.stringify(saved));
  });
  await tab.page.reload();
  await tab.ready();
  await tab.reads("main .strip-name", "Human-like · 1600");
  await tab.move("a2", "a3");
  await tab.status("Your move");
  assert.equal((await tab.moves()).length, 4);
});

test("castling to both sides, by the king's target and by its rook", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ fen: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" });
  await tab.status("White to move");
  await tab.click("e1");
  await tab.sees({ g1: "empty, legal move", h1: "white rook, legal move", c1: "empty, legal move" });
  await tab.click("g1");
  await tab.sees({ g1: "white king", f1: "white rook", h1: "empty" });
  await tab.drag("e8", "a8");
  await tab.sees({ c8: "black king", d8: "black rook", a8: "empty" });
  assert.deepEqual(await tab.moves(), ["O-O", "O-O-O"]);
});

test("castling in Chess960, where king and rook change places", async ({ open }) => {
  const tab = await open();
  // BBQNRNKR: the king stands on g1 already, and castles with the rook on h1 when the knight has left f1.
  await tab.newGame({ variant: "chess960", number: 96 });
  await tab.sees({ a1: "white bishop", f1: "white knight", g1: "white king", h1: "white rook", e8: "black rook" });
  await tab.reads("main .play-detail", "Chess960");
  await tab.move("f1", "g3");
  await tab.move("f8", "g6");
  await tab.click("g1");
  await tab.sees({ h1: "white rook, legal move" });
  await tab.click("h1");
  await tab.sees({ g1: "white king", f1: "white rook", h1: "empty" });
  await tab.drag("g8", "h8");
  await tab.sees({ g8: "black king", f8: "black rook", h8: "empty" });
  assert.deepEqual(await tab.moves(), ["Ng3", "Ng6", "O-O", "O-O"]);
  await tab.exports(/\[Variant "Chess960"\]/);
});

test("en passant takes the pawn that has passed", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ fen: "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1" });
  await tab.status("Black to move");
  await tab.move("d7", "d5");
  await tab.move("e5", "d6", "drag");
  await tab.sees({ d6: "white pawn", d5: "empty", e5: "empty" });
  assert.deepEqual((await tab.moves()).slice(-1), ["exd6"]);
});

test("a promotion is chosen on the board, and can be cancelled", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ fen: "4k3/P7/8/8/8/8/7p/4K3 w - - 0 1" });
  await tab.status("White to move");
  await tab.drag("a7", "a8");
  const choice = tab.page.getByRole("dialog", { name: "Promote to" });
  await choice.waitFor();
  assert.deepEqual(await choice.getByRole("button").evaluateAll((list) => list.map((one) => one.getAttribute("aria-label"))), ["queen", "knight", "rook", "bishop"]);
  await tab.page.keyboard.press("Escape");
  await tab.sees({ a7: "white pawn", a8: "empty" });
  await tab.click("a7");
  await tab.click("a8");
  await choice.getByRole("button", { name: "knight" }).click();
  await tab.sees({ a8: "white knight", a7: "empty" });
  await tab.click("h2");
  await tab.click("h1");
  await choice.waitFor();
  await tab.page.keyboard.press("r");
  await tab.sees({ h1: "black rook", h2: "empty" });
  assert.deepEqual(await tab.moves(), ["a8=N", "h1=R+"]);
});

test("draws by rule: threefold repetition is claimed, and dead positions end the game", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  for (let round = 0; round < 2; round++) {
    for (const [from, to] of [["g1", "f3"], ["g8", "f6"], ["f3", "g1"], ["f6", "g8"]]) await tab.move(from, to);
  }
  await tab.button("Claim draw").click();
  await tab.status(/Draw: .*repetition/);
  await tab.newGame({ fen: "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1" });
  await tab.status("White to move");
  await tab.click("e1");
  await tab.click("e2");
  await tab.status(/Draw: .*material/);
});

test("a clock with increment starts with the first move, adds the increment, and ends the game at zero", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ clock: "custom", minutes: 0.25, increment: 60 });
  await tab.status("White to move");
  await tab.reads("main .strip .clock", "0:15");
  await tab.move("e2", "e4");
  await tab.page.locator("main .clock.running").waitFor();
  await tab.move("e7", "e5");
  // 15 seconds less what was used, and 60 more.
  await tab.reads("main .strip .clock", /1:(1\d|0\d)/);
  // The clock resumes after a reload; with little time left the flag falls.
  await tab.page.evaluate(() => {
    const saved = JSON.parse(sessionStorage.getItem("tabiya-session") ?? "");
    saved.play.white_ms = 1500;
    sessionStorage.setItem("tabiya-session", JSON.stringify(saved));
  });
  await tab.page.reload();
  await tab.ready();
  await tab.status("Black wins: time");
  await tab.reads("main .strip .clock", "0:00.0");
});

test("play on from an earlier position, and against the engine from an analysis", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  for (const [from, to] of [["e2", "e4"], ["e7", "e5"], ["g1", "f3"]]) await tab.move(from, to);
  await tab.page.keyboard.press("ArrowLeft");
  await tab.status("An earlier position");
  await tab.button("Play from here").click();
  await tab.status("White to move");
  await tab.move("b1", "c3");
  assert.deepEqual(await tab.moves(), ["e4", "e5", "Nc3"]);
  await tab.view("analysis");
  await tab.reads("main .an-tree", /Nf3.*Nc3/s);
  await tab.button("Play from here").click();
  const form = tab.page.locator("dialog form");
  await form.locator("input[name=opponent][value=engine]").check({ force: true });
  await form.locator("select[name=level]").selectOption("0");
  await form.locator("input[name=color][value=white]").check({ force: true });
  await form.getByRole("button", { name: "Start the game" }).click();
  await tab.status("Your move");
  assert.equal((await tab.moves()).length, 4);
});

test("moves are typed in SAN and UCI; a move that is none is refused in words", async ({ open }) => {
  const tab = await open();
  await tab.newGame();
  await tab.status("White to move");
  const field = tab.page.getByRole("textbox", { name: /Type a move/ });
  for (const [text, square, piece] of [["e4", "e4", "white pawn"], ["e7e5", "e5", "black pawn"], ["Nf3", "f3", "white knight"], ["nc6", "c6", "black knight"]]) {
    await field.fill(text);
    await field.press("Enter");
    await tab.sees({ [square]: piece });
  }
  await field.fill("Qh8");
  await field.press("Enter");
  // The error stays until it is dismissed, or until a move is made.
  await tab.reads(".notices", /Qh8/);
  await tab.page.waitForTimeout(7000);
  await tab.reads(".notices", /Qh8/);
  await tab.button("Dismiss").click();
  await tab.until(() => !document.querySelector(".notice"), null, "the notice to go");
  assert.deepEqual(await tab.moves(), ["e4", "e5", "Nf3", "Nc6"]);
});
