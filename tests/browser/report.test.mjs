// The analysis of a whole game: progress, graph, marks, accuracy, refutations, and learning from mistakes.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

test("a whole game is analysed to its graph, with marks, accuracy and refutations, and learned from", async ({ open }) => {
  const tab = await open();
  await tab.paste(`[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0`);
  await tab.reads("main .an-tree", "Qxf7#");
  await tab.page.getByRole("tab", { name: "Report" }).click();
  await tab.page.getByRole("combobox", { name: "Seconds per position" }).selectOption("0.1");
  await tab.button("Analyse the game").click();
  await tab.page.locator("main progress").waitFor();
  await tab.reads("main .an-summary", /Accuracy[^]*\d+\.\d %[^]*Blunders/);
  await tab.reads("#announcer", /Analysis complete. Accuracy/);
  // Black's blunder, with what was better and why it is bad.
  await tab.reads("main .an-mistakes", /3…? ?\.* ?Nf6\?\?[^]*Blunder[^]*Better[^]*Refutation[^]*Qxf7#/);
  const graph = tab.page.getByRole("slider", { name: "Evaluation graph" });
  const box = await graph.boundingBox();
  assert.ok(box);
  // The graph leads to positions: the end and the beginning.
  await tab.page.mouse.click(box.x + box.width - 3, box.y + 20);
  await tab.sees({ f7: "white queen" });
  await tab.page.mouse.click(box.x + 3, box.y + 20);
  await tab.sees({ e2: "white pawn", f7: "black pawn" });
  await graph.focus();
  await tab.page.keyboard.press("PageDown");
  await tab.until(() => document.querySelector("main .an-graph-surface")?.getAttribute("aria-valuenow") !== "0", null, "the next mark");
  // The marks are part of the exported game, and a reload keeps the report.
  await tab.exports(/Nf6 \$4/);
  await tab.saves('"report":{');
  const summary = await tab.page.locator("main .an-summary").innerText();
  await tab.page.reload();
  await tab.ready();
  await tab.page.getByRole("tab", { name: "Report" }).click();
  await tab.reads("main .an-mistakes", /Nf6\?\?[^]*Blunder[^]*Better[^]*Refutation[^]*Qxf7#/);
  assert.equal(await tab.page.locator("main .an-summary").innerText(), summary);
  await graph.waitFor();
  await tab.page.locator("main .an-report").getByRole("button", { name: "Black", exact: true }).click();
  const learn = tab.page.getByRole("region", { name: "Learn from your mistakes" });
  await learn.waitFor();
  await tab.reads("main .an-learn", /Black played (Nf6|Nc6|e5)/);
  for (let round = 0; round < 3 && !(await learn.innerText()).includes("Black played Nf6"); round++) {
    await learn.getByRole("button", { name: "Skip" }).click();
    await tab.reads("main .an-learn", /Black played/);
  }
  // The mistake itself is wrong, a defence is right.
  await tab.sees({ g8: "black knight", h5: "white queen" });
  await tab.drag("a7", "a6");
  await tab.reads("main .an-learn-text", /a6 is not better/);
  await tab.sees({ a7: "black pawn" });
  await tab.drag("g7", "g6");
  await tab.reads("main .an-learn-text", /g6 is right/);
  await learn.getByRole("button", { name: /Next|Finish/ }).click();
  await tab.reads("main .an-learn", /You found \d of|Black played/);
  await learn.getByRole("button", { name: "Leave" }).click();
  await learn.waitFor({ state: "hidden" });
});

test("a long analysis is cancelled, and reports its progress", async ({ open }) => {
  const tab = await open();
  await tab.paste("1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6 *");
  await tab.reads("main .an-tree", "Bh4");
  await tab.page.getByRole("tab", { name: "Report" }).click();
  await tab.page.getByRole("combobox", { name: "Seconds per position" }).selectOption("1");
  await tab.button("Analyse the game").click();
  await tab.reads("main .an-report", /\d+ of \d+/);
  await tab.button("Cancel").click();
  await tab.button(/Analyse (the game|again)/).waitFor();
});
