// axe-core: no serious or critical finding in any view, light and dark.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { suite } from "./support/suite.mjs";

const test = suite();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails with what axe-core finds serious, light and dark. */
async function check(tab, place) {
  for (const colorScheme of ["light", "dark"]) {
    await tab.page.emulateMedia({ colorScheme });
    // Colors that are being faded would be measured in between.
    await tab.page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))));
    const found = await tab.page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
      return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
    });
    assert.deepEqual(found, [], `${place}, ${colorScheme}`);
  }
}

async function dialog(tab, name, place) {
  await tab.button(name).click();
  await tab.page.locator("dialog[open]").waitFor();
  await check(tab, place);
  await tab.page.keyboard.press("Escape");
  await tab.page.locator("dialog").waitFor({ state: "detached" });
}

/** A tab with axe-core in it. */
const prepared = async (open, options = {}) => {
  const tab = await open({ bypassCSP: true, ...options });
  await tab.page.evaluate(AXE);
  return tab;
};

test("axe-core finds nothing serious while playing", async ({ open }) => {
  const tab = await prepared(open);
  await tab.newGame({ clock: "5+3" });
  await tab.status("White to move");
  await tab.move("e2", "e4");
  await tab.move("f7", "f6");
  await tab.move("d1", "h5");
  await tab.click("g7");
  await check(tab, "a game with a selected piece");
  await tab.page.getByRole("textbox", { name: /Type a move/ }).fill("Qh8");
  await tab.page.keyboard.press("Enter");
  await tab.reads(".notices", /Qh8/);
  await check(tab, "a notice of an error");
  await tab.button("Dismiss").click();
  await dialog(tab, "Resign", "a question");
  await dialog(tab, "New game", "the new game");
  await dialog(tab, "Preferences", "the preferences");
  await dialog(tab, "Keys and help", "the help");
  await dialog(tab, "Share", "sharing");
  await tab.newGame({ fen: "7k/P7/8/8/8/8/8/K7 w - - 0 1" });
  await tab.click("a7");
  await tab.click("a8");
  await tab.page.getByRole("dialog", { name: "Promote to" }).waitFor();
  await check(tab, "a promotion");
  await tab.page.keyboard.press("Escape");
  await tab.newGame({ fen: "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1" });
  await tab.move("a1", "a8");
  await tab.status(/checkmate/);
  await check(tab, "the end of a game");
});

test("axe-core finds nothing serious in the analysis", async ({ open }) => {
  const tab = await prepared(open);
  await tab.paste(`[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Qh5 {Early.} (2. Nf3 Nc6 3. Bb5) 2... Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0`);
  await tab.reads("main .an-tree", "Qxf7#");
  await tab.page.getByRole("tab", { name: "Report" }).click();
  await tab.page.getByRole("combobox", { name: "Seconds per position" }).selectOption("0.1");
  await tab.button("Analyse the game").click();
  await tab.reads("main .an-mistakes", /Nf6\?\?/);
  await check(tab, "the report");
  await tab.page.keyboard.press("ArrowLeft");
  for (const name of ["Moves", "People", "Attention", "Game"]) {
    await tab.page.getByRole("tab", { name, exact: true }).click();
    if (name === "People") await tab.reads("main .an-odds li", /\d %/);
    if (name === "Attention") await tab.reads("main .an-attention-text", /look most at/);
    await check(tab, name);
  }
  await tab.page.getByRole("tab", { name: "Moves", exact: true }).click();
  await tab.page.locator("main .an-tree .an-move").first().click({ button: "right" });
  await tab.page.getByRole("menu").waitFor();
  await check(tab, "the menu of a move");
  await tab.page.keyboard.press("Escape");
  await tab.page.getByRole("tab", { name: "Report" }).click();
  await tab.page.locator("main .an-report").getByRole("button", { name: "Black", exact: true }).click();
  await tab.reads("main .an-learn", /Black played/);
  await check(tab, "learning from mistakes");
  await tab.button("Leave").click();
  await tab.paste(Array.from({ length: 1500 }, (_, at) => `[White "Player ${at}"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 ${at ? "Nc6" : "Ke4"} 3. Bb5 *\n`).join("\n"));
  await tab.page.locator("dialog .game-list button").first().waitFor();
  await check(tab, "the choice of a game");
  await tab.page.locator("dialog .game-list button").first().click();
  await tab.page.getByRole("tab", { name: "Moves", exact: true }).click();
  await tab.page.locator("main .an-problem:not([hidden])").waitFor();
  await check(tab, "a game with an error");
});

test("axe-core finds nothing serious in Paco Ŝako, nor in any view on a phone", async ({ open }) => {
  const tab = await prepared(open, { path: "#paco" });
  await tab.paste("1. e2>e4 d7>d5 2. e4xd5 Qd8>Pd5>d4");
  await tab.sees({ d4: "black pawn" });
  await tab.button("Show Ŝako").click();
  await tab.reads("main .play-detail", /Ŝako/);
  await check(tab, "a game of Paco Ŝako");
  await dialog(tab, "Rules", "the rules");
  await dialog(tab, "New game", "a new game of Paco Ŝako");
  await tab.page.setViewportSize({ width: 360, height: 740 });
  for (const view of ["paco", "play", "analysis"]) {
    await tab.view(view);
    await check(tab, `${view} at 360 pixels`);
  }
});
