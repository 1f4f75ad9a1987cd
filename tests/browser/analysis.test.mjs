// The Analyse view: games in and out, the tree edited in place, the engine's lines.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

const GAME = `[Event "Club evening"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

{A short game.} 1. e4 e5 2. Qh5 $6 {Too early.} (2. Nf3 Nc6 (2... d6 3. d4 {Philidor}) 3. Bb5) 2... Nc6 3. Bc4 Nf6 $4 {Loses at once.} 4. Qxf7# 1-0
`;

test("a PGN with variations and comments is pasted anywhere, shown as a tree, and exported whole", async ({ open }) => {
  const tab = await open();
  await tab.paste(GAME);
  await tab.reads("main .an-title", /Ann – Bob[^]*Club evening/);
  await tab.reads("main .an-tree", /A short game\.[^]*Too early\.[^]*Nf3[^]*Philidor[^]*Qxf7#/);
  await tab.reads("main .an-tree .an-glyph", "??");
  assert.equal(await tab.page.locator("main .an-tree .an-variation").count() > 0, true);
  await tab.exports(/\[White "Ann"\]/, /A short game\.[^]*Too early\.[^]*\(2\. Nf3 Nc6[^]*2\.\.\. d6 3\. d4[^]*Philidor[^]*\$4[^]*4\. Qxf7# 1-0/);
  // A click in the tree goes there.
  await tab.page.locator("main .an-move", { hasText: "Bb5" }).click();
  await tab.sees({ b5: "white bishop", f3: "white knight" });
});

test("the tree is edited in place: moves, comments, glyphs, variations, deletion, tags", async ({ open }) => {
  const tab = await open({ path: "#analysis" });
  await tab.move("e2", "e4");
  await tab.move("e7", "e5", "drag");
  await tab.page.keyboard.press("ArrowLeft");
  await tab.sees({ e7: "black pawn" });
  await tab.move("c7", "c5");
  await tab.page.keyboard.press("c");
  const editor = tab.page.getByRole("textbox", { name: /Comment on/ });
  await editor.fill("The Sicilian <b>defence</b>");
  await editor.press("Control+Enter");
  await tab.reads("main .an-comment", "The Sicilian <b>defence</b>");
  const menu = async (move, item) => {
    await tab.page.locator("main .an-tree .an-move", { hasText: move }).click({ button: "right" });
    await tab.page.getByRole("menu").getByRole(/^(Good|Mistake|Blunder)/.test(item) ? "menuitemcheckbox" : "menuitem", { name: item }).click();
  };
  await menu("c5", "Good move");
  await tab.reads("main .an-tree .an-glyph", "!");
  await menu("c5", "Make it the main line");
  await tab.until(() => document.querySelector("main .an-main.an-black")?.textContent?.startsWith("c5"), null, "c5 in the main line");
  await menu("e5", "Delete from here");
  await tab.until(() => !document.querySelector("main .an-tree")?.textContent?.includes("e5"), null, "e5 to be gone");
  await tab.page.getByRole("tab", { name: "Game" }).click();
  const white = tab.page.getByRole("textbox", { name: "White", exact: true });
  await white.fill("Cleo");
  await white.blur();
  await tab.page.getByRole("tab", { name: "Moves" }).click();
  await tab.reads("main .an-title", /Cleo/);
  await tab.exports(/\[White "Cleo"\][^]*1\. e4 c5 \$1 \{\s*The Sicilian <b>defence<\/b>\s*\} \*/);
});

test("the engine shows lines with win, draw and loss, and hovering a move shows its board", async ({ open }) => {
  const tab = await open({ path: "#fen=r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R_w_KQkq_-_2_3" });
  const engine = tab.page.getByRole("switch", { name: "Engine" });
  if (await engine.getAttribute("aria-checked") === "false") await engine.click();
  for (const count of [5, 3]) {
    await tab.page.getByRole("combobox", { name: "Number of lines" }).selectOption(String(count));
    await tab.until(([lines]) => [...document.querySelectorAll("main .an-line")].filter((line) => /** @type {any} */ (line).checkVisibility()
      && /^[+−#0]/.test(line.querySelector(".an-line-score")?.textContent ?? "")).length === lines, [count], `${count} lines`);
  }
  await tab.reads("main .an-stats", /depth ([5-9]|\d\d)/);
  await tab.page.locator("main .board .shape.engine").first().waitFor({ state: "attached" });
  const move = tab.page.locator("main .an-line").first().locator("button").nth(2);
  await move.hover();
  await tab.page.locator("main .an-preview .board.still").waitFor();
  // Reading stays possible: the lines stand still under the pointer.
  const text = await tab.page.locator("main .an-line").first().innerText();
  await tab.page.waitForTimeout(500);
  assert.equal(await tab.page.locator("main .an-line").first().innerText(), text);
  await tab.page.mouse.move(2, 2);
  await tab.page.getByRole("button", { name: "Threat" }).click();
  await tab.page.locator("main .board .shape.red").waitFor({ state: "attached" });
  // A click on the third move of a line plays all three.
  await move.click();
  await tab.until(() => document.querySelectorAll("main .an-tree .an-move").length >= 3, null, "the line to be played");
});

test("markup in tags, comments and names of files stays text", async ({ open }) => {
  const tab = await open();
  const evil = `<img src=x onerror="window.injected=1"><script>window.injected=1</script>`;
  const quoted = evil.replaceAll('"', '\\"');
  const pgn = `[Event "${quoted}"]\n[White "${quoted}"]\n[Black "${quoted}"]\n[${"Custom"} "${quoted}"]\n\n{${evil}} 1. e4 {${evil} [%cal Ge2e4]} e5 *`;
  await tab.drop(`<img src=x onerror=window.injected=1>.pgn`, pgn);
  await tab.reads("main .an-title", /<img src=x/);
  await tab.reads("main .an-comment", /<script>window/);
  for (const name of ["People", "Attention", "Report", "Game", "Moves"]) await tab.page.getByRole("tab", { name, exact: true }).click();
  await tab.button("Share").click();
  await tab.page.locator("dialog").waitFor();
  await tab.page.keyboard.press("Escape");
  await tab.page.goto(`${tab.page.url().split("#")[0]}#fen=${encodeURIComponent(evil)}`);
  await tab.reads(".notices", /\S/);
  assert.equal(await tab.page.evaluate(() => /** @type {any} */ (window).injected), undefined);
  assert.equal(await tab.page.locator("main img, main script, .notices img").count(), 0);
});

test("a file with many games is dropped, searched, and one of them opened", async ({ open }) => {
  const tab = await open();
  const games = Array.from({ length: 400 }, (_, index) =>
    `[Event "League"]\n[White "Player ${index}"]\n[Black "Rival ${index}"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {${"x".repeat(60)}} 1-0\n`).join("\n");
  await tab.drop("league.pgn", games);
  await tab.reads("dialog .game-count", "400 games");
  await tab.page.getByRole("searchbox", { name: "Search the games" }).fill("rival 377");
  await tab.reads("dialog .game-count", "1 games");
  await tab.page.locator("dialog .game-list button").click();
  await tab.reads("main .an-title", /Player 377 – Rival 377/);
});

test("every position and every game has an address that opens it", async ({ open }) => {
  const tab = await open();
  await tab.paste(GAME);
  await tab.reads("main .an-tree", "Qxf7#");
  await tab.page.keyboard.press("End");
  await tab.sees({ f7: "white queen" });
  await tab.exports(/Qxf7#/);
  const shared = await tab.shared();
  assert.match(shared["Address of the position"], /#fen=/);
  const position = await open({ url: shared["Address of the position"] });
  await position.sees({ f7: "white queen", e8: "black king" });
  const game = await open({ url: shared["Address of the game"] });
  await game.reads("main .an-tree", /A short game\.[^]*Philidor[^]*Qxf7#/);
  await game.exports(/\(2\. Nf3 Nc6/);
});

test("texts that are no games are refused in words, and errors in games are named", async ({ open }) => {
  const tab = await open();
  await tab.paste("8/8/8/8/8/8/8/8 w - - 0 1");
  await tab.reads(".notices", /king/i);
  await tab.paste("1. e4 e5 2. Ke3 Nc6 *");
  await tab.reads("main .an-problem", /Ke3/);
  await tab.reads("main .an-tree", "e5");
});

test("moves in the analysis are variations, and the game in play continues as it was", async ({ open }) => {
  const tab = await open();
  await tab.newGame({ opponent: "engine", level: 0 });
  await tab.status("Your move");
  await tab.move("e2", "e4");
  await tab.until(() => document.querySelectorAll("main .play-moves button").length === 2, null, "the answer");
  await tab.status("Your move");
  const played = await tab.moves();
  await tab.view("analysis");
  await tab.move("g1", "f3");
  await tab.move("a7", "a6").catch(() => tab.move("b8", "c6"));
  await tab.view("play");
  // Back in the game, where it was.
  await tab.status("Your move");
  await tab.sees({ g1: "white knight" });
  assert.deepEqual(await tab.moves(), played);
  await tab.move("d2", "d3");
  await tab.until(() => document.querySelectorAll("main .play-moves button").length === 4, null, "the next answer");
  await tab.exports(/\n\n1\. e4 \S+ 2\. d3 \(2\. Nf3/);
});

test("a game is copied, downloaded, shared as a link, and opened from a file", async ({ open }) => {
  const tab = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  const clipboard = (text) => tab.until(async ([part]) => (await navigator.clipboard.readText()).includes(part), [text], `${text} in the clipboard`);
  await tab.paste(GAME);
  await tab.reads("main .an-tree", "Qxf7#");
  await tab.saves("Philidor");
  await tab.page.getByRole("tab", { name: "Game" }).click();
  await tab.button("Copy PGN").click();
  await clipboard("Philidor");
  await tab.button("Copy FEN").click();
  await clipboard("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  await tab.button("Copy link").click();
  await clipboard("#pgn=");
  const [download] = await Promise.all([tab.page.waitForEvent("download"), tab.button("Download PGN").click()]);
  assert.equal(download.suggestedFilename(), "Ann-Bob.pgn");
  const [chooser] = await Promise.all([tab.page.waitForEvent("filechooser"), tab.button("Choose a file …").click()]);
  await chooser.setFiles({ name: "other.pgn", mimeType: "text/plain", buffer: Buffer.from('[White "Dora"]\n[Black "Emil"]\n\n1. c4 c5 *') });
  await tab.page.getByRole("tab", { name: "Moves" }).click();
  await tab.reads("main .an-title", /Dora – Emil/);
  await tab.button("Share").click();
  await tab.button("Copy: FEN").click();
  await clipboard("RNBQKBNR w KQkq - 0 1");
});
