// Games outlive reloads, other tabs, and the server.

import assert from "node:assert/strict";
import { startServer } from "./support/server.mjs";
import { suite } from "./support/suite.mjs";

const test = suite();

test("a reload in the middle keeps the game, the place in it and the opponent", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ opponent: "engine", level: 0 });
  await tab.status("Your move");
  await tab.move("d2", "d4");
  await tab.until(() => document.querySelectorAll("main .play-moves button").length === 2, null, "the engine's answer");
  await tab.status("Your move");
  const moves = await tab.moves();
  await tab.saves(`1. d4 ${moves[1]}`);
  await tab.page.reload();
  await tab.ready();
  await tab.status("Your move");
  await tab.sees({ d4: "white pawn", d2: "empty" });
  assert.deepEqual(await tab.moves(), moves);
  await tab.reads("main .strip-name", "Engine · Beginner");
  // The game continues.
  await tab.move("c2", "c4");
  await tab.until(() => document.querySelectorAll("main .play-moves button").length === 4, null, "the next answer");
});

test("a reload during an unfinished turn of Paco Ŝako keeps the turn", async ({ open }) => {
  const tab = await open({ path: "#paco" });
  await tab.click("e2");
  await tab.sees({ e2: "white pawn in hand" });
  await tab.page.reload();
  await tab.ready();
  await tab.sees({ e2: "white pawn in hand", e4: "empty, legal move" });
  await tab.click("e4");
  await tab.sees({ e4: "white pawn" });
});

test("two tabs have games of their own", async ({ open }) => {
  const first = await open();
  const second = await open({ context: first.context });
  // A person looks at one tab at a time.
  const at = async (tab, ...moves) => {
    await tab.page.bringToFront();
    for (const [from, to] of moves) await tab.move(from, to);
  };
  for (const tab of [first, second]) {
    await at(tab);
    await tab.newGame();
    await tab.status("White to move");
  }
  await at(first, ["e2", "e4"]);
  await at(second, ["d2", "d4"]);
  await at(first, ["e7", "e5"]);
  await second.sees({ d4: "white pawn", e2: "white pawn", e7: "black pawn" });
  await first.sees({ e4: "white pawn", e5: "black pawn", d2: "white pawn" });
  await first.saves("1. e4 e5");
  await second.saves("1. d4");
  await Promise.all([first.page.reload(), second.page.reload()]);
  await first.sees({ e4: "white pawn", e5: "black pawn", d2: "white pawn" });
  await second.sees({ d4: "white pawn", e2: "white pawn" });
});

test("the server is killed and started again: the page reconnects and keeps all games", async ({ open }) => {
  let server = await startServer();
  try {
    const tab = await open({ url: server.url });
    await tab.view("paco");
    await tab.click("d2");
    await tab.sees({ d2: "white pawn in hand" });
    await tab.view("play");
    await tab.newGame({ clock: "custom", minutes: 60, increment: 0 });
    await tab.status("White to move");
    for (const [from, to] of [["e2", "e4"], ["c7", "c5"], ["g1", "f3"]]) await tab.move(from, to);
    await tab.view("analysis");
    await tab.reads("main .an-tree", /Nf3/);
    await tab.sees({ f3: "white knight" });
    await tab.page.keyboard.press("ArrowLeft");
    await tab.sees({ g1: "white knight", c5: "black pawn" });
    await tab.saves("2. Nf3");
    await server.kill();
    await tab.page.locator(".connection:not([hidden])").waitFor();
    server = await startServer({ port: server.port });
    await tab.page.locator(".connection[hidden]").waitFor({ state: "attached" });
    // The place in the game, its moves, and the other game.
    await tab.sees({ g1: "white knight", c5: "black pawn" });
    await tab.move("b1", "c3");
    await tab.reads("main .an-tree", /Nf3[^]*Nc3/);
    await tab.view("play");
    await tab.page.locator("main .play-status").waitFor();
    await tab.page.keyboard.press("End");
    await tab.status("Black to move");
    assert.deepEqual(await tab.moves(), ["e4", "c5", "Nf3"]);
    await tab.move("d7", "d6");
    await tab.view("paco");
    await tab.sees({ d2: "white pawn in hand" });
    tab.errors = tab.errors.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
  } finally {
    await server.kill();
  }
});

test("a game of several hundred kilobytes outlives a reload", async ({ open }) => {
  const tab = await open();
  const comment = "long ".repeat(15_000);
  await tab.paste(`[White "Ann"]\n[Black "Bob"]\n\n1. e4 {${comment}} e5 2. Nf3 {${comment}} *`);
  await tab.reads("main .an-title", /Ann – Bob/);
  await tab.saves("Ann");
  await tab.page.reload();
  await tab.ready();
  await tab.reads("main .an-title", /Ann – Bob/);
});

test("a game in play of several hundred kilobytes is resumed after a reload and by a new server", async ({ open }) => {
  let server = await startServer();
  try {
    const tab = await open({ url: server.url });
    await tab.paste(`1. e4 {${"long ".repeat(15_000)}} e5 *`);
    await tab.reads("main .an-tree", "long");
    await tab.page.keyboard.press("End");
    await tab.sees({ e5: "black pawn" });
    await tab.button("Play from here").click();
    await tab.page.locator("dialog input[name=opponent][value=person]").check({ force: true });
    await tab.button("Start the game").click();
    await tab.status("White to move");
    await tab.move("g1", "f3");
    await tab.status("Black to move");
    await tab.saves("2. Nf3");
    await tab.page.reload();
    await tab.ready();
    await tab.status("Black to move");
    assert.deepEqual(await tab.moves(), ["e4", "e5", "Nf3"]);
    await tab.move("b8", "c6");
    await tab.status("White to move");
    await server.kill();
    await tab.page.locator(".connection:not([hidden])").waitFor();
    server = await startServer({ port: server.port });
    await tab.page.locator(".connection[hidden]").waitFor({ state: "attached" });
    await tab.move("f1", "b5");
    await tab.status("Black to move");
    assert.deepEqual(await tab.moves(), ["e4", "e5", "Nf3", "Nc6", "Bb5"]);
    tab.errors = tab.errors.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
  } finally {
    await server.kill();
  }
});

test("a reload while the engine thinks, and one right after a move, lose nothing", async ({ open }) => {
  const tab = await open({ stalls: true });
  await tab.newGame({ opponent: "engine", level: 7 });
  await tab.status("Your move");
  // The answer does not arrive any more.
  tab.stallAfter(/"type":"play".*"thinking":true/);
  await tab.move("e2", "e4");
  await tab.page.reload();
  tab.resume();
  await tab.ready();
  await tab.sees({ e4: "white pawn" });
  await tab.until(() => document.querySelectorAll("main .play-moves button").length === 2, null, "the engine's answer");
  await tab.status("Your move");
  await tab.reads("main .strip-name", "Engine · Full strength");
});

test("a reload of an analysis keeps its variations and the place in them", async ({ open }) => {
  const tab = await open();
  await tab.paste("1. e4 e5 (1... c5 2. Nf3 d6 {Najdorf to come}) 2. Nf3 Nc6 *");
  await tab.reads("main .an-tree", "Najdorf");
  await tab.page.locator("main .an-move", { hasText: "d6" }).click();
  await tab.sees({ d6: "black pawn", c5: "black pawn" });
  await tab.saves('"path":["e2e4","c7c5","g1f3","d7d6"]');
  await tab.saves("Najdorf");
  await tab.page.reload();
  await tab.sees({ d6: "black pawn", c5: "black pawn" });
  await tab.reads("main .an-tree", /Najdorf[^]*Nc6/);
});

test("with a token the page works from its address on, and without one nothing is served", async ({ open, browser }) => {
  const server = await startServer({ args: ["--token", "0123456789abcdef"] });
  try {
    const tab = await open({ url: server.url });
    await tab.newGame();
    await tab.status("White to move");
    await tab.move("e2", "e4");
    const shared = await tab.shared();
    assert.ok(Object.values(shared).every((text) => !text.includes("0123456789abcdef")), "a token is shared");
    const context = await browser.newContext();
    const page = await context.newPage();
    const answer = await page.goto(server.url.split("?")[0]);
    assert.equal(answer?.status(), 401);
    await context.close();
  } finally {
    await server.kill();
  }
});
