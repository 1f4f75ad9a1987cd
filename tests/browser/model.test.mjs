// Seeing through the model: what people would play, and where the heads of the transformer look.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();

test("what people would play stands beside the engine, with odds and what they lose", async ({ open }) => {
  // The fishing pole: people like to take the knight.
  const tab = await open({ path: "#fen=r1bqkb1r/pppp1pp1/2n5/1B2p2p/4P1n1/5N1P/PPPP1PP1/RNBQ1RK1_w_kq_h6_0_6" });
  await tab.page.getByRole("tab", { name: "People" }).click();
  const rows = tab.page.locator("main .an-odds li button:visible");
  await rows.first().waitFor();
  await tab.reads("main .an-odds li", /\d %/);
  // The engine's judgement follows.
  await tab.reads("main .an-odds li", /best|−0\.\d\d/);
  await tab.page.locator("main .board .shape.people").first().waitFor({ state: "attached" });
  await rows.first().hover();
  await tab.page.locator("main .an-preview .board.still").waitFor();
  const move = await rows.first().locator(".an-san").innerText();
  await rows.first().click();
  await tab.page.getByRole("tab", { name: "Moves" }).click();
  await tab.reads("main .an-tree", move);
});

test("people are of any rating or of a chosen one, which is kept", async ({ open }) => {
  const tab = await open({ path: "#analysis" });
  const tabPeople = tab.page.getByRole("tab", { name: "People" });
  const rating = tab.page.getByRole("combobox", { name: "People" });
  const rows = tab.page.locator("main .an-odds:not(.an-stale) li button:visible");
  await tabPeople.click();
  await rows.first().waitFor();
  assert.equal(await rating.locator("option:checked").textContent(), "of any rating");
  const odds = await tab.page.locator("main .an-odds").innerText();
  await rating.selectOption("1000");
  await tab.until(([before]) => {
    const list = document.querySelector("main .an-odds");
    return list instanceof HTMLElement && !list.classList.contains("an-stale") && list.innerText !== before;
  }, [odds], "other odds");
  await tab.page.reload();
  await tab.ready();
  await tabPeople.click();
  await rows.first().waitFor();
  assert.equal(await rating.inputValue(), "1000");
});

test("where the game is over, the bar shows its result, and People reports that there is no move", async ({ open }) => {
  const tab = await open({ path: "#analysis" });
  await tab.paste("1. f3 e5 2. g4 Qh4# 0-1");
  await tab.page.getByRole("tab", { name: "People" }).click();
  await tab.reads("main .an-odds li", /\d %/);
  await tab.page.keyboard.press("End");
  await tab.page.getByText("there is no move to choose").waitFor();
  assert.equal(await tab.page.locator("main .an-odds li:visible").count(), 0);
  assert.match(await tab.page.locator("main .an-bar").getAttribute("aria-label"), /Black wins 100 %/);
  await tab.page.keyboard.press("Home");
  await tab.reads("main .an-odds li", /\d %/);
  await tab.page.locator("main .an-odds li button:visible").first().waitFor();
});

test("a square is pointed at, and each head shows where it looks; layers and free heads are chosen", async ({ open }) => {
  const tab = await open({ path: "#analysis" });
  await tab.page.getByRole("tab", { name: "Attention" }).click();
  const heads = tab.page.getByRole("radiogroup", { name: "Head" }).getByRole("radio");
  const layers = tab.page.getByRole("radiogroup", { name: "Layer" }).getByRole("radio");
  await tab.reads("main .an-attention-text", /all squares together look most at [a-h][1-8]/);
  assert.ok(await heads.count() >= 8 && await layers.count() >= 2);
  const { x, y } = await tab.center("g1");
  await tab.page.mouse.move(x, y);
  await tab.reads("main .an-attention-text", /g1 looks at [a-h][1-8]/);
  const first = await tab.page.locator("main .an-attention-text").innerText();
  await tab.page.locator("main .an-heads .an-free").first().click();
  await layers.nth(1).click();
  await tab.reads("main .an-attention-text", /of layer 2/);
  await tab.page.mouse.move(x, y);
  await tab.reads("main .an-attention-text", /layer 2: g1 looks at/);
  assert.notEqual(await tab.page.locator("main .an-attention-text").innerText(), first);
  // By keys as well.
  await tab.page.locator("main .board-grid [tabindex='0']").focus();
  await tab.page.keyboard.press("ArrowRight");
  await tab.reads("main .an-attention-text", /[a-h][1-8] looks at/);
  await tab.page.getByRole("tab", { name: "Moves" }).click();
});
